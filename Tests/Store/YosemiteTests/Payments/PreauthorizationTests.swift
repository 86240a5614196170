import Determinism
import EMV
import Foundation
import Hardware
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

@Suite(.simulatedTime) struct PreauthorizationTests {
    private func hold(_ till: TestTill, _ amount: String = "150.00") async throws -> Payment {
        try await till.connect()
        let request = PaymentRequest(amount: try usd(amount), holdDuration: .seconds(7 * 86_400))
        return try await till.perform { done in
            .collectPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
    }

    private func capture(_ till: TestTill, _ payment: Payment, _ amount: String? = nil) async throws -> Payment {
        let part = try amount.map { try usd($0) }
        return try await till.perform {
            .capturePreauthorization(paymentID: payment.id, amount: part, onCompletion: $0)
        }
    }

    private func cancel(_ till: TestTill, _ payment: Payment) async throws -> Payment {
        try await till.perform { .cancelPreauthorization(paymentID: payment.id, onCompletion: $0) }
    }

    private func receipts(_ till: TestTill, _ payment: Payment) throws -> [ReceiptContent] {
        try till.journal.receipts(of: payment.id).map {
            try JSONDecoder().decode(ReceiptContent.self, from: Data($0.content.utf8))
        }
    }

    @Test func `a hold that a restored backup has as open is held again, with a receipt of a hold`() async throws {
        // A copy at the message to the host.
        let database = try TestDatabase()
        let backup = Mutex<TestDatabase?>(nil)
        let till = try TestTill {
            $0.database = database
            $0.wrap = {
                MeddlingHost(
                    host: $0,
                    before: {
                        do {
                            let copy = try database.afterKill()
                            backup.withLock { $0 = $0 ?? copy }
                        } catch {
                            Issue.record(error)
                        }
                    }, after: {})
            }
        }
        _ = try await hold(till)
        _ = try await till.collect("3.00")
        let copy = try #require(backup.withLock { $0 })
        let next = try TestTill { $0.database = try database.restored(from: copy) }
        #expect(try await next.recover().open.isEmpty)
        let held = try #require(try next.journal.payments().last)
        #expect(held.state == .authorized && held.standing == .held)
        let last = try #require(try receipts(next, held).last)
        #expect(last.kind == .preauthorization && last.outcome == .approved && last.approvedAmount == "150.00")
    }

    @Test func `an amount is held, and nothing moves before it is captured`() async throws {
        let till = try TestTill()
        let held = try await hold(till)
        #expect(held.outcome == .approved && held.standing == .held)
        let expiry = held.createdAt.advanced(by: .seconds(7 * 86_400))
        #expect(held.preauthorization == Preauthorization(authorized: try usd("150.00"), expiresAt: expiry))
        #expect(try await till.charged() == 0)
        let key = try #require(try till.journal.attempts(of: held.id).first).key
        #expect(try await till.issuer.ledger().held(key) == 15_000)
        // Recovery leaves it alone.
        #expect(try await till.recover() == RecoveryReport())
        #expect(try await till.story(held) == [["created", "authorizing", "authorizedOnly"]])
        let receipt = try #require(try receipts(till, held).first)
        #expect(receipt.kind == .preauthorization && receipt.approvedAmount == "150.00")
    }

    @Test(arguments: [(nil, 15_000), ("80.00", 8000)] as [(String?, Int64)])
    func `all or a part is captured, once`(_ amount: String?, _ expected: Int64) async throws {
        let till = try TestTill()
        let held = try await hold(till)
        let captured = try await capture(till, held, amount)
        #expect(captured.state == .captured && captured.amount.minorUnits == expected)
        #expect(captured.preauthorization?.captured?.minorUnits == expected)
        #expect(try await till.charged() == expected)
        #expect(try await till.booksAgree())
        #expect(
            try await till.story(held) == [["created", "authorizing", "authorizedOnly", "authorized", "captured"]])
        let receipt = try #require(try receipts(till, held).first)
        #expect(receipt.kind == .sale && receipt.amount == captured.amount.decimalText)
        #expect(receipt.card?.authorizationCode == held.card?.authorizationCode)
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(.notCapturable(held.id, .captured(captured.amount))))
        ) { try await capture(till, held) }
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(.notCapturable(held.id, .captured(captured.amount))))
        ) { try await cancel(till, held) }
        #expect(try await till.charged() == expected)
        // Afterwards it is a sale like any other.
        #expect(try await till.refund(captured).state == .refunded)
        #expect(try await till.charged() == 0)
    }

    @Test func `more than is held is not captured`() async throws {
        let till = try TestTill()
        let held = try await hold(till)
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(
                    .captureTooLarge(held.id, requested: try usd("150.01"), authorized: try usd("150.00"))))
        ) { try await capture(till, held, "150.01") }
        #expect(try till.journal.payment(held.id).standing == .held)
    }

    @Test func `a canceled pre-authorization holds and moves nothing`() async throws {
        let till = try TestTill()
        let held = try await hold(till)
        let canceled = try await cancel(till, held)
        #expect(canceled.state == .reversed && canceled.outcome == .canceled)
        let key = try #require(try till.journal.attempts(of: held.id).first).key
        let ledger = try await till.issuer.ledger()
        #expect((ledger.held(key), ledger.charged(key)) == (0, 0))
        #expect(ledger.isReversed(key))
        #expect(try receipts(till, held).first?.kind == .void)
        await #expect(
            throws: ActionFailure.failed(CardPresentPaymentsError.journal(.notCapturable(held.id, .canceled)))
        ) {
            try await cancel(till, held)
        }
        await #expect(
            throws: ActionFailure.failed(CardPresentPaymentsError.journal(.notCapturable(held.id, .canceled)))
        ) {
            try await capture(till, held)
        }
    }

    @Test(arguments: [IssuerFault.notReachable, .requestLost, .answerLost])
    func `a capture that the host did not confirm is sent again until it has`(_ fault: IssuerFault) async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(fault, messages: [.advise], times: 2)] }
        let held = try await hold(till)
        let open = try await capture(till, held, "80.00")
        #expect(try open.state == .authorized && open.standing == .captured(usd("80.00")))
        #expect(try await till.recover().open.map(\.id) == [held.id])
        let report = try await till.recover()
        #expect(report.finished.map(\.state) == [.captured])
        #expect(try await till.charged() == 8000)
        #expect(try await till.booksAgree())
        #expect(try await till.recover() == RecoveryReport())
    }

    @Test(arguments: [IssuerFault.notReachable, .requestLost, .answerLost])
    func `a cancellation that the host did not confirm is sent again until it has`(
        _ fault: IssuerFault
    ) async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(fault, messages: [.reverse], times: 1)] }
        let held = try await hold(till)
        #expect(try await cancel(till, held).outcome == .unknown)
        let report = try await till.recover()
        #expect(report.finished.map(\.outcome) == [.canceled])
        #expect(try till.journal.payment(held.id).standing == .canceled)
        #expect(try receipts(till, held).first?.kind == .void)
        #expect(try await till.charged() == 0)
    }

    @Test func `a till that is killed around the capture captures once`() async throws {
        let database = try TestDatabase()
        let kills = Kills(database)
        let till = try TestTill {
            $0.database = database
            $0.wrap = { MeddlingHost(host: $0, before: { kills.take() }, after: { kills.take() }) }
        }
        let held = try await hold(till)
        kills.reset()
        _ = try await capture(till, held, "80.00")
        #expect(kills.all.count >= 2)
        for copy in kills.all {
            let later = try TestTill { $0.database = copy }
            _ = try await later.recover()
            #expect(try later.journal.payment(held.id).state == .captured)
            #expect(try await later.charged() == 8000)
            #expect(try await later.booksAgree())
        }
    }

    @Test func `a card that would approve offline holds nothing without its issuer`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.notReachable, messages: [.authorize])]
        }
        let payment = try await hold(till, "12.50")
        #expect(payment.state == .failed || payment.state == .declined)
        #expect(try await till.charged() == 0)
    }

    /// Copies of a database, as kills would leave it.
    private final class Kills: Sendable {
        private let database: TestDatabase
        private let taken = Mutex<[TestDatabase]>([])

        init(_ database: TestDatabase) { self.database = database }

        func take() {
            do {
                let copy = try database.afterKill()
                taken.withLock { $0.append(copy) }
            } catch {
                Issue.record(error)
            }
        }

        func reset() { taken.withLock { $0 = [] } }

        var all: [TestDatabase] { taken.withLock { $0 } }
    }
}
