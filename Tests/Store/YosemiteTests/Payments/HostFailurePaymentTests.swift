import Determinism
import EMV
import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// Payments with an unreachable host, or without its responses.
@Suite(.simulatedTime) struct HostFailurePaymentTests {
    @Test func `an unreachable host fails the payment without a decline or a reversal`()
        async throws
    {
        let till = try TestTill { $0.faults = [IssuerFaultRule(.notReachable)] }
        let payment = try await till.pay()
        #expect(payment.outcome == .failed)
        #expect(payment.errorCode == "host_unreachable")
        #expect(payment.card?.cryptogramType == "AAC")
        #expect(payment.card?.authorizationResponseCode == "Z3")
        #expect(try await till.story(payment) == [["created", "authorizing", "failed"]])
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(payment.errorMessage?.contains("could not be asked") == true)
    }

    @Test(arguments: [IssuerFault.requestLost, .answerLost, .answerDelayed(.seconds(120))])
    func `a payment without a response is reversed`(fault: IssuerFault) async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(fault, messages: [.authorize])] }
        let payment = try await till.pay()
        #expect(payment.outcome == .failed)
        #expect(payment.errorCode == "host_timeout")
        #expect(payment.state == .reversed)
        #expect(try await till.story(payment) == [["created", "authorizing", "reversing", "reversed"]])
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    @Test func `a late response before the deadline is accepted`() async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(.answerDelayed(.seconds(30)), messages: [.authorize])] }
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(payment.updatedAt >= payment.createdAt.advanced(by: .seconds(30)))
        #expect(try await till.charged() == 1250)
    }

    @Test(arguments: [IssuerFault.requestLost, .answerLost])
    func `a payment with an unconfirmed reversal is unknown until recovery reverses it`(
        fault: IssuerFault
    ) async throws {
        let till = try TestTill {
            $0.faults = [
                IssuerFaultRule(.answerLost, messages: [.authorize]),
                IssuerFaultRule(fault, messages: [.reverse], times: 2),
            ]
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .unknown)
        #expect(try await till.story(payment) == [["created", "authorizing", "reversing", "unknown"]])
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.retry(payment) }
        let first = try await till.recover()
        #expect(first.open.map(\.outcome) == [.unknown])
        #expect(first.finished.isEmpty)
        let second = try await till.recover()
        #expect(second.finished.map(\.state) == [.reversed])
        #expect(try await till.recover() == RecoveryReport())
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    @Test func `an offline approval is not used if the host may have approved too`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.answerLost, messages: [.authorize])]
        }
        let payment = try await till.pay(forcedOnline: true)
        #expect(payment.outcome == .failed)
        #expect(payment.state == .reversed)
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    // EMV Book 3 §10.9: without a response of the issuer, the card may approve by the default codes
    @Test func `an offline approval is used if the request certainly was not sent`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.notReachable, messages: [.authorize])]
        }
        let payment = try await till.pay(forcedOnline: true)
        #expect(payment.outcome == .approved)
        #expect(payment.card?.authorizationResponseCode == "Y3")
        #expect(try await till.story(payment) == [["created", "authorizing", "authorized", "captured"]])
        #expect(try await till.charged() == 1250)
        #expect(try await till.booksAgree())
    }

    // EMV Book 4 §6.5: the merchant's wish to go online sets its TVR bit in that payment alone
    @Test func `a retry that is forced online goes to the issuer`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable(denial: .merchantForcedOnline)
        }
        let declined = try await till.pay(forcedOnline: true)
        #expect(declined.outcome == .declined)
        let again = try await till.retry(declined, forcedOnline: true)
        #expect(again.card?.terminalVerificationResults == "8000000800")
        #expect(try await till.retry(declined).card?.terminalVerificationResults == "8000000000")
    }

    @Test func `a retry is another attempt of the same payment`() async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(.notReachable, messages: [.authorize], times: 1)] }
        let failed = try await till.pay()
        let approved = try await till.retry(failed)
        #expect(approved.id == failed.id)
        #expect(approved.outcome == .approved)
        #expect(approved.errorCode == nil)
        #expect(try await till.charged() == 1250)
        let attempts = try await till.history(approved).attempts
        #expect(attempts.map(\.attempt.state) == [.failed, .captured])
        #expect(Set(attempts.map(\.attempt.stan)).count == 2)
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await till.retry(approved) }
    }
}
