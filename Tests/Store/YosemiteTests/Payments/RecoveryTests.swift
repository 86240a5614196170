import Hardware
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// Tills that are killed in the middle, and what the next run makes of what they left.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct RecoveryTests {
    /// What a kill would leave, taken again and again while a till works.
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

        var all: [TestDatabase] { taken.withLock { $0 } }
    }

    /// A till that is copied around every message to the host and at every event.
    private func watchedTill(
        _ card: String, faults: [IssuerFaultRule] = [], isOffline: Bool = false
    ) throws -> (TestTill, Kills) {
        let database = try TestDatabase()
        let kills = Kills(database)
        let till = try TestTill(card) {
            $0.database = database
            $0.faults = faults
            if isOffline { $0.terminal = try .offlineCapable() }
            $0.wrap = { MeddlingHost(host: $0, before: { kills.take() }, after: { kills.take() }) }
        }
        return (till, kills)
    }

    /// Recovers what each kill left; the books agree then, and nothing is left to do.
    ///
    /// - Returns: the states in which payments were found afterwards.
    private func recover(_ kills: Kills, card: String) async throws -> Set<String> {
        var states: Set<String> = []
        #expect(kills.all.count > 4)
        for (number, database) in kills.all.enumerated() {
            let note: Comment = "kill \(number)"
            let till = try TestTill(card) { $0.database = database }
            let report = try await till.recover()
            #expect(report.open.isEmpty, note)
            #expect(try await till.booksAgree(), note)
            let entries = try await till.issuer.ledger().entries
            let rows = try till.journal.payments()
            #expect(try await till.recover() == RecoveryReport(), note)
            #expect(try await till.issuer.ledger().entries == entries, note)
            #expect(try till.journal.payments() == rows, note)
            for payment in rows {
                states.insert(payment.state.rawValue)
                // What moved money, or took it back, has its receipt from the same commit.
                let needsReceipt = payment.state != .failed
                #expect(try !till.journal.receipts(of: payment.id).isEmpty || !needsReceipt, note)
            }
            if rows.isEmpty { states.insert("no payment") }
        }
        return states
    }

    @Test func `a sale killed anywhere is charged once or not at all`() async throws {
        let (till, kills) = try watchedTill("visa-credit")
        #expect(try await till.pay { _ in kills.take() }.outcome == .approved)
        #expect(try await recover(kills, card: "visa-credit") == ["failed", "reversed", "captured"])
    }

    @Test func `a declined sale killed anywhere is not charged`() async throws {
        let (till, kills) = try watchedTill("insufficient-funds")
        #expect(try await till.pay { _ in kills.take() }.outcome == .declined)
        kills.take()
        let states = try await recover(kills, card: "insufficient-funds")
        #expect(states == ["failed", "reversed", "declined"])
    }

    @Test func `an offline sale killed anywhere is charged once or not at all`() async throws {
        let (till, kills) = try watchedTill("offline-approve", isOffline: true)
        #expect(try await till.pay { _ in kills.take() }.outcome == .approved)
        #expect(try await recover(kills, card: "offline-approve") == ["failed", "captured"])
    }

    @Test func `a sale killed around its reversal is not charged`() async throws {
        let (till, kills) = try watchedTill(
            "visa-credit", faults: [IssuerFaultRule(.answerLost, messages: [.authorize])])
        #expect(try await till.pay { _ in kills.take() }.state == .reversed)
        #expect(try await recover(kills, card: "visa-credit") == ["failed", "reversed"])
    }

    @Test func `a refund killed anywhere is paid once or not at all`() async throws {
        let database = try TestDatabase()
        let kills = Kills(database)
        let isWatching = Mutex(false)
        let take: @Sendable () -> Void = { if isWatching.withLock({ $0 }) { kills.take() } }
        let till = try TestTill {
            $0.database = database
            $0.wrap = { MeddlingHost(host: $0, before: { take() }, after: { take() }) }
        }
        let payment = try await till.pay()
        isWatching.withLock { $0 = true }
        kills.take()
        #expect(try await till.refund(payment, "5.00").refundedAmount.minorUnits == 500)
        kills.take()
        #expect(try await till.refund(payment).refundedAmount.minorUnits == 1250)
        kills.take()
        #expect(
            try await recover(kills, card: "visa-credit") == ["captured", "partiallyRefunded", "refunded"])
    }

    @Test(arguments: [false, true])
    func `a refund whose reversal is under way is taken back, whatever the host says of it`(
        isUnknown: Bool
    ) async throws {
        let database = try TestDatabase()
        let till = try TestTill { $0.database = database }
        let payment = try await till.pay()
        let (journal, clock) = (till.journal, till.clock)
        let sale = try #require(try journal.attempts(of: payment.id).first)
        let refund = try journal.beginRefund(
            of: payment.id, amount: payment.amount, hostName: till.issuer.name, at: clock.now()
        ).attempt
        _ = try journal.markAuthorizing(refund.id, at: clock.now())
        _ = try journal.markReversing(refund.id, reason: "the host does not know it", at: clock.now())
        if isUnknown { _ = try journal.markUnknown(refund.id, reason: "no answer", at: clock.now()) }
        // The request was late, and so is the reversal: the host approves now, and takes the refund back later.
        let late = HostRefundRequest(key: refund.key, original: sale.key, stan: refund.stan, amount: refund.amount)
        #expect(try await till.issuer.refund(late).isApproved)
        let next = try TestTill { $0.database = try database.afterKill() }
        let report = try await next.recover()
        #expect(report.open.isEmpty && report.failed.isEmpty)
        #expect(report.finished.map(\.state) == [.captured])
        #expect(try next.journal.attempts(of: payment.id).map(\.state) == [.captured, .reversed])
        #expect(try await next.charged() == payment.amount.minorUnits)
        #expect(try await next.booksAgree())
        #expect(try await next.recover() == RecoveryReport())
    }

    @Test func `a recovered payment has an outcome and a receipt`() async throws {
        let (till, kills) = try watchedTill("visa-credit")
        _ = try await till.pay()
        // After the host has answered, before the card has.
        let next = try TestTill { $0.database = kills.all.last }
        let payment = try #require(try await next.recover().finished.first)
        #expect(payment.outcome == .canceled)
        #expect(payment.errorCode == "interrupted")
        #expect(payment.errorMessage == "interrupted, and taken back: nothing was charged")
        let receipt: StoredReceipt = try await next.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
        #expect(receipt.content.outcome == .canceled)
        #expect(receipt.content.approvedAmount == "0.00")
        #expect(try await next.pay().outcome == .approved)
        #expect(try await next.booksAgree())
    }

    @Test func `payments of another running till are not touched`() async throws {
        let database = try TestDatabase()
        let other = try TestTill("mastercard-credit") { $0.database = database }
        let reports = Mutex<[RecoveryReport]>([])
        let till = try TestTill {
            $0.database = database
            $0.wrap = {
                MeddlingHost(
                    host: $0,
                    after: {
                        do {
                            let report = try await other.recover()
                            reports.withLock { $0.append(report) }
                        } catch {
                            Issue.record(error)
                        }
                    })
            }
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(reports.withLock { $0 } == [RecoveryReport()])
        #expect(try await till.charged() == 1250)
    }

    @Test func `recovery and a payment do not run at the same time`() async throws {
        let till = try TestTill()
        let refused = Later<CardPresentPaymentsError>()
        let payment = try await till.pay { event in
            guard event == .authorizing else { return }
            try? till.dispatcher.dispatch(
                CardPresentPaymentsAction.recoverPayments(onCompletion: { result in
                    if case .failure(let error) = result { refused.value = error }
                }))
        }
        #expect(refused.value == .busy)
        #expect(payment.outcome == .approved)
    }

    @Test func `a payment whose records cannot be written does not block the recovery of others`() async throws {
        let database = try TestDatabase()
        let till = try TestTill {
            $0.database = database
            $0.faults = [IssuerFaultRule(.answerLost, messages: [.authorize, .reverse])]
        }
        try await till.connect()
        for _ in 0..<2 { #expect(try await till.collect().outcome == .unknown) }
        let next = Later<TestTill>()
        let isFirst = Mutex(true)
        next.value = try TestTill {
            $0.database = try database.afterKill()
            $0.wrap = {
                MeddlingHost(
                    host: $0,
                    after: {
                        // The first payment's records change behind the back of recovery.
                        guard isFirst.withLock({ first in (first, first = false).0 }) else { return }
                        do { try next.value?.journal.finish(1, as: .reversed, at: till.clock.now()) } catch {
                            Issue.record(error)
                        }
                    })
            }
        }
        let report = try #require(await next.value?.recover())
        #expect(report.failed.map(\.payment) == ["P000001"])
        #expect(report.failed.first?.error == .illegalTransition(attempt: 1, from: .reversed, to: .reversed))
        #expect(report.finished.map(\.name) == ["P000002"])
        #expect(try await next.take()?.recover() == RecoveryReport())
    }

    @Test func `payments at another host stay open`() async throws {
        let (till, kills) = try watchedTill("visa-credit")
        _ = try await till.pay()
        let renamed = try TestTill {
            $0.database = kills.all.last
            $0.wrap = { OtherHost(host: $0) }
        }
        let report = try await renamed.recover()
        #expect(report.open.count == 1)
        #expect(report.finished.isEmpty)
        #expect(try await renamed.issuer.ledger().entries.count == 1)
    }

    /// The same host under another name.
    private struct OtherHost: PaymentHost {
        let host: any PaymentHost
        var name: String { "another" }

        func authorize(_ request: borrowing AuthorizationRequest) async throws(PaymentHostError)
            -> AuthorizationResponse
        { try await host.authorize(request) }
        func reverse(_ request: ReversalRequest) async throws(PaymentHostError) { try await host.reverse(request) }
        func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { try await host.advise(advice) }
        func inquire(
            _ key: IdempotencyKey, identity: MessageIdentity?
        ) async throws(PaymentHostError) -> InquiryResult {
            try await host.inquire(key, identity: identity)
        }
        func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
            try await host.lastNumbers(of: identities)
        }
        func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
            try await host.refund(request)
        }
    }
}
