/// A query of the till's database, and what it must find.
public struct RowsExpectation: Hashable, Sendable {
    /// A SELECT.
    public var query: String
    /// Every value as text; NULL as the empty one.
    public var rows: [[String]]

    public init(query: String, rows: [[String]]) { (self.query, self.rows) = (query, rows) }
}
