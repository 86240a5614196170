public import GRDB

/// A record of what a site or an account has told. Columns of its own name it, the site among them where there is one,
/// so that the same number at two sites is two records. It may have children, and may be forgotten.
public protocol KeyedObject: ForgettableObject where Columns: Sendable {
    /// The columns to ask and to sort by, each a ``RecordColumn``.
    static var columns: Columns { get }

    /// The columns that name a record.
    static var keyColumnNames: [String] { get }

    /// The values of ``keyColumnNames``, in their order.
    var keyValues: [any DatabaseValueConvertible] { get }

    static var keyedStatements: KeyedStatements { get }

    /// The lists of other records that belong to a record.
    static var relationships: [Relationship<Self>] { get }
}

extension KeyedObject {
    public static var statements: RecordStatements { keyedStatements.record }

    /// The one record that has this one's key.
    public var keyPredicate: StoragePredicate {
        zip(Self.keyColumnNames, keyValues).map { StoragePredicate("\"\($0)\" = ?", $1) }.reduce(.all) { $0 && $1 }
    }
}
