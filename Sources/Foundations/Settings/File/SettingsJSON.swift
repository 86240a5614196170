public import Text

extension SettingsNode {
    /// The value as JSON. A text without quotes that is a JSON number, `true`, or `false` is that value, and a key
    /// without a value has null; every other text is a text.
    public var json: JSONValue {
        switch content {
        case .text(let text, let isPlain):
            guard isPlain else { return .text(text) }
            if isNothing { return .null }
            switch text {
            case "true": return true
            case "false": return false
            default: return text.isJSONNumber ? .number(text) : .text(text)
            }
        case .list(let nodes): return .list(nodes.map(\.json))
        case .mapping(let entries): return .object(entries.map { JSONValue.Member($0.key, $0.value.json) })
        }
    }

    /// Makes a value to write to a file, which ``json`` reads as the same one.
    public static func json(_ value: JSONValue) -> SettingsNode {
        switch value {
        case .null: SettingsNode(.nowhere, "", .text("null", isPlain: true))
        case .bool(let flag): .text(flag ? "true" : "false")
        case .number(let digits): .text(digits)
        case .text(let text): SettingsNode(.nowhere, "", .text(text, isPlain: false))
        case .list(let values): .list(values.map { json($0) })
        case .object(let members): .mapping(members.map { ($0.name, json($0.value)) })
        }
    }
}

extension String {
    /// Whether it is a number of JSON (RFC 8259 §6).
    var isJSONNumber: Bool {
        if case .number(let digits)? = JSONReader.node(Array(utf8)) { digits == self } else { false }
    }
}
