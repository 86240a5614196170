/// The parameters of a request, in order: texts in a query or a form, JSON values in a JSON body.
public struct Parameters: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public private(set) var members: [JSONValue.Member]

    public init(_ members: [JSONValue.Member] = []) { self.members = members }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { JSONValue.Member($0.0, $0.1) }
    }

    public var isEmpty: Bool { members.isEmpty }

    public mutating func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name, value)) }

    /// Adds the value if there is one.
    public mutating func add(_ name: String, ifPresent value: (some StringProtocol)?) {
        if let value { add(name, .text(String(value))) }
    }

    /// Adds the value if there is one.
    public mutating func add(_ name: String, ifPresent value: (some BinaryInteger)?) {
        if let value { add(name, JSONValue(value)) }
    }

    /// As a JSON object.
    public var jsonText: String { JSONValue.object(members).jsonText }

    /// As fields of a query or a form. Lists become one field for each element, objects fields with brackets.
    public var fields: [(name: String, value: String)] { members.flatMap { Self.fields($0.name, $0.value) } }

    private static func fields(_ name: String, _ value: JSONValue) -> [(name: String, value: String)] {
        switch value {
        case .null: [(name, "")]
        case .bool(let flag): [(name, flag ? "true" : "false")]
        case .number(let text), .text(let text): [(name, text)]
        case .list(let values): values.flatMap { fields("\(name)[]", $0) }
        case .object(let members): members.flatMap { fields("\(name)[\($0.name)]", $0.value) }
        }
    }
}
