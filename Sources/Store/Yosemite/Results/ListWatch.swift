public import Determinism
public import Storage
import Synchronization

/// A change to one row of a watched list.
public enum WatchedChange<Row: Equatable & Sendable>: Equatable, Sendable {
    /// The row is new in the list.
    case inserted(Row)
    /// The row has other values. It may have left the list because it no longer matches.
    case updated(Row)
    /// The row was deleted from the database; its last values.
    case deleted(Row)

    /// The row with its values after the change; before it when the row was deleted.
    public var row: Row {
        switch self {
        case .inserted(let row), .updated(let row), .deleted(let row): row
        }
    }
}

/// A watched list after a change. The first update of a watch has the rows that are there, and no changes.
public struct WatchUpdate<Row: Equatable & Sendable>: Equatable, Sendable {
    /// The list now, in its order.
    public let rows: [Row]
    /// The changes that led to it, oldest row first. Rows that a limit moves in or out are not among them.
    public let changes: [WatchedChange<Row>]
}

extension WatchUpdate {
    /// The updates of a watch. The stream ends when its task is canceled, and throws ``StorageError``.
    public typealias Stream = AsyncThrowingStream<WatchUpdate<Row>, any Error>
}

/// Follows a list in the database. Commits of this program are seen at once, commits of other processes at an interval.
public struct ListWatch<Model: ObservableModel>: Sendable {
    private let request: ResultsRequest<Model>
    private let source: WatchSource

    /// - Parameters:
    ///   - request: the rows to follow and their order, without sections.
    ///   - storage: the database.
    ///   - time: the clock for the interval.
    ///   - interval: the time between two looks for commits of other processes.
    public init(
        _ request: ResultsRequest<Model>, in storage: any StorageManagerType, time: any TimeSource,
        interval: Duration = .milliseconds(500)
    ) {
        self.request = request
        source = WatchSource(storage: storage, time: time, interval: interval)
    }

    /// Follows the list until the stream's task is canceled.
    public func updates() -> WatchUpdate<Model>.Stream {
        source.updates { continuation in
            let controller = ResultsController<Model>(request, in: source.storage)
            let changes = controller.changes()
            try controller.performFetch()
            continuation.yield(WatchUpdate(rows: controller.fetchedObjects, changes: []))
            return WatchSource.Following {
                try controller.refresh()
            } run: {
                for try await change in changes { continuation.yield(try update(change)) }
            }
        }
    }

    private func update(_ change: ResultsChange<Model>) throws -> WatchUpdate<Model> {
        var (changes, vacated): ([WatchedChange<Model>], Int) = ([], 0)
        var inserted: [(item: Int, model: Model)] = []
        for object in change.objects {
            switch object {
            case .insert(let model, let path): inserted.append((path.item, model))
            case .move(let model, let from, _), .update(let model, let from, _):
                if change.old[from] != model { changes.append(.updated(model)) }
            case .delete(let model, _):
                let stored = try stored(model)
                // A row with the values it had was only pushed out by newer ones.
                guard stored != model else { continue }
                vacated += 1
                changes.append(stored.map { .updated($0) } ?? .deleted(model))
            }
        }
        // Rows from behind the limit move up into the places of those that left. They are not new.
        if let limit = request.limit, change.old.count >= limit {
            inserted.sort { $0.item < $1.item }
            while vacated > 0, let last = inserted.last, last.item >= change.new.count - vacated {
                inserted.removeLast()
                vacated -= 1
            }
        }
        changes += inserted.sorted { $0.item > $1.item }.map { .inserted($0.model) }
        return WatchUpdate(rows: change.new.objects, changes: changes)
    }

    /// The row as it is stored, whether or not the request finds it; nil when it is gone.
    private func stored(_ model: Model) throws -> Model? {
        try source.storage.read { storage in
            try storage.rows(
                ofType: Model.Record.self, matching: Model.Record(model).keyPredicate, sortedBy: [], limit: 1,
                among: nil
            ).first?.record.toReadOnly()
        }
    }
}

/// Follows one row of the database, as ``ListWatch`` follows many.
public struct EntityWatch<Model: ObservableModel>: Sendable {
    private let entity: Model
    private let source: WatchSource

    /// - Parameters:
    ///   - entity: the row to follow, with its last known values.
    ///   - storage: the database.
    ///   - time: the clock for the interval.
    ///   - interval: the time between two looks for commits of other processes.
    public init(
        _ entity: Model, in storage: any StorageManagerType, time: any TimeSource,
        interval: Duration = .milliseconds(500)
    ) {
        self.entity = entity
        source = WatchSource(storage: storage, time: time, interval: interval)
    }

    /// Follows the row until the stream's task is canceled. A row that is stored again after it was deleted is
    /// inserted.
    public func updates() -> WatchUpdate<Model>.Stream {
        source.updates { continuation in
            let isDeleted = Mutex(false)
            let last = Mutex(entity)
            continuation.yield(WatchUpdate(rows: [entity], changes: []))
            let listener = try EntityListener(entity, in: source.storage) { entity in
                last.withLock { $0 = entity }
                let wasDeleted = isDeleted.withLock { isDeleted in
                    defer { isDeleted = false }
                    return isDeleted
                }
                continuation.yield(
                    WatchUpdate(rows: [entity], changes: [wasDeleted ? .inserted(entity) : .updated(entity)]))
            } onDelete: {
                isDeleted.withLock { $0 = true }
                continuation.yield(WatchUpdate(rows: [], changes: [.deleted(last.withLock { $0 })]))
            } onFailure: {
                continuation.finish(throwing: $0)
            }
            return WatchSource.Following { try listener.refresh() }
        }
    }
}

/// The database of a watch, and how often it is asked for commits of other processes.
struct WatchSource: Sendable {
    /// A watch that has begun.
    struct Following: Sendable {
        /// Looks at the database again, after another process has committed.
        let refresh: @Sendable () throws -> Void
        /// Hands changes on until the task is canceled; nil when callbacks do so.
        let run: (@Sendable () async throws -> Void)?

        init(refresh: @escaping @Sendable () throws -> Void, run: (@Sendable () async throws -> Void)? = nil) {
            (self.refresh, self.run) = (refresh, run)
        }
    }

    let storage: any StorageManagerType
    let time: any TimeSource
    let interval: Duration

    /// Begins a watch, and follows commits until the stream's task is canceled.
    func updates<Row: Equatable & Sendable>(
        _ begin: @escaping @Sendable (WatchUpdate<Row>.Stream.Continuation) throws -> Following
    ) -> WatchUpdate<Row>.Stream {
        .produced { continuation in
            // Before the rows are read, so that no commit falls in between.
            let version = try storage.externalVersion()
            let following = try begin(continuation)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await poll(from: version, following.refresh) }
                if let run = following.run { group.addTask { try await run() } }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// SQLite announces commits to the process that makes them, and to no other.
    private func poll(from first: Int64, _ refresh: @Sendable () throws -> Void) async throws {
        var version = first
        while true {
            try await time.sleep(for: interval)
            let current = try storage.externalVersion()
            guard current != version else { continue }
            version = current
            try refresh()
        }
    }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
    /// Returns a stream with the elements that `work` yields. `work` is canceled when the stream is no longer read; the
    /// stream ends when `work` returns or is canceled, and throws what `work` throws.
    static func produced(by work: @escaping @Sendable (Continuation) async throws -> Void) -> Self {
        let (stream, continuation) = makeStream()
        let task = Task {
            do {
                try await work(continuation)
                continuation.finish()
            } catch is CancellationError {
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
