public import GRDB

/// Which records are meant: an SQL condition with its values apart, so that a value is never read as SQL.
public struct StoragePredicate: Sendable {
    let condition: String
    let arguments: StatementArguments

    /// - Parameters:
    ///   - condition: an SQL condition over the columns of one table, with `?` for each value.
    ///   - values: the values, in the order of their marks.
    public init(_ condition: String, _ values: (any DatabaseValueConvertible)?...) {
        self.condition = condition
        arguments = StatementArguments(values)
    }

    private init(condition: String, arguments: StatementArguments) {
        (self.condition, self.arguments) = (condition, arguments)
    }

    /// The records that both conditions mean.
    public func and(_ other: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "(\(condition)) AND (\(other.condition))", arguments: arguments + other.arguments)
    }
}
