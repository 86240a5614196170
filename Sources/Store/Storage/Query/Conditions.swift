public import Determinism
public import GRDB
public import Money
import Text

/// A condition on records: an SQL expression with separate values, so that a value is never parsed as SQL.
public struct StoragePredicate: Sendable {
    let condition: String
    let values: [DatabaseValue]

    /// - Parameters:
    ///   - condition: an SQL expression over the columns of one table, with `?` for each value.
    ///   - values: the values, in the order of the placeholders.
    public init(_ condition: String, _ values: (any DatabaseValueConvertible)?...) {
        self.condition = condition
        self.values = values.map { $0?.databaseValue ?? .null }
    }

    private init(condition: String, values: [DatabaseValue]) {
        (self.condition, self.values) = (condition, values)
    }

    /// Matches every record.
    public static let all = StoragePredicate("TRUE")

    /// Matches the records that match both conditions.
    public func and(_ other: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "(\(condition)) AND (\(other.condition))", values: values + other.values)
    }

    /// Matches the records that match at least one condition.
    public func or(_ other: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "(\(condition)) OR (\(other.condition))", values: values + other.values)
    }

    /// Matches records that both conditions match.
    public static func && (first: StoragePredicate, second: StoragePredicate) -> StoragePredicate { first.and(second) }

    /// Matches records that one of the conditions matches, or both.
    public static func || (first: StoragePredicate, second: StoragePredicate) -> StoragePredicate { first.or(second) }

    /// Matches the records that do not match the condition. Conditions of ``RecordColumn`` are never NULL.
    public static prefix func ! (predicate: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "NOT (\(predicate.condition))", values: predicate.values)
    }
}

/// A column of a record, for predicates and sorting: `$0.siteID == 7 && $0.status != "trash"`.
///
/// Comparisons work as in Swift: nil equals nil, differs from every value, and is neither smaller nor larger than any.
/// Texts are compared by their bytes, amounts by value: 33.3 equals 33.30. Values are never parsed as SQL.
public struct RecordColumn<Value: ColumnValue>: Sendable {
    /// The name of the column in the table.
    public let name: String

    /// Names a column of the record's table, spelled as in its schema.
    public init(_ name: String) { self.name = name }

    /// The column with its collation.
    var sql: String { Value.collation.map { "\"\(name)\" COLLATE \($0)" } ?? "\"\(name)\"" }

    // MARK: Sorting

    /// Sorts nil first, then the smallest value.
    public var ascending: StorageSortDescriptor { StorageSortDescriptor(sql: sql, term: term(isAscending: true)) }

    /// Sorts the largest value first and nil last.
    public var descending: StorageSortDescriptor {
        StorageSortDescriptor(sql: "\(sql) DESC", term: term(isAscending: false))
    }

    private func term(isAscending: Bool) -> SortTerm {
        SortTerm(column: name, isAscending: isAscending, isDecimal: Value.collation == DecimalCollation.name)
    }

    // MARK: Predicates

    /// Matches records without a value.
    public var isNull: StoragePredicate { StoragePredicate("\"\(name)\" IS NULL") }

    /// Matches records with a value.
    public var isNotNull: StoragePredicate { StoragePredicate("\"\(name)\" IS NOT NULL") }

    /// Matches records with one of these values.
    public func isIn(_ values: some Sequence<Value>) -> StoragePredicate {
        // One argument for all values, so that the statement does not depend on their number.
        compared("IN (SELECT value FROM json_each(?))", with: JSONList.text(values))
    }

    /// Matches records with this value; nil matches records without one.
    public static func == (column: Self, value: Value?) -> StoragePredicate {
        value.map { StoragePredicate("\(column.sql) IS ?", $0) } ?? column.isNull
    }

    /// Matches records with another value, or without one; nil matches records with a value.
    public static func != (column: Self, value: Value?) -> StoragePredicate {
        value.map { StoragePredicate("\(column.sql) IS NOT ?", $0) } ?? column.isNotNull
    }

    /// Matches no record without a value, where SQLite would return NULL, so that `!` works.
    private func compared(_ comparison: String, with value: some ColumnValue) -> StoragePredicate {
        StoragePredicate("(\"\(name)\" IS NOT NULL AND \(sql) \(comparison))", value)
    }
}

extension RecordColumn where Value: OrderedColumnValue {
    /// Matches records whose value is less. A record without a value never matches.
    public static func < (column: Self, value: Value) -> StoragePredicate { column.compared("< ?", with: value) }

    /// Matches records whose value is less or equal.
    public static func <= (column: Self, value: Value) -> StoragePredicate { column.compared("<= ?", with: value) }

    /// Matches records whose value is greater.
    public static func > (column: Self, value: Value) -> StoragePredicate { column.compared("> ?", with: value) }

    /// Matches records whose value is greater or equal.
    public static func >= (column: Self, value: Value) -> StoragePredicate { column.compared(">= ?", with: value) }
}

extension RecordColumn<String> {
    /// Matches records whose value contains the text, ignoring case. An empty text matches every value.
    public func contains(_ text: String) -> StoragePredicate {
        StoragePredicate("\(TextSearch.name)(\"\(name)\", ?)", text.lowercased())
    }

    /// Matches records whose text is the raw value of the word.
    public static func == <Word: RawRepresentable<String>>(column: Self, word: Word) -> StoragePredicate {
        column == word.rawValue
    }

    /// Matches records whose text is not the raw value of the word.
    public static func != <Word: RawRepresentable<String>>(column: Self, word: Word) -> StoragePredicate {
        column != word.rawValue
    }

    /// Matches records with one of these words.
    public func isIn<Word: RawRepresentable<String>>(_ words: some Sequence<Word>) -> StoragePredicate {
        isIn(words.map(\.rawValue))
    }
}

/// A value of one column.
public protocol ColumnValue: DatabaseValueConvertible, Hashable, Sendable {
    /// The SQLite collation for comparing stored values; nil to compare bytes.
    static var collation: String? { get }
}

extension ColumnValue {
    public static var collation: String? { nil }
}

/// A column value with an order.
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

/// Stored as text that sorts like the dates: `2026-01-02T03:04:05`.
extension CivilDate: OrderedColumnValue {
    public var databaseValue: DatabaseValue { description.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> CivilDate? {
        String.fromDatabaseValue(value).flatMap { CivilDate($0) }
    }
}

/// Stored as the original text, so that no digit is lost; compared by value.
extension ExactDecimal: OrderedColumnValue {
    public static var collation: String? { DecimalCollation.name }

    public var databaseValue: DatabaseValue { description.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> ExactDecimal? {
        String.fromDatabaseValue(value).flatMap { ExactDecimal($0) }
    }
}

/// Any number of values for one `?` of a statement: a JSON array for `json_each`.
enum JSONList {
    static func text(_ values: some Sequence<some ColumnValue>) -> String {
        "[" + values.map { element($0.databaseValue) }.joined(separator: ",") + "]"
    }

    private static func element(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .int64(let number): String(number)
        case .string(let text): JSONValue.text(text).jsonText
        case .null, .double, .blob: "null"
        }
    }
}

/// An SQL function that finds a text in another one, ignoring case in all alphabets. SQLite's own functions handle only
/// ASCII.
enum TextSearch {
    static let name = "containsText"

    static func install(in database: Database) {
        database.add(
            function: DatabaseFunction(name, argumentCount: 2, pure: true) { values in
                guard let text = String.fromDatabaseValue(values[0]), let part = String.fromDatabaseValue(values[1])
                else { return false }
                return part.isEmpty || text.lowercased().contains(part)
            })
    }
}
