import Synchronization

/// A ``StatefulStore`` with a set of active queries, so that it loads only the needed parts of its state.
///
/// A caller adds a query and keeps the subscription; releasing it ends the query. The store is notified when the set of
/// active queries changes, and decides which data to load.
public final class QueryStore<State: Sendable, Query: Hashable & Sendable>: Sendable {
    private struct Active {
        let query: Query
        var subscriptions: Int
    }

    private struct Content {
        var active: [Active] = []
        var hasNews = false
        var isTelling = false
    }

    /// The state that the queries read.
    public let state: StatefulStore<State>
    private let queriesChanged: @Sendable (_ active: [Query]) -> Void
    private let content = Mutex(Content())

    /// - Parameters:
    ///   - state: the store of the state.
    ///   - queriesChanged: called with the active queries, without repetitions, in the order in which they became
    ///     active, when the set changes or after ``refresh()``. Calls do not overlap; one call covers all changes
    ///     before it.
    public init(_ state: StatefulStore<State>, queriesChanged: @escaping @Sendable (_ active: [Query]) -> Void) {
        self.state = state
        self.queriesChanged = queriesChanged
    }

    /// The active queries, without repetitions, in the order in which they became active.
    public var activeQueries: [Query] { content.withLock { $0.active.map(\.query) } }

    /// Makes `query` active until the subscription ends.
    public func query(_ query: Query) -> Subscription {
        change { content in
            if let index = content.active.firstIndex(where: { $0.query == query }) {
                content.active[index].subscriptions += 1
                return false
            }
            content.active.append(Active(query: query, subscriptions: 1))
            return true
        }
        return Subscription { [weak self] in self?.end(query) }
    }

    /// Makes `query` active, and calls `notify` with the value of `select` for the state: now, and when a change makes
    /// it a different value. Both end with the subscription.
    public func query<Value: Equatable & Sendable>(
        _ query: Query, select: @escaping @Sendable (State) -> Value, notify: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        let observation = state.observe(select, notify: notify)
        let interest = self.query(query)
        return Subscription {
            observation.cancel()
            interest.cancel()
        }
    }

    /// Reports the active queries again, for example to reload their data.
    public func refresh() { change { _ in true } }

    private func end(_ query: Query) {
        change { content in
            guard let index = content.active.firstIndex(where: { $0.query == query }) else { return false }
            content.active[index].subscriptions -= 1
            guard content.active[index].subscriptions == 0 else { return false }
            content.active.remove(at: index)
            return true
        }
    }

    /// Runs `body` and, when it returns true, reports the changed set of queries.
    private func change(_ body: (inout Content) -> Bool) {
        content.withLock { content in
            if body(&content) { content.hasNews = true }
        }
        var isMine = false
        while true {
            let active = content.withLock { content -> [Query]? in
                guard isMine || !content.isTelling else { return nil }
                isMine = content.hasNews
                content.isTelling = isMine
                content.hasNews = false
                return isMine ? content.active.map(\.query) : nil
            }
            guard let active else { return }
            queriesChanged(active)
        }
    }
}

/// Runs one task for each active query of a ``QueryStore``, for example to load and follow its data.
public final class QueryTasks<Query: Hashable & Sendable>: Sendable {
    private let running = Mutex<[Query: Task<Void, Never>]>([:])
    private let work: @Sendable (Query) async -> Void
    private let onEnd: @Sendable (Query) -> Void

    /// - Parameters:
    ///   - work: what the task of a query does. It should end early when its task is canceled.
    ///   - onEnd: called when a query is no longer active, after its task was canceled.
    public init(
        _ work: @escaping @Sendable (Query) async -> Void, onEnd: @escaping @Sendable (Query) -> Void
    ) {
        (self.work, self.onEnd) = (work, onEnd)
    }

    deinit { running.withLock { $0.values.forEach { $0.cancel() } } }

    /// Begins the tasks of new queries, and cancels those of queries that are no longer active.
    public func follow(_ active: [Query]) {
        let ended = running.withLock { running in
            let ended = running.filter { !active.contains($0.key) }
            for query in ended.keys { running[query] = nil }
            for query in active where running[query] == nil {
                running[query] = Task { [work] in await work(query) }
            }
            return ended
        }
        for (query, task) in ended {
            task.cancel()
            onEnd(query)
        }
    }
}
