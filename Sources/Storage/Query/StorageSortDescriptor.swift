/// By which column records are sorted, and which way.
public struct StorageSortDescriptor: Hashable, Sendable {
    let sql: String
    /// The same for values that have been read.
    let term: SortTerm
}
