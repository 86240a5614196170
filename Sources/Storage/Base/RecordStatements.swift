/// The SQL that reads and writes one kind of record, made once.
public struct RecordStatements: Sendable {
    /// Reads the columns in their order; what may follow is a condition.
    let selection: String
    /// Binds every column.
    let insertion: String
    /// Binds every column but the first, which is `id`, and then `id`. A record's name is never written again:
    /// SQLite would look for the rows that refer to it.
    let update: String

    init(table: String, columns: [String]) {
        let names = columns.map { "\"\($0)\"" }
        let list = names.joined(separator: ", ")
        let places = repeatElement("?", count: columns.count).joined(separator: ", ")
        selection = "SELECT \(list) FROM \"\(table)\""
        insertion = "INSERT INTO \"\(table)\" (\(list)) VALUES (\(places))"
        update = "UPDATE \"\(table)\" SET \(names.dropFirst().joined(separator: " = ?, ")) = ? WHERE id = ?"
    }
}
