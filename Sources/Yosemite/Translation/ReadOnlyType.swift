public import Storage

/// A read-only value that is kept as a record.
public protocol ReadOnlyType: Hashable, Sendable {
    /// How it is kept.
    associatedtype Record: KeyedObject & ReadOnlyConvertible where Record.ReadOnly == Self

    /// Whether both are about the same thing, whatever they say of it.
    func isReadOnlyRepresentation(of record: Record) -> Bool
}
