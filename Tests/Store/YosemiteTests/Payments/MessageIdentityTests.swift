import EMV
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// What the journal keeps of messages for a host that knows no keys and can't be asked.
@Suite(.simulatedTime) struct MessageIdentityTests {
    /// What such a host got.
    private final class Inbox: Sendable {
        private struct Contents {
            var reversals: [ReversalRequest] = []
            var advices: [AdviceRequest] = []
            var refunds: [HostRefundRequest] = []
            /// What the journal had when a request left.
            var kept: [MessageIdentity?] = []
        }

        private let contents = Mutex(Contents())
        let journal = Later<PaymentJournal>()

        var reversals: [ReversalRequest] { contents.withLock { $0.reversals } }
        var advices: [AdviceRequest] { contents.withLock { $0.advices } }
        var refunds: [HostRefundRequest] { contents.withLock { $0.refunds } }
        var kept: [MessageIdentity?] { contents.withLock { $0.kept } }

        func add(_ request: ReversalRequest) { contents.withLock { $0.reversals.append(request) } }
        func add(_ request: AdviceRequest) { contents.withLock { $0.advices.append(request) } }
        func add(_ request: HostRefundRequest) { contents.withLock { $0.refunds.append(request) } }

        func look() {
            let kept = try? journal.value?.attemptsAwaitingHost().last?.identity
            contents.withLock { $0.kept.append(kept) }
        }
    }

    private struct SilentHost: PaymentHost {
        let issuer: any PaymentHost
        let inbox: Inbox

        var name: String { issuer.name }
        var canBeAsked: Bool { false }

        func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
            MessageIdentity(
                type: subject.kind == .sale ? "0200" : "0220", fields: [11: "\(subject.stan)", 2: "4761739001010010"])
        }

        func authorize(
            _ request: borrowing AuthorizationRequest
        ) async throws(PaymentHostError) -> AuthorizationResponse {
            inbox.look()
            return try await issuer.authorize(request)
        }

        func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
            inbox.add(request)
            try await issuer.reverse(request)
        }

        func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
            inbox.look()
            inbox.add(advice)
            try await issuer.advise(advice)
        }

        func inquire(
            _ key: IdempotencyKey, identity: MessageIdentity?
        ) async throws(PaymentHostError) -> InquiryResult {
            throw .outcomeUnknown("not asked")
        }

        func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
            throw .notSent("not asked")
        }

        func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
            inbox.look()
            inbox.add(request)
            return try await issuer.refund(request)
        }
    }

    private func till(
        _ inbox: Inbox, card: String = "visa-credit", faults: [IssuerFaultRule] = [], database: TestDatabase? = nil
    ) throws -> TestTill {
        let till = try TestTill(card) {
            $0.faults = faults
            if let database { $0.database = database }
            if card == "offline-approve" { $0.terminal = try .offlineCapable() }
            $0.wrap = { SilentHost(issuer: $0, inbox: inbox) }
        }
        inbox.journal.value = till.journal
        return till
    }

    private let first = MessageIdentity(type: "0200", fields: [11: "1"])

    @Test func `a message's identity is in the journal before it leaves, without card data`() async throws {
        let inbox = Inbox()
        let till = try till(inbox)
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(inbox.kept == [first])
        #expect(try till.journal.attempts(of: payment.id).map(\.identity) == [first])
        #expect(try till.journal.attemptsAwaitingHost().isEmpty)
        // The host is not asked, and the database keeps its identity.
        #expect(try till.journal.formerIdentities().isEmpty)
    }

    @Test func `a reversal has the identity, and is a repeat only after one without an answer`() async throws {
        let inbox = Inbox()
        let database = try TestDatabase()
        let before = try till(
            inbox,
            faults: [
                IssuerFaultRule(.answerLost, messages: [.authorize]),
                IssuerFaultRule(.answerLost, messages: [.reverse], times: 1),
            ], database: database)
        #expect(try await before.pay().outcome == .unknown)
        let after = try till(inbox, database: try database.afterKill())
        #expect(try await after.recover().finished.map(\.state) == [.reversed])
        #expect(inbox.reversals.map(\.identity) == [first, first])
        #expect(inbox.reversals.map(\.isRepeat) == [false, true])
    }

    @Test func `a till that is killed before the answer reverses with what its journal has`() async throws {
        let (inbox, database) = (Inbox(), try TestDatabase())
        let killed = Later<TestDatabase>()
        let before = try TestTill {
            $0.database = database
            $0.wrap = {
                MeddlingHost(
                    host: SilentHost(issuer: $0, inbox: inbox), before: { killed.value = try? database.afterKill() })
            }
        }
        #expect(try await before.pay().outcome == .approved)
        let copy = try #require(killed.value)
        let after = try till(inbox, database: copy)
        #expect(try await after.recover().finished.map(\.state) == [.reversed])
        #expect(inbox.reversals.map(\.identity) == [first])
        #expect(inbox.reversals.map(\.isRepeat) == [false])
    }

    @Test func `a refund names the payment with the host's answer`() async throws {
        let inbox = Inbox()
        let till = try till(inbox)
        let payment = try await till.pay()
        _ = try await till.refund(payment, "2.50")
        let attempt = try #require(try till.journal.attempts(of: payment.id).first)
        #expect(
            inbox.refunds.map(\.originalIdentity)
                == [
                    first.answered(reference: attempt.hostReference, authorizationCode: payment.card?.authorizationCode)
                ])
        #expect(inbox.refunds.first?.originalIdentity?[38] != nil)
        #expect(inbox.kept.last == MessageIdentity(type: "0220", fields: [11: "2"]))
    }

    @Test func `a refund without an answer is taken back, and can be made again`() async throws {
        let inbox = Inbox()
        let till = try till(inbox, faults: [IssuerFaultRule(.answerLost, messages: [.refund], times: 1)])
        let payment = try await till.pay()
        _ = try await till.refund(payment)
        #expect(try till.journal.attempts(of: payment.id).map(\.state) == [.captured, .unknown])
        #expect(try await till.recover().finished.map(\.refundedAmount.minorUnits) == [0])
        #expect(try till.journal.attempts(of: payment.id).map(\.state) == [.captured, .reversed])
        #expect(try await till.charged() == 1250)
        #expect(try await till.refund(payment).state == .refunded)
        #expect(try await till.booksAgree())
    }

    @Test func `an advice is repeated with the identity that the journal got before it`() async throws {
        let inbox = Inbox()
        let till = try till(
            inbox, card: "offline-approve", faults: [IssuerFaultRule(.answerLost, messages: [.advise], times: 1)])
        #expect(try await till.pay().state == .authorized)
        #expect(try await till.recover().finished.map(\.state) == [.captured])
        let identity = MessageIdentity(type: "0220", fields: [11: "1"])
        #expect(inbox.advices.map(\.identity) == [identity, identity])
        #expect(inbox.advices.map(\.isRepeat) == [false, true])
        #expect(inbox.kept == [identity, identity])
    }
}
