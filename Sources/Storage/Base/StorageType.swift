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

    /// Deletes the records that `predicate` means, and what belongs to them.
    ///
    /// - Returns: how many there were, without what belonged to them.
    @discardableResult
    func deleteObjects<T: ForgettableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int

    // MARK: Records of sites

    /// How many records `predicate` means.
    func countObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int

    /// Writes records with their children: those whose keys are not there are new, the others take the place of what is
    /// there. Nothing is written of a record that is already the same. Of records with the same key the last one
    /// counts.
    ///
    /// A change of the children alone writes the row of their parent too.
    ///
    /// - Returns: how many records were new or different.
    @discardableResult
    func saveObjects<T: KeyedObject>(_ objects: [T]) throws -> Int

    /// The numbers of the rows that `predicate` means, in the order of `order` and then of their keys; at most `limit`.
    ///
    /// A number names a row for as long as the row is there.
    func rowIDs<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?
    ) throws -> [Int64]

    /// Reads the records that `predicate` means, in the order of `order` and then of their keys; at most `limit`.
    ///
    /// `withChildren`: without them their lists are empty, and one table is read instead of many.
    func objects<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        withChildren: Bool
    ) throws -> [T]

    /// Reads records with the numbers of their rows and with their places, in their order.
    ///
    /// `rows`: the rows that are looked at; nil for all.
    func rows<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        among rows: Set<Int64>?
    ) throws -> [StoredRow<T>]

    /// Has whoever observes told that this transaction forgets everything that belongs to a session.
    func noteReset() throws

    /// Reads the records in these rows, with their children. A row that is not there has none.
    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T]
}

extension StorageType {
    /// The records that `predicate` means, ordered by name.
    func allObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> [T] {
        try allObjects(ofType: type, matching: predicate, sortedBy: "id", limit: nil)
    }

    /// Reads records with their children. Conditions and order are given by the record's columns:
    /// `matching: { $0.siteID == 7 }, sortedBy: { [$0.id.descending] }`.
    public func records<T: KeyedObject>(
        _ type: T.Type, matching predicate: (T.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (T.Columns) -> [StorageSortDescriptor] = { _ in [] }, limit: Int? = nil,
        withChildren: Bool = true
    ) throws -> [T] {
        try objects(
            ofType: type, matching: predicate(T.columns), sortedBy: order(T.columns), limit: limit,
            withChildren: withChildren)
    }
}
