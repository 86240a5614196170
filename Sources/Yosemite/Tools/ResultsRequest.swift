public import Storage

/// What a ``ResultsController`` looks for, and how it shows it.
public struct ResultsRequest<Model: ReadOnlyType>: Sendable {
    /// Which objects; nil for all.
    public var predicate: StoragePredicate?
    /// What they are sorted by, before their keys.
    public var sortDescriptors: [StorageSortDescriptor]
    /// How many are shown at most, the first ones; nil for all.
    public var limit: Int?
    /// The name of an object's section; nil for a list without sections. It has to depend on the object alone.
    public var sectionName: (@Sendable (Model) -> String)?

    /// - Parameters:
    ///   - predicate: which objects, by the columns of their record: `{ $0.siteID == 7 }`.
    ///   - sortDescriptors: `{ [$0.dateCreatedGMT.descending] }`; what is equal is sorted by its key.
    ///   - limit: how many at most.
    ///   - sectionName: the name of an object's section.
    public init(
        matching predicate: ((Model.Record.Columns) -> StoragePredicate)? = nil,
        sortedBy sortDescriptors: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] },
        limit: Int? = nil, sectionedBy sectionName: (@Sendable (Model) -> String)? = nil
    ) {
        let columns = Model.Record.columns
        self.predicate = predicate?(columns)
        self.sortDescriptors = sortDescriptors(columns)
        (self.limit, self.sectionName) = (limit, sectionName)
    }
}
