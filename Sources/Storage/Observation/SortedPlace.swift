internal import GRDB

/// Where a record stands among the others of its table, in the order of some sort descriptors and then of its key.
///
/// It compares as SQLite does: what has no value first, then numbers, then texts by their bytes. Places of two orders
/// are never equal; only those of one can be sorted.
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
