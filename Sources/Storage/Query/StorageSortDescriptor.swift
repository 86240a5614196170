/// By which column records are sorted, and which way.
public struct StorageSortDescriptor: Hashable, Sendable {
    let sql: String
}
