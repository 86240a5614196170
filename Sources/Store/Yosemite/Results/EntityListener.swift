public import Storage
import Synchronization

/// Follows one object in the database, by its key, until the listener is released.
///
/// Closures are called like those of a ``ResultsController``: on the thread that commits, after the commit, one at a
/// time. Call ``refresh()`` to see commits of other processes.
public final class EntityListener<Model: ObservableModel>: Sendable {
    private enum Standing: Equatable {
        /// The database has not been read yet, or reading it failed.
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

    /// Begins to follow an object. If the stored object differs from `entity`, a closure is called at once.
    ///
    /// - Parameters:
    ///   - entity: the object with its last known values. It need not be stored yet.
    ///   - storage: the database.
    ///   - onUpsert: called with the object when it is stored or changed. Writing the same values does not count.
    ///   - onDelete: called when the object was deleted.
    ///   - onFailure: called when the object can't be read; the next commit tries again.
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

    /// The last known values: as stored, or as before the deletion.
    public var entity: Model { known.withLock { $0.entity } }

    /// Reads the database again, for commits of other processes. Not to be called inside a write.
    ///
    /// - Throws: ``StorageError``
    public func refresh() throws(StorageError) {
        do {
            try storage.readBetweenCommits { storage in try known.withLock { try look(&$0, in: storage) } }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    /// Follows one commit; no one else can write meanwhile.
    private func follow(_ changes: RowChanges, in storage: any StorageType) -> StorageNotification? {
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

    /// - Returns: the notification to deliver; nil for none.
    private func look(_ known: inout Known, in storage: any StorageType) throws -> StorageNotification? {
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
