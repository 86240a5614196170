import Determinism
import Foundation
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

@Suite("Increments of a pre-authorization", .simulatedTime) struct IncrementTests {
    private func hold(_ till: TestTill) async throws -> Payment {
        try await till.connect()
        let request = PaymentRequest(amount: try usd("150.00"), holdDuration: .seconds(7 * 86_400))
        return try await till.perform { done in
            .collectPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
    }

    private func increment(
        _ till: TestTill, _ payment: Payment, _ amount: String = "20.00", renewing: Duration? = nil
    ) async throws -> Payment {
        let more = try usd(amount)
        return try await till.perform {
            .incrementPreauthorization(
                paymentID: payment.id, amount: more, holdDuration: renewing, onCompletion: $0)
        }
    }

    private func capture(_ till: TestTill, _ payment: Payment) async throws -> Payment {
        try await till.perform { .capturePreauthorization(paymentID: payment.id, amount: nil, onCompletion: $0) }
    }

    private func cancel(_ till: TestTill, _ payment: Payment) async throws -> Payment {
        try await till.perform { .cancelPreauthorization(paymentID: payment.id, onCompletion: $0) }
    }

    /// What the issuer holds for a payment, in cents.
    private func held(_ till: TestTill, _ payment: Payment) async throws -> Int64 {
        let key = try #require(try till.journal.attempts(of: payment.id).first).key
        return try await till.issuer.ledger().held(key)
    }

    private func states(_ till: TestTill, _ payment: Payment) async throws -> [String] {
        try #require(try await till.story(payment).last)
    }

    private func receipts(_ till: TestTill, _ payment: Payment) throws -> [ReceiptContent] {
        try till.journal.receipts(of: payment.id).map {
            try JSONDecoder().decode(ReceiptContent.self, from: Data($0.content.utf8))
        }
    }

    @Test func `increments raise what both sides hold, and the sum is captured`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        #expect(try await increment(till, first).amount == usd("170.00"))
        let raised = try await increment(till, first, "30.00")
        #expect(try raised.amount == usd("200.00") && raised.standing == .held)
        #expect(raised.preauthorization?.expiresAt == first.preauthorization?.expiresAt)
        #expect(try await held(till, first) == 20_000)
        #expect(try await till.charged() == 0)
        let receipt = try #require(try receipts(till, first).first)
        #expect(receipt.kind == .preauthorization && receipt.approvedAmount == "200.00")
        #expect(receipt.card?.authorizationCode == first.card?.authorizationCode)
        #expect(try await till.recover() == RecoveryReport())
        let captured = try await capture(till, first)
        #expect(try captured.state == .captured && captured.amount == usd("200.00"))
        #expect(try await till.charged() == 20_000)
        #expect(try receipts(till, first).first?.amount == "200.00")
        #expect(try await till.refund(captured).state == .refunded)
    }

    @Test func `a cancellation gives back all of the sum`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        _ = try await increment(till, first)
        #expect(try await cancel(till, first).outcome == .canceled)
        #expect(try await held(till, first) == 0)
        #expect(try receipts(till, first).first?.kind == .void)
    }

    @Test func `an increment renews the hold when it is asked to`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        try await till.clock.sleep(for: .seconds(86_400))
        let raised = try await increment(till, first, renewing: .seconds(7 * 86_400))
        let before = try #require(first.preauthorization?.expiresAt)
        let after = try #require(raised.preauthorization?.expiresAt)
        #expect(after.milliseconds - before.milliseconds >= 86_400_000)
    }

    @Test func `a declined increment leaves what is held as it was`() async throws {
        let till = try TestTill {
            $0.rules = "rules: [{ when: { message: 2 }, answer: { responseCode: \"51\" } }]"
        }
        let first = try await hold(till)
        let after = try await increment(till, first)
        #expect(after.amount == first.amount && after.state == .authorized)
        #expect(try await states(till, first) == ["created", "authorizing", "declined"])
        #expect(try await till.history(first).attempts.last?.steps.last?.detail == "insufficient funds")
        #expect(try await held(till, first) == 15_000)
        #expect(try receipts(till, first).count == 1)
        #expect(try await increment(till, first).amount == usd("170.00"))
    }

    @Test(arguments: [IssuerFault.requestLost, .answerLost])
    func `an increment without an answer is taken back, and only that`(_ fault: IssuerFault) async throws {
        let till = try TestTill()
        let first = try await hold(till)
        await till.issuer.inject(IssuerFaultRule(fault, messages: [.authorize], times: 1))
        let after = try await increment(till, first)
        #expect(after.amount == first.amount && after.standing == .held)
        #expect(try await states(till, first) == ["created", "authorizing", "reversing", "reversed"])
        #expect(try await held(till, first) == 15_000)
        #expect(try await capture(till, first).state == .captured)
        #expect(try await till.charged() == 15_000)
    }

    @Test func `an increment that was not sent has failed`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        await till.issuer.inject(IssuerFaultRule(.notReachable, messages: [.authorize], times: 1))
        #expect(try await increment(till, first).amount == first.amount)
        #expect(try await states(till, first) == ["created", "authorizing", "failed"])
        #expect(try await held(till, first) == 15_000)
    }

    @Test func `an increment whose reversal is not confirmed is taken back by recovery, which raises nothing`()
        async throws
    {
        let till = try TestTill()
        let first = try await hold(till)
        await till.issuer.inject(IssuerFaultRule(.answerLost, messages: [.authorize], times: 1))
        await till.issuer.inject(IssuerFaultRule(.requestLost, messages: [.reverse], times: 1))
        #expect(try await increment(till, first).amount == first.amount)
        #expect(try await held(till, first) == 17_000)
        await #expect(
            throws: ActionFailure.failed(CardPresentPaymentsError.journal(.incrementOpen(first.id)))
        ) { try await increment(till, first) }
        let report = try await till.recover()
        #expect(report.finished.map(\.state) == [.authorized] && report.open.isEmpty)
        #expect(
            try await states(till, first)
                == ["created", "authorizing", "reversing", "unknown", "reversing", "reversed"])
        #expect(try await held(till, first) == 15_000)
        #expect(try till.journal.payment(first.id).amount == first.amount)
        #expect(try receipts(till, first).count == 1)
        #expect(try await till.recover() == RecoveryReport())
    }

    @Test func `a till that is killed around an increment never raises by itself`() async throws {
        let database = try TestDatabase()
        let kills = Mutex<[TestDatabase]>([])
        let take: @Sendable () -> Void = {
            do {
                let copy = try database.afterKill()
                kills.withLock { $0.append(copy) }
            } catch { Issue.record(error) }
        }
        let till = try TestTill {
            $0.database = database
            $0.wrap = { MeddlingHost(host: $0, before: { take() }, after: { take() }) }
        }
        let first = try await hold(till)
        kills.withLock { $0 = [] }
        _ = try await increment(till, first)
        let copies = kills.withLock { $0 }
        #expect(copies.count == 2)
        for copy in copies {
            let later = try TestTill { $0.database = copy }
            _ = try await later.recover()
            #expect(try later.journal.payment(first.id).amount == first.amount)
            #expect(try await states(later, first) == ["created", "authorizing", "reversing", "reversed"])
            #expect(try await held(later, first) == 15_000)
            #expect(try await capture(later, first).state == .captured)
            #expect(try await later.charged() == 15_000)
        }
    }

    @Test func `an increment that was recorded and not sent is given up`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        _ = try till.journal.beginIncrement(
            of: first.id, amount: try usd("20.00"), hostName: "simulated", at: till.clock.now())
        _ = try await till.recover()
        #expect(try await states(till, first) == ["created", "failed"])
        #expect(try await held(till, first) == 15_000)
    }

    @Test func `what is captured or canceled is not raised`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        let captured = try await capture(till, first)
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(.notCapturable(first.id, .captured(captured.amount))))
        ) { try await increment(till, first) }
        #expect(try await till.charged() == 15_000)
    }

    @Test func `the issuer takes an increment once, and none that was taken back`() async throws {
        let till = try TestTill()
        let first = try await hold(till)
        let key = try #require(try till.journal.attempts(of: first.id).first).key
        let request = HostIncrementRequest(
            key: IdempotencyKey(rawValue: "x-1"), original: key, stan: 9, amount: try usd("20.00"))
        #expect(try await till.issuer.increment(request).isApproved)
        // The same again is no second increment, and another amount is no repeat.
        #expect(try await till.issuer.increment(request).isApproved)
        #expect(try await held(till, first) == 17_000)
        var other = request
        other.amount = try usd("21.00")
        #expect(try await till.issuer.increment(other).responseCode == "94")
        try await till.issuer.reverse(
            ReversalRequest(key: request.key, stan: 9, amount: request.amount, reason: .timeout))
        #expect(try await held(till, first) == 15_000)
        #expect(try await till.issuer.increment(request).responseCode == "94")
        var unknown = request
        (unknown.key, unknown.original) = (IdempotencyKey(rawValue: "x-2"), IdempotencyKey(rawValue: "x-3"))
        #expect(try await till.issuer.increment(unknown).responseCode == "25")
    }
}
