import Determinism
import GRDB
import GRDBSQLite
import Money

/// Reads records from the rows of a prepared statement, without a row of GRDB: that has a dictionary of the names of
/// all columns, which takes longer to make than most queries to run.
final class ObjectCursor<T: Object>: DatabaseCursor {
    typealias Element = T

    let _statement: Statement
    var _isDone = false

    /// Begins at the first row. `values` are those of the parameters, in order.
    init(_ statement: Statement, _ values: [DatabaseValue]) throws {
        _statement = statement
        try statement.bind(values)
    }

    deinit {
        // An error has been thrown before, by the step that failed.
        sqlite3_reset(_statement.sqliteStatement)
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> T {
        var reader = RowReader(sqliteStatement, of: T.self)
        return try T(row: &reader)
    }

    /// Returns the records of all rows.
    func all() throws -> [T] {
        var records: [T] = []
        while let record = try next() { records.append(record) }
        return records
    }

    /// Returns the number in the column behind those of the record that was read last.
    func number(behind column: String) throws -> Int64 {
        try RowReader(_statement.sqliteStatement, of: T.self).number(behind: column)
    }
}

extension Statement {
    /// Binds the values of the parameters, in order, and goes to the beginning.
    func bind(_ values: some Collection<DatabaseValue>) throws {
        guard values.count == sqlite3_bind_parameter_count(sqliteStatement) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(values.count)", sql: sql)
        }
        // GRDB then takes what is bound for the statement's own.
        setUncheckedArguments(StatementArguments())
        var place: CInt = 0
        for value in values {
            place += 1
            if value.isNull { continue }
            let code = value.bind(to: sqliteStatement, at: place)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }
        }
    }

    /// Executes the statement with the values of its parameters, in order.
    func execute(with values: some Collection<(any DatabaseValueConvertible)?>) throws {
        try execute(values: values.map { $0?.databaseValue ?? .null })
    }

    /// Executes the statement with the values of its parameters, in order.
    func execute(values: some Collection<DatabaseValue>) throws {
        try bind(values)
        try execute()
    }
}

/// Reads the columns of a row. A value that does not fit throws instead of trapping.
///
/// The row contains the columns of its record type in order. Reading them in that order needs no lookup.
public struct RowReader {
    private let statement: SQLiteStatement
    private let count: Int
    private let table: String
    private let columns: [String]
    private var next = 0

    /// Reads the row at which a statement stands.
    init<T: Object>(_ statement: SQLiteStatement, of type: T.Type) {
        (self.statement, count) = (statement, Int(sqlite3_column_count(statement)))
        (table, columns) = (T.entityName, T.columnNames)
    }

    mutating func value<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = try optional(column, as: type) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    mutating func optional<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T? {
        if !columns.indices.contains(next) || columns[next] != column {
            next = columns.firstIndex(of: column) ?? columns.count
        }
        guard next < count else { throw UnreadableRow(table: table, column: column) }
        let stored = DatabaseValue(sqliteStatement: statement, index: CInt(next))
        next += 1
        if stored.isNull { return nil }
        guard let value = T.fromDatabaseValue(stored) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    /// Returns the error for a value that can't be used.
    func unreadable(_ column: String) -> UnreadableRow { UnreadableRow(table: table, column: column) }

    mutating func timestamp(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try value(column)) }

    /// Reads an amount in minor units of the currency in the column `currency`.
    mutating func money(_ column: String) throws -> Money {
        let minorUnits: Int64 = try value(column)
        let code: String = try value("currency")
        guard let currency = try? Currency(code: code),
            let money = try? Money(minorUnits: minorUnits, currency: currency)
        else { throw UnreadableRow(table: table, column: column) }
        return money
    }

    /// Reads the number in the column behind those of the record.
    func number(behind column: String) throws -> Int64 {
        guard columns.count < count,
            let number = Int64.fromDatabaseValue(
                DatabaseValue(sqliteStatement: statement, index: CInt(columns.count)))
        else { throw UnreadableRow(table: table, column: column) }
        return number
    }
}
