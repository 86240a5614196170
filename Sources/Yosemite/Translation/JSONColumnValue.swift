internal import Amounts
internal import Determinism
internal import Networking

/// What can stand in a JSON column, and is the same when it is read again.
protocol JSONColumnValue {
    /// Nil when the JSON says something else.
    init?(json: JSONValue)

    var json: JSONValue { get }
}

extension JSONValue {
    /// A member of an object; one that is missing is null.
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

/// As a text, so that no reader makes a binary fraction of it.
extension ExactDecimal: JSONColumnValue {
    init?(json: JSONValue) {
        guard case .text(let text) = json, let number = ExactDecimal(text) else { return nil }
        self = number
    }

    var json: JSONValue { .text(description) }
}

/// As milliseconds since 1970.
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
