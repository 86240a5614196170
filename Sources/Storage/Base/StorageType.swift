/// The records of a database, as one transaction sees them.
///
/// It is lent to a closure by ``StorageManagerType`` and is of no use after that. What moved money stays on
/// record: only a ``ForgettableObject`` can be deleted.
public protocol StorageType {
    /// Reads records: those that `predicate` means, or all of them when it is nil, in the order of the SQL
    /// ordering terms `order`, for example `id DESC`, and at most `limit` of them.
    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T]

    /// The record with this name, or nil.
    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T?

    /// Writes a new record.
    ///
    /// - Returns: the record with the name that the database gave it.
    @discardableResult
    func insertNewObject<T: Object>(_ object: T) throws -> T

    /// Writes every column of a record that is there.
    func updateObject<T: IdentifiedObject>(_ object: T) throws

    /// Deletes the records that `predicate` means.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func deleteObjects<T: ForgettableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int
}

extension StorageType {
    /// The records that `predicate` means, ordered by name.
    func allObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> [T] {
        try allObjects(ofType: type, matching: predicate, sortedBy: "id", limit: nil)
    }
}
