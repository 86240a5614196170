import Testing

@testable import Concurrency

@Suite struct QueryStoreTests {
    private enum Query: Hashable, Sendable {
        case orders(site: Int)
        case readers
    }

    private struct State: Equatable, Sendable {
        var orders: [Int: [String]] = [:]
        var readers: [String] = []
    }

    private let state = StatefulStore(State())
    private let calls = Recorder<[Query]>()
    private let store: QueryStore<State, Query>

    init() { store = QueryStore(state) { [calls] in calls.append($0) } }

    @Test func `a query is active until its subscription is released`() {
        var orders: Subscription? = store.query(.orders(site: 1))
        let readers = store.query(.readers)
        #expect(store.activeQueries == [.orders(site: 1), .readers])
        withExtendedLifetime(orders) {}
        orders = nil
        #expect(store.activeQueries == [.readers])
        readers.cancel()
        #expect(calls.all == [[.orders(site: 1)], [.orders(site: 1), .readers], [.readers], []])
    }

    @Test func `a query with two subscriptions is active once, and ends with the second`() {
        let (first, second) = (store.query(.readers), store.query(.readers))
        first.cancel()
        first.cancel()
        #expect(store.activeQueries == [.readers])
        second.cancel()
        #expect(calls.all == [[.readers], []])
    }

    @Test func `asking for fresh data states the same queries again`() {
        let readers = store.query(.readers)
        store.refresh()
        #expect(calls.all == [[.readers], [.readers]])
        withExtendedLifetime(readers) {}
    }

    @Test func `a query with a selector is notified now and when its value changes`() {
        let answers = Recorder<[String]>()
        let subscription = store.query(.orders(site: 1), select: { $0.orders[1] ?? [] }) { answers.append($0) }
        state.transaction { $0.orders[2] = ["elsewhere"] }
        state.transaction { $0.orders[1] = ["tea"] }
        state.transaction { $0.readers = ["R1"] }
        #expect(answers.all == [[], ["tea"]])
        #expect(store.activeQueries == [.orders(site: 1)])
        subscription.cancel()
        state.transaction { $0.orders[1] = [] }
        #expect(answers.all == [[], ["tea"]])
        #expect(store.activeQueries.isEmpty)
    }

    @Test func `a store that asks again from within its news is called once more, not inside itself`() {
        let depth = Recorder<Int>()
        let store = QueryStore<State, Query>(state) { depth.append($0.count) }
        let looping = QueryStore<State, Query>(state) { active in
            depth.append(active.count)
            if active.count == 1 { store.refresh() }
        }
        let subscription = looping.query(.readers)
        #expect(depth.all == [1, 0])
        withExtendedLifetime(subscription) {}
    }
}
