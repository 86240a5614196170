public import Storage
internal import Synchronization

/// Watches one object in the database, the one with the key of a read-only value, until it is let go of.
///
/// Closures are called as those of a ``ResultsController`` are: by whoever commits, after the commit, one at a time.
/// What another program commits is seen by ``refresh()``.
public final class EntityListener<Model: ReadOnlyType>: Sendable {
    private enum Standing: Equatable {
        /// The database has still to be looked at, for the first time or because that failed.
        case unknown
        case absent
        case stored(row: Int64)
    }

    private struct Known {
        var entity: Model
        var standing = Standing.unknown
    }

    private let storage: any StorageManagerType
    private let key: StoragePredicate
    private let known: Mutex<Known>
    private let observation = Mutex<StorageObservation?>(nil)
    private let onUpsert: @Sendable (Model) -> Void
    private let onDelete: @Sendable () -> Void
    private let onFailure: @Sendable (StorageError) -> Void

    /// Begins to watch. When something else is stored than `entity` says, that is told at once.
    ///
    /// - Parameters:
    ///   - entity: the object as its holder knows it. It may be one that is not stored yet.
    ///   - storage: where it is kept.
    ///   - onUpsert: gets the object when it is stored or changed, and not when it is written with the values that it
    ///     has.
    ///   - onDelete: called when it is stored no longer.
    ///   - onFailure: called when the object cannot be read; the next commit tries again.
    /// - Throws: ``StorageError``
    public init(
        _ entity: Model, in storage: any StorageManagerType, onUpsert: @escaping @Sendable (Model) -> Void,
        onDelete: @escaping @Sendable () -> Void = {}, onFailure: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        (self.storage, key) = (storage, Model.Record(entity).keyPredicate)
        known = Mutex(Known(entity: entity))
        (self.onUpsert, self.onDelete, self.onFailure) = (onUpsert, onDelete, onFailure)
        let observation = storage.observe(Model.Record.self) { [weak self] changes, storage in
            self?.follow(changes, in: storage)
        }
        self.observation.withLock { $0 = observation }
        try refresh()
    }

    /// The object as it was last known: as it is stored, or as it was before it was deleted.
    public var entity: Model { known.withLock { $0.entity } }

    /// Looks at the database again, as when another program has written into it. It may not be called inside a write.
    ///
    /// - Throws: ``StorageError``
    public func refresh() throws(StorageError) {
        do {
            try storage.readBetweenCommits { storage in try known.withLock { try look(&$0, in: storage) } }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    /// Follows one commit, while nobody else can write.
    private func follow(_ changes: RowChanges, in storage: any StorageType) -> StorageNotice? {
        known.withLock { known in
            if case .stored(let row) = known.standing, !changes.isReset, !changes.written.contains(row),
                !changes.deleted.contains(row)
            {
                return nil
            }
            do { return try look(&known, in: storage) } catch {
                known.standing = .unknown
                let failure = StorageError(error, path: self.storage.path ?? ":memory:")
                return { [weak self] in self?.onFailure(failure) }
            }
        }
    }

    /// - Returns: what has to be told; nil when there is nothing.
    private func look(_ known: inout Known, in storage: any StorageType) throws -> StorageNotice? {
        let before = known.standing
        let found = try storage.rows(
            ofType: Model.Record.self, matching: key, sortedBy: [], limit: 1, among: nil
        ).first
        guard let found else {
            known.standing = .absent
            guard case .stored = before else { return nil }
            return { [weak self] in self?.onDelete() }
        }
        let entity = try found.record.toReadOnly()
        known.standing = .stored(row: found.number)
        guard entity != known.entity || before == .absent else { return nil }
        known.entity = entity
        return { [weak self] in self?.onUpsert(entity) }
    }
}
