/// Any JSON value: what requests are made of, and what an answer holds that has no fixed shape.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As it is written.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([Member])

    /// A member of an object, in the order of the text.
    public struct Member: Hashable, Sendable {
        public let name: String
        public let value: JSONValue

        public init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// A member of an object, by its exact name.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// A text, or the text of a number.
    public var textValue: String? {
        switch self {
        case .text(let text), .number(let text): text
        default: nil
        }
    }

    /// The JSON text, without blanks.
    public var jsonText: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .text(let text): JSONText.quoted(text)
        case .list(let values): "[" + values.map(\.jsonText).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONText.quoted($0.name) + ":" + $0.value.jsonText }.joined(separator: ",") + "}"
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    public init(_ number: some BinaryInteger) { self = .number(String(number)) }
    public init(_ text: String) { self = .text(text) }
}

extension JSONDocument {
    /// A part of the text as a value.
    func value(_ index: Int) -> JSONValue {
        let node = nodes[index]
        return switch node.kind {
        case .null: .null
        case .false_: .bool(false)
        case .true_: .bool(true)
        case .number: .number(text(node))
        case .text: .text(text(node))
        case .list: .list(elements(of: index).map(value))
        case .object: .object(names(of: index).map { JSONValue.Member(text(nodes[$0]), value($0 + 1)) })
        }
    }

    /// The whole text as a value.
    public var value: JSONValue { value(Self.root) }
}

extension JSONValue: Codable {
    /// Only from a ``JSONDocument``, which hands over the value itself; other readers give what they can tell apart.
    public init(from decoder: any Decoder) throws {
        if let reader = decoder as? DocumentDecoder {
            self = reader.document.value(reader.node)
            return
        }
        let container = try decoder.singleValueContainer()
        self = .text(try container.decode(String.self))
    }

    /// As ``jsonText`` in one text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(jsonText)
    }
}
