import Synchronization
import Testing

@testable import Concurrency

@Suite struct StatefulStoreTests {
    private struct Cart: Equatable, Sendable {
        var items: [String] = []
        var total = 0
    }

    private struct Refused: Error, Equatable {}

    private let store = StatefulStore(Cart())
    private let seen = Recorder<StateChange<Cart>>()

    @Test func `a transaction is reported once, however much it changes`() {
        let subscription = store.onChange { [seen] in seen.append($0) }
        store.transaction { cart in
            cart.items.append("tea")
            cart.items.append("cup")
            cart.total = 900
        }
        #expect(seen.all == [StateChange(old: Cart(), new: Cart(items: ["tea", "cup"], total: 900))])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a transaction without a change is not reported`() {
        let subscription = store.onChange { [seen] in seen.append($0) }
        store.transaction { $0.total = 0 }
        #expect(seen.all.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a state that cannot be compared is reported after every transaction`() {
        struct Opaque: Sendable { var action: @Sendable () -> Void = {} }
        let store = StatefulStore(Opaque())
        let count = Recorder<Int>()
        let subscription = store.onChange { _ in count.append(1) }
        store.transaction { _ in }
        #expect(count.all == [1])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a transaction that throws changes nothing and is not reported`() {
        let subscription = store.onChange { [seen] in seen.append($0) }
        #expect(throws: Refused()) {
            try store.transaction { cart throws(Refused) in
                cart.total = 5
                throw Refused()
            }
        }
        #expect(store.state == Cart())
        #expect(seen.all.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a transaction returns the value of its body`() {
        let total = store.transaction { cart -> Int in
            cart.total += 250
            return cart.total
        }
        #expect(total == 250)
    }

    @Test func `an observer that changes the state is notified after all observers got the first change`() {
        let order = Recorder<String>()
        let first = store.onChange { [store] change in
            order.append("first \(change.new.total)")
            if change.new.total == 1 { store.transaction { $0.total = 2 } }
        }
        let second = store.onChange { order.append("second \($0.new.total)") }
        store.transaction { $0.total = 1 }
        #expect(order.all == ["first 1", "second 1", "first 2", "second 2"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `an observation ends when its subscription is released`() {
        var subscription: Subscription? = store.onChange { [seen] in seen.append($0) }
        store.transaction { $0.total = 1 }
        withExtendedLifetime(subscription) {}
        subscription = nil
        store.transaction { $0.total = 2 }
        #expect(seen.all.map(\.new.total) == [1])
    }

    @Test func `an observer that was canceled by another one is no longer called`() {
        let holder = Mutex<Subscription?>(nil)
        let order = Recorder<String>()
        let first = store.onChange { _ in
            order.append("first")
            holder.withLock { $0 }?.cancel()
        }
        holder.withLock { $0 = store.onChange { _ in order.append("second") } }
        store.transaction { $0.total = 1 }
        #expect(order.all == ["first"])
        withExtendedLifetime(first) {}
    }

    @Test func `an observer of a part gets it at once, and again only when it changes`() {
        let totals = Recorder<Int>()
        let subscription = store.observe({ $0.total }) { totals.append($0) }
        store.transaction { $0.items = ["tea"] }
        store.transaction { $0.total = 400 }
        store.transaction { $0.items = [] }
        #expect(totals.all == [0, 400])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a stream of a part starts with the current value`() async {
        store.transaction { $0.total = 7 }
        var values = store.values { $0.total }.makeAsyncIterator()
        #expect(await values.next() == 7)
        store.transaction { $0.total = 8 }
        store.transaction { $0.total = 9 }
        #expect(await values.next() == 9)
    }

    @Test func `changes from many tasks are all made and reported in order`() async {
        let totals = Recorder<StateChange<Cart>>()
        let subscription = store.onChange { totals.append($0) }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [store] in
                    for _ in 0..<200 { store.transaction { $0.total += 1 } }
                }
            }
        }
        // Another task may still be reporting the last change when this transaction returns.
        while totals.all.count < 1600 { await Task.yield() }
        #expect(store.state.total == 1600)
        #expect(totals.all.map(\.new.total) == Array(1...1600))
        withExtendedLifetime(subscription) {}
    }
}
