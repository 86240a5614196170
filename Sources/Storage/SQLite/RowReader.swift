internal import Amounts
internal import Determinism
internal import GRDB

/// Reads the columns of a row, and throws on what does not fit instead of trapping.
///
/// The row has the columns of its kind of record, in their order. Read them in that order too: then none is
/// looked for.
struct RowReader {
    private let row: Row
    private let table: String
    private let columns: [String]
    private var next = 0

    init<T: Object>(row: Row, of type: T.Type) {
        (self.row, table, columns) = (row, T.entityName, T.columnNames)
    }

    mutating func value<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = try optional(column, as: type) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    mutating func optional<T: DatabaseValueConvertible>(_ column: String, as type: T.Type = T.self) throws -> T? {
        if !columns.indices.contains(next) || columns[next] != column {
            next = columns.firstIndex(of: column) ?? columns.count
        }
        guard next < row.count else { throw UnreadableRow(table: table, column: column) }
        let stored: DatabaseValue = row[next]
        next += 1
        if stored.isNull { return nil }
        guard let value = T.fromDatabaseValue(stored) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    mutating func timestamp(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try value(column)) }

    /// The amount in minor units of the currency that stands in the column `currency`.
    mutating func money(_ column: String) throws -> Money {
        let minorUnits: Int64 = try value(column)
        let code: String = try value("currency")
        guard let currency = try? Currency(code: code),
            let money = try? Money(minorUnits: minorUnits, currency: currency)
        else { throw UnreadableRow(table: table, column: column) }
        return money
    }
}
