/// A column of a record, for conditions and sorting: `$0.siteID == 7 && $0.status != "trash"`.
///
/// Conditions mean what they mean in Swift: nothing equals nothing, differs from every value, and is neither smaller nor
/// larger than any. Texts are equal when their bytes are, and sort by them. Amounts are compared by value: 33.3 equals
/// 33.30. What is compared with is never read as SQL.
public struct RecordColumn<Value: ColumnValue>: Sendable {
    /// As the table has it.
    public let name: String

    public init(_ name: String) { self.name = name }

    /// The column with the rule that its values are compared by.
    var sql: String { Value.collation.map { "\"\(name)\" COLLATE \($0)" } ?? "\"\(name)\"" }

    // MARK: Sorting

    /// The smallest value first, and what has no value before it.
    public var ascending: StorageSortDescriptor { StorageSortDescriptor(sql: sql, term: term(isAscending: true)) }

    /// The largest value first, and what has no value last.
    public var descending: StorageSortDescriptor {
        StorageSortDescriptor(sql: "\(sql) DESC", term: term(isAscending: false))
    }

    private func term(isAscending: Bool) -> SortTerm {
        SortTerm(column: name, isAscending: isAscending, isDecimal: Value.collation == DecimalCollation.name)
    }

    // MARK: Conditions

    /// Nothing is stored.
    public var isNull: StoragePredicate { StoragePredicate("\"\(name)\" IS NULL") }

    /// Something is stored.
    public var isNotNull: StoragePredicate { StoragePredicate("\"\(name)\" IS NOT NULL") }

    /// One of these values is stored.
    public func isIn(_ values: some Sequence<Value>) -> StoragePredicate {
        // One text for all of them: a statement stays the same however many there are.
        compared("IN (SELECT value FROM json_each(?))", with: JSONList.text(values))
    }

    public static func == (column: Self, value: Value?) -> StoragePredicate {
        value.map { StoragePredicate("\(column.sql) IS ?", $0) } ?? column.isNull
    }

    public static func != (column: Self, value: Value?) -> StoragePredicate {
        value.map { StoragePredicate("\(column.sql) IS NOT ?", $0) } ?? column.isNotNull
    }

    /// What SQLite leaves undecided when nothing is stored does not hold, so that `!` turns it round.
    private func compared(_ comparison: String, with value: some ColumnValue) -> StoragePredicate {
        StoragePredicate("(\"\(name)\" IS NOT NULL AND \(sql) \(comparison))", value)
    }
}

extension RecordColumn where Value: OrderedColumnValue {
    public static func < (column: Self, value: Value) -> StoragePredicate { column.compared("< ?", with: value) }

    public static func <= (column: Self, value: Value) -> StoragePredicate { column.compared("<= ?", with: value) }

    public static func > (column: Self, value: Value) -> StoragePredicate { column.compared("> ?", with: value) }

    public static func >= (column: Self, value: Value) -> StoragePredicate { column.compared(">= ?", with: value) }
}

extension RecordColumn<String> {
    /// The text is somewhere in what is stored, in whatever case its letters are. An empty text is in everything.
    public func contains(_ text: String) -> StoragePredicate {
        StoragePredicate("\(TextSearch.name)(\"\(name)\", ?)", text.lowercased())
    }

    public static func == <Word: RawRepresentable<String>>(column: Self, word: Word) -> StoragePredicate {
        column == word.rawValue
    }

    public static func != <Word: RawRepresentable<String>>(column: Self, word: Word) -> StoragePredicate {
        column != word.rawValue
    }

    /// One of these words is stored.
    public func isIn<Word: RawRepresentable<String>>(_ words: some Sequence<Word>) -> StoragePredicate {
        isIn(words.map(\.rawValue))
    }
}
