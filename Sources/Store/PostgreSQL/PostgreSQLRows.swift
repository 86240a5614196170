/// The answer to a statement: rows, and how many rows it changed.
public struct PostgreSQLRows: Sendable {
    struct Column: Sendable {
        let name: String
        /// The number of the type in the table `pg_type`.
        let type: UInt32
    }

    let columns: [Column]
    /// The values, row by row; nil is NULL.
    let values: [[UInt8]?]
    /// The number of rows. A statement such as `SELECT` without columns has rows without values.
    public let count: Int
    /// The number of rows that the statement inserted, changed, deleted, or returned.
    public let affected: Int
    /// The kind of the statement that ran, for example `INSERT`.
    let command: String
    let place: CodePlace

    /// Returns the only row.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `column` when there are none or more.
    public func only() throws(PostgreSQLError) -> PostgreSQLRow {
        guard count == 1 else {
            let problem = PostgreSQLError.ColumnProblem(
                column: "", row: nil, problem: "\(count) rows, where one was expected")
            throw PostgreSQLError(.column(problem), at: place)
        }
        return self[0]
    }
}

extension PostgreSQLRows: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    public subscript(index: Int) -> PostgreSQLRow { PostgreSQLRow(rows: self, index: index) }
}

/// A row of an answer. Reading a column that is missing, NULL, or of another type throws an error with the row, the
/// column, and the place of the statement.
public struct PostgreSQLRow: Sendable {
    fileprivate let rows: PostgreSQLRows
    fileprivate let index: Int

    /// Returns the value of a column, which is not NULL.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `column`.
    public func value<Value: PostgreSQLValue>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgreSQLError) -> Value {
        guard let value = try optional(column, as: type) else {
            throw problem(column, "NULL, where \(Value.columnName) was expected")
        }
        return value
    }

    /// Returns the value of a column; nil for NULL.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `column`.
    public func optional<Value: PostgreSQLValue>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgreSQLError) -> Value? {
        guard let position = rows.columns.firstIndex(where: { $0.name == column }) else {
            throw problem(column, "there is no such column")
        }
        guard let bytes = rows.values[index * rows.columns.count + position] else { return nil }
        let kind = rows.columns[position].type
        guard let value = Value(column: bytes, type: kind) else {
            throw problem(column, "no \(Value.columnName.drop { $0 != " " }.dropFirst()), but the type \(kind)")
        }
        return value
    }

    private func problem(_ column: String, _ text: String) -> PostgreSQLError {
        PostgreSQLError(
            .column(PostgreSQLError.ColumnProblem(column: column, row: index + 1, problem: text)), at: rows.place)
    }
}

/// A type that a column can be read as.
public protocol PostgreSQLValue: Sendable {
    /// For messages, with its article: `an integer`.
    static var columnName: String { get }

    /// Reads the binary format of a type, which `type` numbers as the table `pg_type` does. Nil for another type, and
    /// for bytes that are no value of it.
    init?(column bytes: [UInt8], type: UInt32)
}

/// Numbers of types in the table `pg_type`, which never change.
enum PostgreSQLType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let json: UInt32 = 114
    static let unknown: UInt32 = 705
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let jsonb: UInt32 = 3802
}

/// Reads `bigint`, `integer`, and `smallint`.
extension Int64: PostgreSQLValue {
    public static let columnName = "an integer"

    public init?(column bytes: [UInt8], type: UInt32) {
        let length =
            switch type {
            case PostgreSQLType.int8: 8
            case PostgreSQLType.int4: 4
            case PostgreSQLType.int2: 2
            default: 0
            }
        guard length > 0, bytes.count == length else { return nil }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let shift = UInt64(64 - 8 * length)
        self = Int64(bitPattern: number << shift) >> Int64(shift)
    }
}

/// Reads `text`, `varchar`, `char`, `name`, `json`, and `jsonb`. Cast other types in the statement, as in `id::text`.
extension String: PostgreSQLValue {
    public static let columnName = "a text"

    public init?(column bytes: [UInt8], type: UInt32) {
        switch type {
        case PostgreSQLType.text, PostgreSQLType.varchar, PostgreSQLType.bpchar, PostgreSQLType.name,
            PostgreSQLType.json, PostgreSQLType.unknown:
            self.init(validating: bytes, as: UTF8.self)
        case PostgreSQLType.jsonb:
            // The text follows the number of the format's version.
            guard bytes.first == 1 else { return nil }
            self.init(validating: bytes.dropFirst(), as: UTF8.self)
        default: return nil
        }
    }
}

/// Reads `boolean`.
extension Bool: PostgreSQLValue {
    public static let columnName = "a boolean"

    public init?(column bytes: [UInt8], type: UInt32) {
        guard type == PostgreSQLType.bool, let byte = bytes.first, bytes.count == 1, byte <= 1 else { return nil }
        self = byte == 1
    }
}

/// Reads `bytea`.
extension [UInt8]: PostgreSQLValue {
    public static let columnName = "a bytea"

    public init?(column bytes: [UInt8], type: UInt32) {
        guard type == PostgreSQLType.bytea else { return nil }
        self = bytes
    }
}
