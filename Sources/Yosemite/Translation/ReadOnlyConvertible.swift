public import Storage

/// A record that a read-only value can be made of, and that can be made of one.
public protocol ReadOnlyConvertible: Object {
    /// What leaves the storage.
    associatedtype ReadOnly: Sendable

    init(_ model: ReadOnly)

    /// - Throws: ``UnreadableRow`` when a column holds what the value cannot be.
    func toReadOnly() throws -> ReadOnly
}

extension ReadOnlyConvertible {
    /// Takes over everything from a read-only value.
    public mutating func update(with model: ReadOnly) { self = Self(model) }

    /// What a column must hold.
    func required<Value>(_ value: Value?, _ column: String) throws -> Value {
        guard let value else { throw UnreadableRow(table: Self.entityName, column: column) }
        return value
    }

    /// What a column holds as JSON.
    func json<Value: JSONColumnValue>(_ text: String, _ column: String) throws -> Value {
        try required(JSONColumn.value(of: text), column)
    }
}
