/// The SQL that reads and writes one kind of ``KeyedObject``, made once.
///
/// The number of the row, `rowID`, holds parents and children together inside the database; it means nothing outside.
public struct KeyedStatements: Sendable {
    let record: RecordStatements
    /// Reads the columns in their order, then `rowID`; what may follow is a condition.
    let selection: String
    /// Reads the same of the record with a key.
    let lookup: String
    /// Writes every column of a row.
    let update: String
    /// Sorts by the key.
    let keyOrder: String

    /// - Parameters:
    ///   - table: where the records are.
    ///   - columns: all that a record is read from and written to, without `rowID`.
    ///   - key: those that name a record.
    public init(table: String, columns: [String], key: [String]) {
        record = RecordStatements(table: table, columns: columns)
        selection = "SELECT \(columns.map { "\"\($0)\"" }.joined(separator: ", ")), rowID FROM \"\(table)\""
        lookup = selection + " WHERE " + key.map { "\"\($0)\" = ?" }.joined(separator: " AND ")
        update = "UPDATE \"\(table)\" SET \(columns.map { "\"\($0)\" = ?" }.joined(separator: ", ")) WHERE rowID = ?"
        keyOrder = key.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
