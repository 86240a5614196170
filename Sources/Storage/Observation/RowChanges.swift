/// Which rows of one table a commit changed.
public struct RowChanges: Hashable, Sendable {
    /// The rows that are new or were written again, be it with the same values.
    public private(set) var written: Set<Int64> = []
    /// The rows that are gone.
    public private(set) var deleted: Set<Int64> = []
    /// Whether the commit forgot everything that belongs to a session.
    public internal(set) var isReset = false

    /// Whether the commit left the table alone.
    var isEmpty: Bool { written.isEmpty && deleted.isEmpty && !isReset }

    /// Notes that a row was made or written. SQLite gives the number of a deleted row to a new one.
    mutating func write(_ row: Int64) {
        deleted.remove(row)
        written.insert(row)
    }

    mutating func delete(_ row: Int64) {
        written.remove(row)
        deleted.insert(row)
    }
}
