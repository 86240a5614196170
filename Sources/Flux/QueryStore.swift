internal import Synchronization

/// A ``StatefulStore`` that knows which part of its state is wanted by whom, so that it gets that part and no other.
///
/// Whoever wants something states a query and keeps the subscription; when it lets go of it, the query ends. The
/// store is told whenever the set of active queries is another one, and decides what to get, or what to stop getting.
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

    /// The state that the queries look at.
    public let state: StatefulStore<State>
    private let queriesChanged: @Sendable (_ active: [Query]) -> Void
    private let content = Mutex(Content())

    /// - Parameters:
    ///   - state: where the state is.
    ///   - queriesChanged: called with the active queries, each once, in the order in which they became active,
    ///     when that set is another one or ``refresh()`` asks for it. Calls do not overlap; a call stands for
    ///     all changes before it.
    public init(_ state: StatefulStore<State>, queriesChanged: @escaping @Sendable (_ active: [Query]) -> Void) {
        self.state = state
        self.queriesChanged = queriesChanged
    }

    /// The queries that somebody wants answered now, each once, in the order in which they became active.
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

    /// Makes `query` active, and has `notify` called with what `select` makes of the state: now, and whenever a
    /// change makes something else of it. Both end with the subscription.
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

    /// Has the store look at its active queries again though they are the same, as when somebody asks for fresh data.
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

    /// Carries out `body`, which says whether the set of queries is another one, and tells of it.
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
