import Foundation
import GRDB
import Money

/// A column to sort by, with the direction.
public struct StorageSortDescriptor: Hashable, Sendable {
    let sql: String
    /// The same comparison for values that have been read.
    let term: SortTerm
}

/// Compares decimal numbers in text form by value, with all digits. Texts that are not numbers come first, by their
/// bytes.
enum DecimalCollation {
    static let name = "exactDecimal"

    static func install(in database: Database) {
        database.add(collation: DatabaseCollation(name, function: order))
    }

    static func order(_ first: String, _ second: String) -> ComparisonResult {
        switch (ExactDecimal(first), ExactDecimal(second)) {
        case (let first?, let second?):
            first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
        case (nil, nil): first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        }
    }
}

/// One sort column. It compares values as SQLite does.
struct SortTerm: Hashable, Sendable {
    let column: String
    let isAscending: Bool
    /// Whether texts are compared by ``DecimalCollation`` instead of by their bytes.
    let isDecimal: Bool

    /// - Returns: A negative number when `first` comes first, 0 when the values are equal.
    func compare(_ first: DatabaseValue, _ second: DatabaseValue) -> Int {
        let order = Self.order(first.storage, second.storage, isDecimal)
        return isAscending ? order : -order
    }

    private static func order(_ first: DatabaseValue.Storage, _ second: DatabaseValue.Storage, _ isDecimal: Bool) -> Int
    {
        switch (first, second) {
        case (.int64(let one), .int64(let other)): return order(one, other)
        case (.double(let one), .double(let other)): return order(one, other)
        case (.int64(let one), .double(let other)): return order(Double(one), other)
        case (.double(let one), .int64(let other)): return order(one, Double(other))
        case (.string(let one), .string(let other)):
            return isDecimal ? DecimalCollation.order(one, other).rawValue : bytes(one.utf8, other.utf8)
        case (.blob(let one), .blob(let other)): return bytes(one, other)
        case (.null, .null): return 0
        default: return order(rank(first), rank(second))
        }
    }

    /// The order of SQLite's storage classes.
    private static func rank(_ value: DatabaseValue.Storage) -> Int {
        switch value {
        case .null: 0
        case .int64, .double: 1
        case .string: 2
        case .blob: 3
        }
    }

    private static func order<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
        first < second ? -1 : first > second ? 1 : 0
    }

    private static func bytes(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> Int {
        first.lexicographicallyPrecedes(second) ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
    }
}

/// The position of a record in its table, by some sort descriptors and then by its key.
///
/// It compares as SQLite does: NULL first, then numbers, then texts by their bytes. Compare only places of the same
/// sort order; places of different orders are never equal.
public struct SortedPlace: Comparable, Sendable {
    private let values: [DatabaseValue]
    private let terms: [SortTerm]

    init(_ values: [DatabaseValue], in terms: [SortTerm]) { (self.values, self.terms) = (values, terms) }

    public static func == (first: SortedPlace, second: SortedPlace) -> Bool {
        first.terms == second.terms && first.values == second.values
    }

    public static func < (first: SortedPlace, second: SortedPlace) -> Bool {
        for (index, term) in first.terms.enumerated() where index < second.values.count {
            let order = term.compare(first.values[index], second.values[index])
            if order != 0 { return order < 0 }
        }
        return false
    }
}

/// A record with its row ID, which stays the same as long as the record exists, and its sort position.
public struct StoredRow<Record: ObservableObject>: Sendable {
    public let number: Int64
    public let record: Record
    public let place: SortedPlace
}
