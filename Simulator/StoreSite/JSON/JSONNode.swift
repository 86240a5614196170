/// A JSON value. Numbers are kept as they are written, so that no amount becomes a binary fraction.
enum JSONNode: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        var name: String
        var value: JSONNode
    }

    case null
    case bool(Bool)
    /// As written (RFC 8259 §6).
    case number(String)
    case text(String)
    case list([JSONNode])
    case object([Member])

    static func integer(_ value: some BinaryInteger) -> JSONNode { .number(String(value)) }

    static func optional(_ text: String?) -> JSONNode { text.map(JSONNode.text) ?? .null }

    subscript(name: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// A text, a number or a flag as WordPress makes a text of it.
    var plainText: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .bool(let flag): flag ? "1" : ""
        case .null, .list, .object: nil
        }
    }

    var elements: [JSONNode]? {
        switch self {
        case .list(let elements): elements
        // How PHP reads a list that has gaps.
        case .object(let members) where members.allSatisfy({ Int($0.name) != nil }): members.map(\.value)
        default: nil
        }
    }

    /// With the members alone whose names are given; elements of a list one by one. `links.self` picks inside.
    func picking(_ fields: FieldChoice) -> JSONNode {
        switch self {
        case .list(let elements): .list(elements.map { $0.picking(fields) })
        case .object(let members):
            .object(
                members.compactMap { member in
                    guard let inner = fields[member.name] else { return nil }
                    return inner.isEverything ? member : Member(name: member.name, value: member.value.picking(inner))
                })
        default: self
        }
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONNode...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
