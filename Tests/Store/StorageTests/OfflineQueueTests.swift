import Money
import Payments
import Testing

@testable import Storage

/// What tills of one database may add to the advices that wait for a host.
@Suite struct OfflineQueueTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private func begin(_ journal: PaymentJournal) throws -> PaymentAttempt {
        try journal.begin(siteID: 0, orderID: nil, amount: try usd(1250), hostName: "iso8583", at: at(1000)).attempt
    }

    @Test func `of four tills at once, each one counts the payments that began before its own`() throws {
        let journals = try (0..<4).map { _ in try database.journal() }
        let attempts = try journals.map { try begin($0) }
        let running = try zip(journals, attempts).map { try $0.offlineQueue(before: $1).running }
        #expect(running == [0, 1, 2, 3])
        // With a limit of one advice, one of them may approve offline.
        let limits = AdviceLimits(count: 1, age: .seconds(60))
        #expect(running.count { limits.obstacle(waiting: 0, oldest: nil, running: $0) == nil } == 1)
    }

    @Test func `a payment that approved offline waits, and one that ended does not count`() throws {
        let (first, second, third) = (try database.journal(), try database.journal(), try database.journal())
        let (approved, declined) = (try begin(first), try begin(second))
        try first.finish(approved.id, as: .authorized, advice: "{}", at: at(1001))
        try second.finish(declined.id, as: .declined, at: at(1001))
        let queue = try third.offlineQueue(before: try begin(third))
        #expect(queue.waiting.map(\.id) == [approved.id] && queue.running == 0)
    }

    @Test func `payments of a till itself, of ended processes, and of other hosts do not count`() throws {
        let (own, other) = (try database.journal(), try database.journal())
        _ = try begin(own)
        _ = try begin(other)
        other.lease.release()
        let elsewhere = try database.journal()
        _ = try elsewhere.begin(siteID: 0, orderID: nil, amount: try usd(100), hostName: "simulated", at: at(1000))
        #expect(try own.offlineQueue(before: try begin(own)).running == 0)
    }
}
