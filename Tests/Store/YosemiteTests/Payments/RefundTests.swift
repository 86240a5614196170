import EMV
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

@Suite(.simulatedTime) struct RefundPaymentTests {
    @Test func `without an amount everything is refunded`() async throws {
        let till = try TestTill()
        let payment = try await till.refund(try await till.pay("12.50"))
        #expect(payment.state == .refunded)
        #expect(payment.refundedAmount.minorUnits == 1250)
        #expect(payment.outcome == .approved)
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
        #expect(try await till.story(payment).last == ["created", "authorizing", "captured"])
    }

    @Test func `partial refunds are possible until nothing is left`() async throws {
        let till = try TestTill()
        let payment = try await till.pay("12.50")
        #expect(try await till.refund(payment, "5.00").state == .partiallyRefunded)
        #expect(try await till.charged() == 750)
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(
                    .refundTooLarge(
                        payment.id, requested: try usd("7.51"), available: try usd("7.50"))))
        ) { try await till.refund(payment, "7.51") }
        #expect(try await till.refund(payment).state == .refunded)
        #expect(try await till.charged() == 0)
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.refund(payment, "0.01") }
        #expect(try await till.booksAgree())
        #expect(try await till.issuer.ledger().entries.filter { $0.kind == .refund }.count == 2)
    }

    @Test func `an unpaid payment is not refunded`() async throws {
        let till = try TestTill("insufficient-funds")
        let payment = try await till.pay()
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.refund(payment) }
        #expect(try await till.history(payment).attempts.count == 1)
    }

    @Test func `a declined refund returns nothing and is reported`() async throws {
        let till = try TestTill {
            $0.wrap = {
                MeddlingHost(
                    host: $0,
                    refundAnswer: AuthorizationResponse(
                        reference: "000000000099", answer: IssuerAnswer(authorizationResponseCode: Array("57".utf8))))
            }
        }
        let payment = try await till.refund(try await till.pay())
        #expect(payment.refundedAmount.minorUnits == 0)
        #expect(payment.state == .captured)
        let attempt = try #require(try await till.history(payment).attempts.last)
        #expect(attempt.attempt.state == .declined)
        #expect(attempt.steps.last?.detail == "declined: the issuer does not approve")
        let receipt: StoredReceipt = try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
        #expect(receipt.content.kind == .refund && receipt.content.outcome == .declined)
    }

    @Test func `an unreachable host fails the refund, which can be retried`() async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(.notReachable, messages: [.refund], times: 1)] }
        let payment = try await till.refund(try await till.pay())
        #expect(try await till.history(payment).attempts.last?.attempt.state == .failed)
        #expect(payment.refundedAmount.minorUnits == 0)
        #expect(try await till.refund(payment).refundedAmount.minorUnits == 1250)
        #expect(try await till.booksAgree())
    }

    @Test(arguments: [(IssuerFault.answerLost, "captured", Int64(1250)), (.requestLost, "reversed", 0)])
    func `a refund without a response is inquired`(
        fault: IssuerFault, state: String, refunded: Int64
    ) async throws {
        let till = try TestTill {
            $0.faults = [
                IssuerFaultRule(fault, messages: [.refund], times: 1),
                IssuerFaultRule(.answerLost, messages: [.inquire], times: 1),
            ]
        }
        let sale = try await till.pay()
        let unknown = try await till.refund(sale)
        #expect(try await till.history(sale).attempts.last?.attempt.state == .unknown)
        #expect(unknown.refundedAmount.minorUnits == 0)
        // It may have been paid: no second one.
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.refund(sale) }
        #expect(try await till.recover().open.count == 1)
        let report = try await till.recover()
        #expect(report.finished.map(\.refundedAmount.minorUnits) == [refunded])
        #expect(try await till.history(sale).attempts.last?.attempt.state.rawValue == state)
        #expect(try await till.booksAgree())
        guard refunded == 0 else { return }
        #expect(try await till.refund(sale).refundedAmount.minorUnits == 1250)
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    @Test func `a payment that recovery captured can be refunded`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.notReachable, messages: [.advise], times: 1)]
        }
        let payment = try await till.pay()
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.refund(payment) }
        _ = try await till.recover()
        #expect(try await till.refund(payment, "2.50").refundedAmount.minorUnits == 250)
        #expect(try await till.charged() == 1000)
        #expect(try await till.booksAgree())
    }
}
