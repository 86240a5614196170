import Determinism
import EMV
import Hardware
import Money
import Payments
import Sessions
import SmartCard
import Synchronization
import Testing

/// A minimal till with only a reader service, like one of another developer.
struct Counter: Sendable {
    let service: LocalCardReaderService

    /// Opens it in a shop, with the reader connected.
    init(in shop: SimulatedShop) async throws {
        service = LocalCardReaderService(
            sources: [USBCardReaderSource(shop.bus, time: shop.time)], host: shop.host,
            terminal: { shop.terminal(for: $0) }, cardholder: shop.cardholder, time: shop.time,
            random: shop.random.stream("counter"), trace: { shop.note($0) })
        await shop.follow(service)
        try await service.start(.usb)
        var lists = await service.discoveredReaders.makeAsyncIterator()
        guard let reader = await lists.next()?.first else { throw CounterError.noReader }
        _ = try await service.connect(reader)
    }

    @discardableResult
    func pay(_ amount: String = "12.50", number: UInt32 = 1) async throws -> PaymentIntent {
        try await service.capturePayment(
            PaymentIntentParameters(
                key: IdempotencyKey(rawValue: "sale-\(number)"), stan: number,
                amount: try Money(amount, currency: .usDollar))
        ) { _ in
        }
    }
}

enum CounterError: Error { case noReader }

/// Expects that a test records one issue, for tests of failure messages.
struct IssueExpectation: TestTrait, TestScoping {
    let isExpected: @Sendable (Issue) -> Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let count = IssueCount()
        try await IssueHandlingTrait.compactMapIssues { issue in
            guard isExpected(issue) else { return issue }
            count.add()
            return nil
        }.provideScope(for: test, testCase: testCase) {
            do { try await function() } catch {
                // As the testing library does outside of all traits.
                Issue.record(error)
            }
        }
        if count.value != 1 { Issue.record("\(count.value) such issues in place of one") }
    }
}

private final class IssueCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

extension Trait where Self == IssueExpectation {
    static func recordsOneIssue(_ isExpected: @escaping @Sendable (Issue) -> Bool) -> IssueExpectation {
        IssueExpectation(isExpected: isExpected)
    }
}

extension Issue {
    var text: String { comments.map(\.rawValue).joined(separator: "\n") }
}
