public import Amounts
public import Determinism
public import GRDB

/// A value that one column holds.
public protocol ColumnValue: DatabaseValueConvertible, Hashable, Sendable {
    /// By which rule SQLite compares stored values; nil for that of their bytes.
    static var collation: String? { get }
}

extension ColumnValue {
    public static var collation: String? { nil }
}

/// A value of which one is smaller than another one.
public protocol OrderedColumnValue: ColumnValue {}

extension Bool: ColumnValue {}
extension Int64: OrderedColumnValue {}
extension String: OrderedColumnValue {}

/// Stored as milliseconds since 1970.
extension Timestamp: OrderedColumnValue {
    public var databaseValue: DatabaseValue { milliseconds.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Timestamp? {
        Int64.fromDatabaseValue(value).map { Timestamp(milliseconds: $0) }
    }
}

/// Stored as a text that sorts as the dates do: `2026-01-02T03:04:05`.
extension CivilDate: OrderedColumnValue {
    public var databaseValue: DatabaseValue { description.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> CivilDate? {
        String.fromDatabaseValue(value).flatMap { CivilDate($0) }
    }
}

/// Stored as the text that it was written as, so that no digit is lost; compared by value.
extension ExactDecimal: OrderedColumnValue {
    public static var collation: String? { DecimalCollation.name }

    public var databaseValue: DatabaseValue { description.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> ExactDecimal? {
        String.fromDatabaseValue(value).flatMap { ExactDecimal($0) }
    }
}
