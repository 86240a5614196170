/// Any JSON value, for requests and for response values without a fixed shape.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits as written.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([Member])

    /// A member of an object, in document order.
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSONValue

        /// Takes a name and its value; names are not compared with those of other members.
        public init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// The member of an object with this exact name.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The content of a text, or the digits of a number.
    public var textValue: String? {
        switch self {
        case .text(let text), .number(let text): text
        default: nil
        }
    }

    /// The JSON text without whitespace.
    public var jsonText: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .text(let text): Self.quoted(text)
        case .list(let values): "[" + values.map(\.jsonText).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.jsonText }.joined(separator: ",") + "}"
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a list.
    public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    /// Creates an object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    /// Creates a number from an integer of any width.
    public init(_ number: some BinaryInteger) { self = .number(String(number)) }
    /// Creates a string.
    public init(_ text: String) { self = .text(text) }
}

extension JSONValue {
    /// The JSON text on several lines, indented by two spaces per level.
    public var indentedJSONText: String { Self.indented(self, "") }

    private static func indented(_ value: JSONValue, _ margin: String) -> String {
        let inner = margin + "  "
        return switch value {
        case .list(let values) where !values.isEmpty:
            "[\n" + values.map { inner + indented($0, inner) }.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            "{\n"
                + members.map { inner + quoted($0.name) + " : " + indented($0.value, inner) }
                .joined(separator: ",\n") + "\n\(margin)}"
        default: value.jsonText
        }
    }

    /// Returns a text in quotation marks, with escapes.
    static func quoted(_ text: String) -> String {
        let content = text.escaped { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case _ where scalar.value < 0x20: "\\u" + scalar.value.zeroPadded(to: 4, radix: 16)
            default: nil
            }
        }
        return "\"\(content)\""
    }
}
