import Determinism
import Money
import Networking
import Text

/// Columns that hold JSON text.
enum JSONColumn {
    static func text(_ value: some JSONColumnValue) -> String { value.json.jsonText }

    /// Nil when the text is not JSON, or has another type.
    static func value<Value: JSONColumnValue>(of text: String) -> Value? {
        guard let document = try? JSONDocument(Array(text.utf8)) else { return nil }
        return Value(json: document.value)
    }
}

/// A value that can be stored in a JSON column without loss.
protocol JSONColumnValue {
    /// Nil when the JSON has another type.
    init?(json: JSONValue)

    var json: JSONValue { get }
}

extension JSONValue {
    /// Returns a member of an object; a missing one is null.
    func member<Value: JSONColumnValue>(_ name: String, as type: Value.Type) -> Value? {
        Value(json: self[name] ?? .null)
    }
}

extension JSONValue: JSONColumnValue {
    init?(json: JSONValue) { self = json }

    var json: JSONValue { self }
}

extension Int64: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .number(let text) = json, let number = Int64(text) else { return nil }
        self = number
    }

    var json: JSONValue { JSONValue(self) }
}

extension Bool: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .bool(let flag) = json else { return nil }
        self = flag
    }

    var json: JSONValue { .bool(self) }
}

extension String: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .text(let text) = json else { return nil }
        self = text
    }

    var json: JSONValue { .text(self) }
}

/// Stored as text, so that it is never read as a binary fraction.
extension ExactDecimal: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .text(let text) = json, let number = ExactDecimal(text) else { return nil }
        self = number
    }

    var json: JSONValue { .text(description) }
}

/// Stored as milliseconds since 1970.
extension Timestamp: JSONColumnValue {
    init?(json: JSONValue) {
        guard let milliseconds = Int64(json: json) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    var json: JSONValue { milliseconds.json }
}

extension CivilDate: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .text(let text) = json, let date = CivilDate(text) else { return nil }
        self = date
    }

    var json: JSONValue { .text(description) }
}

extension Optional: JSONColumnValue where Wrapped: JSONColumnValue {
    init?(json: JSONValue) {
        guard json != .null else {
            self = .none
            return
        }
        guard let value = Wrapped(json: json) else { return nil }
        self = value
    }

    var json: JSONValue { self?.json ?? .null }
}

extension Array: JSONColumnValue where Element: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .list(let values) = json else { return nil }
        self = []
        reserveCapacity(values.count)
        for value in values {
            guard let element = Element(json: value) else { return nil }
            append(element)
        }
    }

    var json: JSONValue { .list(map(\.json)) }
}
