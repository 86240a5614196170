internal import Foundation
internal import GRDB

/// One column that rows are sorted by. It compares as SQLite does.
struct SortTerm: Hashable, Sendable {
    let column: String
    let isAscending: Bool
    /// Whether the column's texts are compared by ``DecimalCollation``, instead of by their bytes.
    let isDecimal: Bool

    /// - Returns: less than 0 when `first` comes first, 0 when the next term decides.
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

    /// Which kind of value comes first.
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
