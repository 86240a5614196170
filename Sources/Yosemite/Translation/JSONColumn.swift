internal import Networking

/// Columns that hold a JSON text.
enum JSONColumn {
    static func text(_ value: some JSONColumnValue) -> String { value.json.jsonText }

    /// Nil when the text is no JSON, or says something else.
    static func value<Value: JSONColumnValue>(of text: String) -> Value? {
        guard let document = try? JSONDocument(Array(text.utf8)) else { return nil }
        return Value(json: document.value)
    }
}
