/// A stored value that is not what its column holds: the database is damaged.
public struct UnreadableRow: Error, Hashable, CustomStringConvertible {
    public let table: String
    public let column: String

    public init(table: String, column: String) { (self.table, self.column) = (table, column) }

    public var description: String { "unreadable \(column) in \(table)" }
}
