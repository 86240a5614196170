public import Flux
public import Hardware
internal import Synchronization

/// The card reader as those see it who show it: one state, of which everybody asks for the part that he needs.
///
/// Nothing is followed that nobody asks for. A query lasts as long as its subscription.
public final class ReaderSession: Sendable {
    private let queries: QueryStore<ReaderSessionState, ReaderSessionQuery>

    /// - Parameter service: has the reader.
    public init(_ service: any CardReaderService) {
        let state = StatefulStore(ReaderSessionState())
        let feeds = Feeds(service, state)
        queries = QueryStore(state) { feeds.follow($0) }
    }

    /// What is known now.
    public var state: ReaderSessionState { queries.state.state }

    /// Has `notify` called with what `select` makes of the state: now, and whenever it becomes something else. Calls do not
    /// overlap and none is left out; they end with the subscription.
    public func query<Value: Equatable & Sendable>(
        _ query: ReaderSessionQuery, select: @escaping @Sendable (ReaderSessionState) -> Value,
        notify: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        queries.query(query, select: select, notify: notify)
    }

    /// Waits until everything that is asked for is followed: what happens from then on is seen. Returns early when the task
    /// is cancelled.
    public func settle() async {
        let wanted = Set(queries.activeQueries)
        await wait { wanted.isSubset(of: $0.followed) }
    }

    /// Waits until the state is as `isReached` wants it; those who asked before this have been told by then. Returns early
    /// when the task is cancelled.
    public func wait(until isReached: @escaping @Sendable (ReaderSessionState) -> Bool) async {
        for await reached in queries.state.values(isReached) where reached { return }
    }
}

/// Brings what the reader service tells into the state, as long as it is wanted.
private final class Feeds: Sendable {
    private let service: any CardReaderService
    private let state: StatefulStore<ReaderSessionState>
    private let running = Mutex<[ReaderSessionQuery: Task<Void, Never>]>([:])

    init(_ service: any CardReaderService, _ state: StatefulStore<ReaderSessionState>) {
        (self.service, self.state) = (service, state)
    }

    deinit { running.withLock { $0.values.forEach { $0.cancel() } } }

    func follow(_ wanted: [ReaderSessionQuery]) {
        let ended = running.withLock { running in
            let ended = running.filter { !wanted.contains($0.key) }
            for query in ended.keys { running[query] = nil }
            for query in wanted where running[query] == nil {
                running[query] = Task { [service, state] in await Self.feed(query, service, state) }
            }
            return ended
        }
        for (query, task) in ended {
            task.cancel()
            state.transaction { _ = $0.followed.remove(query) }
        }
    }

    private static func feed(
        _ query: ReaderSessionQuery, _ service: any CardReaderService, _ state: StatefulStore<ReaderSessionState>
    ) async {
        switch query {
        case .connection:
            await feed(query, await service.connectedReaders, state) { $0.reader = $1.first }
        case .reconnection:
            await feed(query, await service.reconnectionStates, state) { $0.reconnection = $1 }
        case .update:
            await feed(query, await service.softwareUpdateEvents, state) { $0.update = $1 }
        case .events:
            await feed(query, await service.readerEvents, state) { $0.note($1) }
        }
    }

    private static func feed<Value: Sendable>(
        _ query: ReaderSessionQuery, _ values: AsyncStream<Value>, _ state: StatefulStore<ReaderSessionState>,
        _ note: @Sendable (inout ReaderSessionState, Value) -> Void
    ) async {
        guard !Task.isCancelled else { return }
        state.transaction { _ = $0.followed.insert(query) }
        for await value in values { state.transaction { note(&$0, value) } }
    }
}
