extension JSONValue {
    /// What `value` looks like as JSON: members by the names of its properties, numbers exact.
    ///
    /// - Throws: what `value` throws.
    public init(encoding value: some Encodable) throws { self = try JSONValueEncoder.value(of: value) }

    /// The JSON text on several lines, with two blanks for each level.
    public var indentedJSONText: String { Self.indented(self, "") }

    private static func indented(_ value: JSONValue, _ margin: String) -> String {
        let inner = margin + "  "
        return switch value {
        case .list(let values) where !values.isEmpty:
            "[\n" + values.map { inner + indented($0, inner) }.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            "{\n"
                + members.map { inner + JSONText.quoted($0.name) + " : " + indented($0.value, inner) }
                .joined(separator: ",\n") + "\n\(margin)}"
        default: value.jsonText
        }
    }
}
