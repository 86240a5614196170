public import Storage
internal import Synchronization

/// Keeps a list of the objects in the database that a request finds, and tells what every commit makes of it.
///
/// It may be used from any task. Whoever commits tells the change, after the commit and before
/// ``StorageManagerType/performAndSave(_:)`` returns to it, unless another task is telling at that moment; then that
/// one goes on to it. So callbacks are called one at a time, in the order of the commits, and they may use the
/// database; they should return soon. What another program commits is seen by ``refresh()``.
///
/// Only rows that a commit wrote are read again. An object's parts, such as the items of an order, belong to it: it is
/// updated when they change. An object that was written with the values that it had is not updated.
public final class ResultsController<Model: ReadOnlyType>: Sendable {
    /// What is found. It is only used where nobody commits, so commits do not wait for it.
    private struct Fetched {
        var request: ResultsRequest<Model>
        var list: ResultsList<Model>?
        /// Whether a change of the database was missed.
        var isStale = false
    }

    /// What has been told.
    private struct Shown {
        var snapshot = ResultsSnapshot<Model>([], hasSections: true)
        var isFetched = false
        var callbacks = ResultsCallbacks<Model>()
        var followers: [UInt64: Follower] = [:]
        var lastFollower: UInt64 = 0
    }

    private enum Follower {
        case snapshots(AsyncThrowingStream<ResultsSnapshot<Model>, any Error>.Continuation)
        case changes(AsyncThrowingStream<ResultsChange<Model>, any Error>.Continuation)

        func yield(_ change: ResultsChange<Model>) {
            switch self {
            case .snapshots(let continuation): continuation.yield(change.new)
            case .changes(let continuation): continuation.yield(change)
            }
        }

        func finish(_ error: StorageError? = nil) {
            switch self {
            case .snapshots(let continuation): continuation.finish(throwing: error)
            case .changes(let continuation): continuation.finish(throwing: error)
            }
        }
    }

    private let storage: any StorageManagerType
    private let fetched: Mutex<Fetched>
    private let shown = Mutex(Shown())
    private let observation = Mutex<StorageObservation?>(nil)

    /// Makes a controller that shows nothing until ``performFetch()``.
    public init(_ request: ResultsRequest<Model>, in storage: any StorageManagerType) {
        self.storage = storage
        fetched = Mutex(Fetched(request: request))
    }

    deinit {
        for follower in shown.withLock({ Array($0.followers.values) }) { follower.finish() }
    }

    // MARK: Fetching

    /// What it looks for.
    public var request: ResultsRequest<Model> { fetched.withLock { $0.request } }

    /// Fetches the objects, and follows the database from then on: no commit is missed in between. The first time
    /// nothing is told but to those who read ``snapshots()``; after that it is ``refresh()``.
    ///
    /// It waits for a write that is going on, and may not be called inside one.
    ///
    /// - Throws: ``StorageError``; then everything is as it was.
    public func performFetch() throws(StorageError) {
        observe()
        try fetch { _ in }
    }

    /// Looks at the database again, and tells what is different, as when another program has written into it.
    ///
    /// - Throws: ``StorageError``; then everything is as it was.
    public func refresh() throws(StorageError) { try performFetch() }

    /// Looks for something else, or shows it in another way, and tells what is different.
    ///
    /// - Throws: ``StorageError``; then everything is as it was.
    public func change(_ body: (inout ResultsRequest<Model>) -> Void) throws(StorageError) {
        observe()
        try fetch(body)
    }

    private func observe() {
        observation.withLock { observation in
            guard observation == nil else { return }
            observation = storage.observe(Model.Record.self) { [weak self] changes, storage in
                self?.follow(changes, in: storage)
            }
        }
    }

    private func fetch(_ change: (inout ResultsRequest<Model>) -> Void) throws(StorageError) {
        do {
            try storage.readBetweenCommits { storage in
                try fetched.withLock { fetched in
                    var request = fetched.request
                    change(&request)
                    let old = fetched.list
                    var list = old?.with(request) ?? ResultsList(request)
                    try list.readAll(from: storage)
                    fetched = Fetched(request: request, list: list)
                    if let old { return notice(from: old.snapshot, to: list.snapshot) }
                    // Nothing waits to be told: whoever asked finds the list when this returns.
                    begin(with: list.snapshot)
                    return nil
                }
            }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    /// Follows one commit, while nobody else can write.
    private func follow(_ changes: RowChanges, in storage: any StorageType) -> StorageNotice? {
        fetched.withLock { fetched in
            guard let old = fetched.list?.snapshot else { return nil }
            do {
                if fetched.isStale {
                    try fetched.list?.readAll(from: storage)
                } else {
                    try fetched.list?.follow(changes, in: storage)
                }
                fetched.isStale = false
                return notice(from: old, to: fetched.list?.snapshot ?? old, isReset: changes.isReset)
            } catch {
                fetched.isStale = true
                let failure = StorageError(error, path: self.storage.path ?? ":memory:")
                return { [weak self] in self?.fail(failure) }
            }
        }
    }

    /// What has to be told of a new list; nil when there is nothing.
    private func notice(
        from old: ResultsSnapshot<Model>, to new: ResultsSnapshot<Model>, isReset: Bool = false
    ) -> StorageNotice? {
        let change = ResultsChange(from: old, to: new, isReset: isReset)
        if change.isEmpty { return nil }
        return { [weak self] in self?.show(change) }
    }

    // MARK: Telling

    /// What is called when the list changes.
    public var callbacks: ResultsCallbacks<Model> {
        get { shown.withLock { $0.callbacks } }
        set { shown.withLock { $0.callbacks = newValue } }
    }

    /// The list as it is, at once when there is one, and after every change. A reader that is slow gets the newest and
    /// misses those between. It throws ``StorageError``, and ends, when the list cannot follow the database; it ends
    /// with the controller.
    public func snapshots() -> AsyncThrowingStream<ResultsSnapshot<Model>, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ResultsSnapshot<Model>.self, bufferingPolicy: .bufferingNewest(1))
        let number = add(.snapshots(continuation))
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Every change from now on, each with the list before and after it. It throws and ends as ``snapshots()`` does.
    public func changes() -> AsyncThrowingStream<ResultsChange<Model>, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ResultsChange<Model>.self)
        let number = add(.changes(continuation))
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func add(_ follower: Follower) -> UInt64 {
        shown.withLock { shown in
            if case .snapshots(let continuation) = follower, shown.isFetched { continuation.yield(shown.snapshot) }
            shown.lastFollower += 1
            shown.followers[shown.lastFollower] = follower
            return shown.lastFollower
        }
    }

    private func remove(_ number: UInt64) { _ = shown.withLock { $0.followers.removeValue(forKey: number) } }

    /// Shows the first list.
    private func begin(with snapshot: ResultsSnapshot<Model>) {
        shown.withLock { shown in
            (shown.snapshot, shown.isFetched) = (snapshot, true)
            for case .snapshots(let continuation) in shown.followers.values { continuation.yield(snapshot) }
        }
    }

    private func show(_ change: ResultsChange<Model>) {
        let callbacks = callbacks
        if !change.isReset { callbacks.willChangeContent?() }
        shown.withLock { shown in
            shown.snapshot = change.new
            for follower in shown.followers.values { follower.yield(change) }
        }
        if change.isReset {
            callbacks.didResetContent?()
        } else {
            change.sections.forEach { callbacks.didChangeSection?($0) }
            change.objects.forEach { callbacks.didChangeObject?($0) }
            callbacks.didChangeContent?()
        }
    }

    private func fail(_ error: StorageError) {
        let (callbacks, followers) = shown.withLock { shown in
            defer { shown.followers = [:] }
            return (shown.callbacks, Array(shown.followers.values))
        }
        callbacks.didFail?(error)
        for follower in followers { follower.finish(error) }
    }
}

// MARK: Reading

extension ResultsController {
    /// The list as it was told last. Take it once to look at several things of one moment.
    public var snapshot: ResultsSnapshot<Model> { shown.withLock { $0.snapshot } }

    /// The objects by section.
    public var sections: [ResultsSection<Model>] { snapshot.sections }

    /// All objects, one section after the other.
    public var fetchedObjects: [Model] { snapshot.objects }

    /// How many objects there are.
    public var numberOfObjects: Int { snapshot.count }

    /// Whether there is no object.
    public var isEmpty: Bool { snapshot.isEmpty }

    /// The object at `path`; nil where there is none, be it that the list has changed since.
    public func object(at path: ResultsIndexPath) -> Model? { snapshot[path] }

    /// The number that the object at `path` has in ``fetchedObjects``; nil where there is none.
    public func objectIndex(of path: ResultsIndexPath) -> Int? { snapshot.objectIndex(of: path) }

    /// Where the first object is that `condition` means; nil when there is none.
    public func indexPath(where condition: (Model) throws -> Bool) rethrows -> ResultsIndexPath? {
        try snapshot.indexPath(where: condition)
    }
}
