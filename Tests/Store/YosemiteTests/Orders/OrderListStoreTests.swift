import Concurrency
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite(.timeLimit(.minutes(10))) struct OrderListStoreTests {
    /// The lists that a subscriber got.
    private struct Lists {
        private let subscription: Subscription
        private var iterator: AsyncStream<OrderList>.Iterator

        init(_ store: OrderListStore, _ query: OrderListQuery) {
            let (stream, feed) = AsyncStream.makeStream(of: OrderList.self)
            iterator = stream.makeAsyncIterator()
            subscription = store.query(query) { feed.yield($0) }
        }

        mutating func next() async throws -> [Int64]? {
            try await iterator.next(isolation: #isolation)?.latest.get().rows.map(\.id)
        }

        func cancel() { subscription.cancel() }
    }

    private let shop: TestShop
    private let store: OrderListStore

    init() throws {
        shop = try TestShop()
        store = OrderListStore(storage: shop.storage, time: SteppedTime())
    }

    private func query(_ statuses: [OrderStatusEnum]? = nil) -> OrderListQuery {
        OrderListQuery(siteID: TestShop.siteID, orders: OrderQuery(statuses: statuses))
    }

    @Test func `a list has the stored orders and follows every change, until it has no subscription`() async throws {
        try shop.keep(OrderJSON.order(7))
        var lists = Lists(store, query())
        #expect(try await lists.next() == [7])
        try shop.keep(OrderJSON.order(8))
        #expect(try await lists.next() == [8, 7])
        #expect(store.state.lists.count == 1)
        lists.cancel()
        #expect(store.state.lists.isEmpty)
    }

    @Test func `equal queries share one list, which ends with the last subscription`() async throws {
        var (first, second) = (Lists(store, query()), Lists(store, query()))
        #expect(try await first.next() == [])
        #expect(try await second.next() == [])
        #expect(store.state.lists.count == 1)
        first.cancel()
        try shop.keep(OrderJSON.order(7))
        #expect(try await second.next() == [7])
        second.cancel()
        #expect(store.state.lists.isEmpty)
    }

    @Test func `a stream begins without changes, also when the list is already followed`() async throws {
        var lists = Lists(store, query())
        #expect(try await lists.next() == [])
        try shop.keep(OrderJSON.order(7))
        #expect(try await lists.next() == [7])
        var updates = store.updates(of: query()).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.rows.map(\.id) == [7])
        #expect(first.changes.isEmpty)
        try shop.keep(OrderJSON.order(8))
        #expect(try await updates.next()?.changes.map(\.row.id) == [8])
        lists.cancel()
    }

    @Test func `each query has its own list`() async throws {
        try shop.keep(OrderJSON.order(7))
        try shop.keep(OrderJSON.order(8, status: "completed"))
        var (completed, all) = (Lists(store, query([.completed])), Lists(store, query()))
        #expect(try await completed.next() == [8])
        #expect(try await all.next() == [8, 7])
        #expect(store.state.lists.count == 2)
    }
}
