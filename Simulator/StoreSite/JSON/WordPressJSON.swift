import Text

extension JSONValue {
    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.text) ?? .null }

    /// A string, number, or boolean as WordPress converts it to a string.
    var plainText: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .bool(let flag): flag ? "1" : ""
        case .null, .list, .object: nil
        }
    }

    var elements: [JSONValue]? {
        switch self {
        case .list(let elements): elements
        // PHP encodes a list with gaps as an object.
        case .object(let members) where members.allSatisfy({ Int($0.name) != nil }): members.map(\.value)
        default: nil
        }
    }

    /// Returns the value with only the named members, also inside list elements. `links.self` selects a nested
    /// member.
    func picking(_ fields: FieldChoice) -> JSONValue {
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

extension JSONValue.Member {
    init(name: String, value: JSONValue) { self.init(name, value) }
}

/// The members of a response that the `_fields` parameter selects: names separated by commas, `a.b` for a nested
/// member.
struct FieldChoice: Hashable, Sendable {
    private var inner: [String: FieldChoice] = [:]
    /// Whether no member was selected, which selects all of them.
    private(set) var isEverything = true

    init() {}

    init(_ names: [String]) {
        for name in names { choose(name.split(separator: ".", omittingEmptySubsequences: true).map(String.init)[...]) }
    }

    /// Returns the selection inside a member; nil when the member is not selected.
    subscript(name: String) -> FieldChoice? { isEverything ? FieldChoice() : inner[name] }

    private mutating func choose(_ path: ArraySlice<String>) {
        guard let name = path.first else { return }
        isEverything = false
        let rest = path.dropFirst()
        // A whole member includes its parts.
        if let known = inner[name], known.isEverything { return }
        var part = rest.isEmpty ? FieldChoice() : inner[name] ?? FieldChoice()
        if !rest.isEmpty { part.choose(rest) }
        inner[name] = part
    }
}
