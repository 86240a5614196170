import Determinism
import Money
import Payments
import Sessions
import Terminal
import Testing

@testable import TerminalServer

/// A simulated terminal that takes more payments than it keeps.
struct SimulatedCounterTests {
    private static let start = VirtualTimeSource.standardStart

    private func request(_ key: String, _ operation: TerminalOperation) -> TerminalRequest {
        TerminalRequest(
            key: IdempotencyKey(rawValue: key), till: TillID(rawValue: "till"), operation: operation)
    }

    private func counter(most: Int) throws -> SimulatedCounter {
        SimulatedCounter(
            try ZVTTestAmount.plan(seed: 1, start: Self.start), room: CounterRoom(most: most, least: 1))
    }

    private func take(
        _ key: String, _ operation: (Money) -> TerminalOperation, at counter: SimulatedCounter
    ) async throws -> TerminalTransaction? {
        let amount = try Money(minorUnits: 1250, currency: try Currency(code: "EUR"))
        let card = try #require(ZVTTestAmount(amount).card)
        return await counter.take(request(key, operation(amount)), with: card, at: Self.start).outcome?.transaction
    }

    private func reverse(_ key: String, at counter: SimulatedCounter) async -> TerminalOutcome? {
        let reversal = request("reverse \(key)", .reversal(of: .request(IdempotencyKey(rawValue: key))))
        return await counter.change(reversal, at: Self.start).outcome
    }

    @Test func `the payment after the most begins a new session, and the numbers and totals go on`() async throws {
        let counter = try counter(most: 3)
        var numbers: [Int?] = []
        for key in ["a", "b", "c", "d"] {
            numbers.append(try await take(key, { .payment(amount: $0) }, at: counter)?.receiptNumber)
        }
        #expect(numbers == [1, 2, 3, 4])
        let currency = try Currency(code: "EUR")
        let totals = await counter.administer(request("totals", .totals), in: currency, at: Self.start)
        guard case .done(let report) = totals.outcome else {
            Issue.record("no totals")
            return
        }
        #expect(report.totals?.firstReceipt == 1 && report.totals?.lastReceipt == 4)
        #expect(report.totals?.lines.map(\.count) == [4])
        #expect(await reverse("c", at: counter) == .failed(.unknownTransaction))
        #expect(await reverse("d", at: counter)?.transaction != nil)
        await counter.close()
    }

    @Test func `a session with a held amount goes on`() async throws {
        let counter = try counter(most: 1)
        _ = try await take("hold", { .preauthorization(amount: $0) }, at: counter)
        for key in ["a", "b"] { _ = try await take(key, { .payment(amount: $0) }, at: counter) }
        #expect(await reverse("hold", at: counter)?.transaction != nil)
        _ = try await take("c", { .payment(amount: $0) }, at: counter)
        #expect(await reverse("b", at: counter) == .failed(.unknownTransaction))
        await counter.close()
    }

    @Test func `terminals share the room, and each has the least`() {
        let room = CounterRoom(most: 100, least: 25)
        #expect(room.share == 100)
        for share in [100, 50, 33, 25, 25] {
            room.enter()
            #expect(room.share == share)
        }
        room.leave()
        #expect(room.share == 25)
    }
}
