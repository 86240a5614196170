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

    /// Every record.
    public static let all = StoragePredicate("TRUE")

    /// The records that both conditions mean.
    public func and(_ other: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "(\(condition)) AND (\(other.condition))", arguments: arguments + other.arguments)
    }

    /// The records that at least one condition means.
    public func or(_ other: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "(\(condition)) OR (\(other.condition))", arguments: arguments + other.arguments)
    }

    public static func && (first: StoragePredicate, second: StoragePredicate) -> StoragePredicate { first.and(second) }

    public static func || (first: StoragePredicate, second: StoragePredicate) -> StoragePredicate { first.or(second) }

    /// The records that the condition does not mean. Conditions of ``RecordColumn`` are never undecided.
    public static prefix func ! (predicate: StoragePredicate) -> StoragePredicate {
        StoragePredicate(condition: "NOT (\(predicate.condition))", arguments: predicate.arguments)
    }
}
