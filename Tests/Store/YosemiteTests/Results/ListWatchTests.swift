import Determinism
import Foundation
import Networking
import Payments
import SimulatedTime
import Storage
import Synchronization
import Testing

@testable import Yosemite

@Suite(.timeLimit(.minutes(10))) struct ListWatchTests {
    private let file = NSTemporaryDirectory() + "list-watch-\(UUID().uuidString).sqlite"
    private let time = SteppedTime()

    /// Another connection to the same file is another process to SQLite.
    private func open() throws -> SQLiteStorageManager {
        try SQLiteStorageManager(path: file, durability: .off, random: SeededRandomSource(seed: 1))
    }

    private func save(_ rates: TaxRate..., in storage: SQLiteStorageManager) throws {
        _ = try storage.performAndSave { try $0.save(rates) }
    }

    private func forget(_ id: Int64, in storage: SQLiteStorageManager) throws {
        _ = try storage.performAndSave { try $0.delete(TaxRate.self, matching: { $0.id == id }) }
    }

    /// Rates by name, the last name first.
    private func watch(
        _ storage: SQLiteStorageManager, class name: String? = nil, limit: Int? = nil
    ) -> WatchUpdate<TaxRate>.Stream.Iterator {
        ListWatch<TaxRate>(
            ResultsRequest(
                matching: name.map { name in { $0.class == name } }, sortedBy: { [$0.name.descending] }, limit: limit),
            in: storage, time: time
        ).updates().makeAsyncIterator()
    }

    private func remove() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
    }

    @Test func `the first values are the existing rows, followed by every change`() async throws {
        defer { remove() }
        let storage = try open()
        try save(.sample(1, name: "a"), .sample(2, name: "b"), in: storage)
        var updates = watch(storage)
        #expect(
            try await updates.next() == WatchUpdate(rows: [.sample(2, name: "b"), .sample(1, name: "a")], changes: []))
        try save(.sample(3, name: "c"), in: storage)
        let inserted = try #require(try await updates.next())
        #expect(inserted.rows.map(\.id) == [3, 2, 1])
        #expect(inserted.changes == [.inserted(.sample(3, name: "c"))])
        try save(.sample(1, name: "d"), in: storage)
        let moved = try #require(try await updates.next())
        #expect(moved.rows.map(\.id) == [1, 3, 2])
        #expect(moved.changes == [.updated(.sample(1, name: "d"))])
        try forget(3, in: storage)
        #expect(try await updates.next()?.changes == [.deleted(.sample(3, name: "c"))])
    }

    @Test func `commits of other processes are seen at the next check`() async throws {
        defer { remove() }
        let storage = try open()
        let other = try open()
        var updates = watch(storage)
        #expect(try await updates.next()?.rows.isEmpty == true)
        await time.step()
        try save(.sample(1), in: other)
        await time.step()
        #expect(try await updates.next()?.changes == [.inserted(.sample(1))])
        try forget(1, in: other)
        await time.step()
        #expect(try await updates.next()?.changes == [.deleted(.sample(1))])
    }

    @Test func `without a commit elsewhere the rows are not read again`() async throws {
        defer { remove() }
        let storage = try open()
        let version = try storage.externalVersion()
        try save(.sample(1), in: storage)
        #expect(try storage.externalVersion() == version)
        try save(.sample(2), in: try open())
        #expect(try storage.externalVersion() != version)
    }

    @Test func `rows that enter or leave because of a limit are not changes`() async throws {
        defer { remove() }
        let storage = try open()
        try save(.sample(1, name: "a"), .sample(2, name: "b"), in: storage)
        var updates = watch(storage, limit: 2)
        #expect(try await updates.next()?.rows.map(\.id) == [2, 1])
        try save(.sample(3, name: "c"), in: storage)
        let pushed = try #require(try await updates.next())
        #expect(pushed.rows.map(\.id) == [3, 2])
        #expect(pushed.changes == [.inserted(.sample(3, name: "c"))])
        try forget(3, in: storage)
        let back = try #require(try await updates.next())
        #expect(back.rows.map(\.id) == [2, 1])
        #expect(back.changes == [.deleted(.sample(3, name: "c"))])
        try save(.sample(4, name: "d"), .sample(5, name: "e"), .sample(6, name: "f"), in: storage)
        let replaced = try #require(try await updates.next())
        #expect(replaced.rows.map(\.id) == [6, 5])
        #expect(replaced.changes == [.inserted(.sample(5, name: "e")), .inserted(.sample(6, name: "f"))])
    }

    @Test func `a row that no longer matches is reported with its new values`() async throws {
        defer { remove() }
        let storage = try open()
        try save(.sample(1, name: "a", class: "x"), in: storage)
        var updates = watch(storage, class: "x")
        #expect(try await updates.next()?.rows.count == 1)
        try save(.sample(1, name: "a", class: "y"), in: storage)
        let left = try #require(try await updates.next())
        #expect(left.rows.isEmpty)
        #expect(left.changes == [.updated(.sample(1, name: "a", class: "y"))])
    }

    @Test func `a single row is followed through deletion and return`() async throws {
        defer { remove() }
        let storage = try open()
        try save(.sample(1, name: "a"), .sample(2, name: "b"), in: storage)
        var updates = EntityWatch(TaxRate.sample(1, name: "a"), in: storage, time: time).updates().makeAsyncIterator()
        #expect(try await updates.next() == WatchUpdate(rows: [.sample(1, name: "a")], changes: []))
        try save(.sample(2, name: "x"), .sample(1, name: "c"), in: storage)
        #expect(try await updates.next()?.changes == [.updated(.sample(1, name: "c"))])
        try forget(1, in: storage)
        let deleted = try #require(try await updates.next())
        #expect(deleted == WatchUpdate(rows: [], changes: [.deleted(.sample(1, name: "c"))]))
        await time.step()
        try save(.sample(1, name: "d"), in: try open())
        await time.step()
        #expect(try await updates.next()?.changes == [.inserted(.sample(1, name: "d"))])
    }

    @Test func `a watch ends with its task`() async throws {
        defer { remove() }
        let storage = try open()
        let stream = ListWatch<TaxRate>(ResultsRequest(), in: storage, time: time).updates()
        let reading = Task {
            var count = 0
            for try await _ in stream { count += 1 }
            return count
        }
        await time.step()
        reading.cancel()
        #expect(try await reading.value <= 1)
    }
}

@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct PaymentWatchTests {
    @Test func `payments appear with their first approval, and change with their notification`() async throws {
        let store = StoreSiteNetwork()
        let till = try TestTill(store)
        let order = try await store.makeOrder()
        let time = SteppedTime()
        var updates = PaymentWatch(in: till.storage, time: time).updates { [till] id in
            try await till.history(id: id).payment
        }.makeAsyncIterator()
        #expect(try await updates.next()?.rows.isEmpty == true)
        let payment = try await till.pay(order: order.id)
        var (words, last): ([String], WatchUpdate<Payment>?) = ([], nil)
        while last?.rows.first != payment {
            last = try await updates.next()
            try #require(last != nil)
            for change in last?.changes ?? [] {
                switch change {
                case .inserted: words.append("inserted")
                case .updated: words.append("updated")
                case .deleted: words.append("deleted")
                }
            }
        }
        #expect(words.first == "inserted")
        #expect(words.dropFirst().allSatisfy { $0 == "updated" })
        #expect(last?.rows.count == 1)
    }

    @Test func `a single payment is followed, and others are not`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        let time = SteppedTime()
        var updates = PaymentWatch(paymentID: payment.id, in: till.storage, time: time).updates { [till] id in
            try await till.history(id: id).payment
        }.makeAsyncIterator()
        #expect(try await updates.next()?.rows == [payment])
        _ = try await till.collect("3.00")
        let refunded = try await till.refund(payment, "1.00")
        var last: WatchUpdate<Payment>?
        while last?.rows != [refunded] {
            last = try await updates.next()
            try #require(last != nil)
            #expect(last?.rows.map(\.id) == [payment.id])
        }
    }
}

extension TestTill {
    fileprivate func history(id: PaymentID) async throws -> PaymentHistory {
        try await perform { .loadPayment(paymentID: id, onCompletion: $0) }
    }
}

/// Time in which every sleep lasts until the next step.
final class SteppedTime: TimeSource {
    private struct State {
        var sleepers: [Int: CheckedContinuation<Bool, Never>] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
        var canceled: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())

    func now() -> Timestamp { VirtualTimeSource.standardStart }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func timeAsleep() -> Duration { .zero }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isCanceled, waiting) = state.withLock { state in
                    if state.canceled.remove(number) != nil { return (true, state.waiting) }
                    state.sleepers[number] = continuation
                    defer { state.waiting = [] }
                    return (false, state.waiting)
                }
                if isCanceled { continuation.resume(returning: false) } else { waiting.forEach { $0.resume() } }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.canceled.insert(number) }
                return sleeper
            }
            sleeper?.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    /// Waits for a sleeper, and wakes it.
    func step() async {
        await withCheckedContinuation { continuation in
            let isAsleep = state.withLock { state in
                guard state.sleepers.isEmpty else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isAsleep { continuation.resume() }
        }
        let sleepers = state.withLock { state in
            defer { state.sleepers = [:] }
            return Array(state.sleepers.values)
        }
        for sleeper in sleepers { sleeper.resume(returning: true) }
    }
}
