public import Storage

/// What stores do with what is kept: they give and get read-only values. Conditions and order are given by the columns of
/// the record: `matching: { $0.siteID == 7 && $0.status == "pending" }, sortedBy: { [$0.dateCreatedGMT.descending] }`.
extension StorageType {
    /// Keeps a value in the place of the one with the same key, when there is one.
    ///
    /// - Returns: whether it is new or different.
    @discardableResult
    public func save<Model: ReadOnlyType>(_ model: Model) throws -> Bool { try save([model]) > 0 }

    /// Keeps values in the place of those with the same keys. Nothing is written of what is already the same.
    ///
    /// - Returns: how many of them are new or different.
    @discardableResult
    public func save<Model: ReadOnlyType>(_ models: [Model]) throws -> Int {
        try saveObjects(models.map(Model.Record.init))
    }

    /// Reads values, in the order of their keys unless another one is given.
    public func models<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] }, limit: Int? = nil
    ) throws -> [Model] {
        try records(Model.Record.self, matching: predicate, sortedBy: order, limit: limit).map { try $0.toReadOnly() }
    }

    /// The first of the values that are meant.
    public func model<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all },
        sortedBy order: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] }
    ) throws -> Model? {
        try models(type, matching: predicate, sortedBy: order, limit: 1).first
    }

    /// The values in these rows; a row that is gone has none.
    public func models<Model: ReadOnlyType>(_ type: Model.Type, rowIDs: [Int64]) throws -> [Int64: Model] {
        try objects(ofType: Model.Record.self, rowIDs: rowIDs).mapValues { try $0.toReadOnly() }
    }

    public func count<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all }
    ) throws -> Int {
        try countObjects(ofType: Model.Record.self, matching: predicate(Model.Record.columns))
    }

    /// Forgets values, and what belongs to them.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func delete<Model: ReadOnlyType>(
        _ type: Model.Type, matching predicate: (Model.Record.Columns) -> StoragePredicate = { _ in .all }
    ) throws -> Int {
        try deleteObjects(ofType: Model.Record.self, matching: predicate(Model.Record.columns))
    }
}
