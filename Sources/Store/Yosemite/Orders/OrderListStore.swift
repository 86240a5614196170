public import Concurrency
public import Determinism
public import Networking
public import Storage

/// The lists of orders that are on display. A list is read and followed while somebody subscribes to its query; equal
/// queries share one list.
public final class OrderListStore: Sendable {
    private let queries: QueryStore<OrderListState, OrderListQuery>

    /// - Parameters:
    ///   - storage: the database with the orders.
    ///   - time: the clock for ``ListWatch``, which looks for commits of other processes.
    public init(storage: any StorageManagerType, time: any TimeSource) {
        let state = StatefulStore(OrderListState())
        let tasks = QueryTasks<OrderListQuery> { query in
            let updates = ListWatch(ofSite: query.siteID, matching: query.orders, in: storage, time: time).updates()
            do {
                for try await update in updates { state.transaction { $0.note(.success(update), for: query) } }
            } catch {
                let reason = error as? StorageError ?? .failed(path: "", code: 0, message: "\(error)")
                state.transaction { $0.note(.failure(reason), for: query) }
            }
        } onEnd: { query in
            state.transaction { $0.lists[query] = nil }
        }
        queries = QueryStore(state) { tasks.follow($0) }
    }

    /// The current lists.
    public var state: OrderListState { queries.state.state }

    /// Calls `notify` with the list as it is now, when it has been read, and after every change, until the subscription
    /// ends.
    public func query(
        _ query: OrderListQuery, notify: @escaping @Sendable (OrderList) -> Void
    ) -> Subscription {
        queries.query(query, select: { $0.lists[query] }) { if let list = $0 { notify(list) } }
    }

    /// Follows a list until the stream's task is canceled. The first update has the orders that are there, and no
    /// changes. The stream throws ``StorageError``.
    public func updates(of query: OrderListQuery) -> WatchUpdate<Order>.Stream {
        .produced { continuation in
            let (lists, feed) = AsyncStream.makeStream(of: OrderList.self)
            let subscription = self.query(query) { feed.yield($0) }
            defer { subscription.cancel() }
            var isFirst = true
            for await list in lists {
                let update = try list.latest.get()
                continuation.yield(isFirst ? WatchUpdate(rows: update.rows, changes: []) : update)
                isFirst = false
            }
        }
    }
}

/// The lists that have a subscription and have been read, by query.
public struct OrderListState: Equatable, Sendable {
    public internal(set) var lists: [OrderListQuery: OrderList] = [:]

    mutating func note(_ update: Result<WatchUpdate<Order>, StorageError>, for query: OrderListQuery) {
        lists[query] = OrderList(number: (lists[query]?.number ?? 0) + 1, latest: update)
    }
}

/// A list of orders and its latest changes.
public struct OrderList: Equatable, Sendable {
    /// The number of updates so far, so that equal updates differ.
    public let number: UInt64
    /// The orders, newest first, with the latest changes; the error that ended the list.
    public let latest: Result<WatchUpdate<Order>, StorageError>
}

/// Selects the orders of a list.
public struct OrderListQuery: Hashable, Sendable {
    public let siteID: Int64
    public let orders: OrderQuery

    /// Selects the stored orders of one site that match a query.
    public init(siteID: Int64, orders: OrderQuery) { (self.siteID, self.orders) = (siteID, orders) }
}
