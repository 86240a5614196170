public import Storage
import Synchronization

/// Maintains the list of stored objects that match a request, and reports how every commit changes it.
///
/// It can be used from any task. The thread that commits reports the change, after the commit and before
/// ``StorageManagerType/performAndSave(_:)`` returns, unless another thread is reporting at that moment; then that one
/// reports it too. Callbacks are therefore called one at a time, in the order of the commits. They may use the
/// database, and should return soon. Call ``refresh()`` to see commits of other processes.
///
/// Only rows written by a commit are read again. Parts of an object, such as the items of an order, belong to it:
/// changing them updates the object. Writing the same values is no update.
public final class ResultsController<Model: ObservableModel>: Sendable {
    /// The list. It is used only between commits, so that commits do not wait for it.
    private struct Fetched {
        var request: ResultsRequest<Model>
        var list: ResultsList<Model>?
        /// Whether a change was missed.
        var isStale = false
    }

    /// The reported state.
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

    /// Creates a controller that is empty until ``performFetch()``.
    public init(_ request: ResultsRequest<Model>, in storage: any StorageManagerType) {
        self.storage = storage
        fetched = Mutex(Fetched(request: request))
    }

    deinit {
        for follower in shown.withLock({ Array($0.followers.values) }) { follower.finish() }
    }

    // MARK: Fetching

    /// The current request.
    public var request: ResultsRequest<Model> { fetched.withLock { $0.request } }

    /// Fetches the objects, and follows the database from then on, without missing a commit in between. The first fetch
    /// is reported only to ``snapshots()``; later ones are the same as ``refresh()``.
    ///
    /// It waits for a running write, and must not be called inside one.
    ///
    /// - Throws: ``StorageError``; everything is then unchanged.
    public func performFetch() throws(StorageError) {
        observe()
        try fetch { _ in }
    }

    /// Reads the database again, and reports the differences. Needed after commits of other processes.
    ///
    /// - Throws: ``StorageError``; everything is then unchanged.
    public func refresh() throws(StorageError) { try performFetch() }

    /// Changes the request, and reports the differences.
    ///
    /// - Throws: ``StorageError``; everything is then unchanged.
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
                    // Nothing to report: the caller reads the list when this returns.
                    begin(with: list.snapshot)
                    return nil
                }
            }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    /// Follows one commit; no one else can write meanwhile.
    private func follow(_ changes: RowChanges, in storage: any StorageType) -> StorageNotification? {
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

    /// Returns the notification about a new list; nil when nothing changed.
    private func notice(
        from old: ResultsSnapshot<Model>, to new: ResultsSnapshot<Model>, isReset: Bool = false
    ) -> StorageNotification? {
        let change = ResultsChange(from: old, to: new, isReset: isReset)
        if change.isEmpty { return nil }
        return { [weak self] in self?.show(change) }
    }

    // MARK: Telling

    /// The closures to call when the list changes.
    public var callbacks: ResultsCallbacks<Model> {
        get { shown.withLock { $0.callbacks } }
        set { shown.withLock { $0.callbacks = newValue } }
    }

    /// Returns the list, at once when there is one, and after every change. A slow reader gets the newest list and
    /// skips others. The stream throws ``StorageError`` when the list can't follow the database, and ends with the
    /// controller.
    public func snapshots() -> AsyncThrowingStream<ResultsSnapshot<Model>, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ResultsSnapshot<Model>.self, bufferingPolicy: .bufferingNewest(1))
        let number = add(.snapshots(continuation))
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Returns every change from now on, each with the list before and after it. It throws and ends like
    /// ``snapshots()``.
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

    /// Reports the first list.
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
    /// The list as last reported. Read it once to use several values of the same moment.
    public var snapshot: ResultsSnapshot<Model> { shown.withLock { $0.snapshot } }

    /// The objects by section.
    public var sections: [ResultsSection<Model>] { snapshot.sections }

    /// All objects, section by section.
    public var fetchedObjects: [Model] { snapshot.objects }

    /// The number of objects.
    public var numberOfObjects: Int { snapshot.count }

    /// Whether there are no objects.
    public var isEmpty: Bool { snapshot.isEmpty }

    /// Returns the object at `path`; nil if there is none, for example because the list has changed.
    public func object(at path: ResultsIndexPath) -> Model? { snapshot[path] }

    /// Returns the index of the object at `path` in ``fetchedObjects``; nil if there is none.
    public func objectIndex(of path: ResultsIndexPath) -> Int? { snapshot.objectIndex(of: path) }

    /// Returns the path of the first object that meets `condition`; nil if there is none.
    public func indexPath(where condition: (Model) throws -> Bool) rethrows -> ResultsIndexPath? {
        try snapshot.indexPath(where: condition)
    }
}

/// The closures that a ``ResultsController`` calls when its list changes, in the order of the properties, one at a
/// time.
public struct ResultsCallbacks<Model: ObservableModel>: Sendable {
    /// The list is about to change: the controller still has the old one.
    public var willChangeContent: (@Sendable () -> Void)?
    /// A section was inserted or deleted: the controller has the new list.
    public var didChangeSection: (@Sendable (ResultsSectionChange) -> Void)?
    /// An object was inserted, deleted, moved or updated.
    public var didChangeObject: (@Sendable (ResultsObjectChange<Model>) -> Void)?
    /// A change was reported completely.
    public var didChangeContent: (@Sendable () -> Void)?
    /// The database was reset, and the list is read anew. No other closure is called for this change.
    public var didResetContent: (@Sendable () -> Void)?
    /// The list can't follow the database, and is unchanged. The next commit, or ``ResultsController/refresh()``,
    /// brings it up to date.
    public var didFail: (@Sendable (StorageError) -> Void)?

    /// Creates callbacks that do nothing; set those that matter.
    public init() {}
}

/// The objects that a ``ResultsController`` looks for, their order and sections.
public struct ResultsRequest<Model: ObservableModel>: Sendable {
    /// The condition; nil for all objects.
    public var predicate: StoragePredicate?
    /// The order, before that of the keys.
    public var sortDescriptors: [StorageSortDescriptor]
    /// The maximum number of objects, from the first; nil for no limit.
    public var limit: Int?
    /// Returns the name of an object's section; nil for a list without sections. It must depend only on the object.
    public var sectionName: (@Sendable (Model) -> String)?

    /// - Parameters:
    ///   - predicate: the condition on the columns of the record: `{ $0.siteID == 7 }`.
    ///   - sortDescriptors: the order: `{ [$0.dateCreatedGMT.descending] }`. Equal objects are sorted by their keys.
    ///   - limit: the maximum number of objects.
    ///   - sectionName: returns the name of an object's section.
    public init(
        matching predicate: ((Model.Record.Columns) -> StoragePredicate)? = nil,
        sortedBy sortDescriptors: (Model.Record.Columns) -> [StorageSortDescriptor] = { _ in [] },
        limit: Int? = nil, sectionedBy sectionName: (@Sendable (Model) -> String)? = nil
    ) {
        let columns = Model.Record.columns
        self.predicate = predicate?(columns)
        self.sortDescriptors = sortDescriptors(columns)
        (self.limit, self.sectionName) = (limit, sectionName)
    }
}
