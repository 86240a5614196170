public import Storage

/// A read-only value whose record can be watched.
public protocol ObservableModel: Hashable, Sendable {
    /// The record in the database.
    associatedtype Record: ObservableObject & ReadOnlyConvertible where Record.ReadOnly == Self

    /// Whether both have the same key, whatever their values.
    func isReadOnlyRepresentation(of record: Record) -> Bool
}

/// A read-only value that is stored as a record, and can be deleted.
public protocol ReadOnlyType: ObservableModel where Record: KeyedObject {}

/// A record that converts to and from a read-only value.
public protocol ReadOnlyConvertible: Object {
    /// The read-only value.
    associatedtype ReadOnly: Sendable

    init(_ model: ReadOnly)

    /// - Throws: ``UnreadableRow`` when a column holds an invalid value.
    func toReadOnly() throws -> ReadOnly
}

extension ReadOnlyConvertible {
    /// Replaces all values of the record.
    public mutating func update(with model: ReadOnly) { self = Self(model) }

    /// Returns the value of a required column.
    func required<Value>(_ value: Value?, _ column: String) throws -> Value {
        guard let value else { throw UnreadableRow(table: Self.entityName, column: column) }
        return value
    }

    /// Returns the value of a JSON column.
    func json<Value: JSONColumnValue>(_ text: String, _ column: String) throws -> Value {
        try required(JSONColumn.value(of: text), column)
    }
}

/// Reads and writes read-only values. Conditions and order refer to the columns of the record: `matching: { $0.siteID
/// == 7 && $0.status == "pending" }, sortedBy: { [$0.dateCreatedGMT.descending] }`.
extension StorageType {
    /// Saves a value, in place of the one with the same key.
    ///
    /// - Returns: whether it is new or different.
    @discardableResult
    public func save<Model: ReadOnlyType>(_ model: Model) throws -> Bool {
        try save([model]) > 0
    }

    /// Saves values, in place of those with the same keys. Equal values are not written.
    ///
    /// - Returns: the number of new or different values.
    @discardableResult
    public func save<Model: ReadOnlyType>(_ models: [Model]) throws -> Int {
        try saveObjects(models.map(Model.Record.init))
    }

    /// Reads values, sorted by their keys unless another order is given.
    public func models<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] }, limit: Int? = nil
    ) throws -> [Model] {
        try records(Model.Record.self, matching: predicate, sortedBy: order, limit: limit).map { try $0.toReadOnly() }
    }

    /// Reads the first matching value.
    public func model<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] }
    ) throws -> Model? {
        try models(type, matching: predicate, sortedBy: order, limit: 1).first
    }

    /// Reads the values in these rows. Deleted rows are missing from the result.
    public func models<Model: ReadOnlyType>(_ type: Model.Type, rowIDs: [Int64]) throws -> [Int64: Model] {
        try objects(ofType: Model.Record.self, rowIDs: rowIDs).mapValues { try $0.toReadOnly() }
    }

    /// Returns the number of stored values that match.
    public func count<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all }
    ) throws -> Int {
        try countObjects(ofType: Model.Record.self, matching: predicate(Model.Record.columns))
    }

    /// Deletes values and their parts.
    ///
    /// - Returns: the number of deleted values.
    @discardableResult
    public func delete<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all }
    ) throws -> Int {
        try deleteObjects(ofType: Model.Record.self, matching: predicate(Model.Record.columns))
    }
}
