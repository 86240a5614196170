import Foundation
import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

@Suite(.simulatedTime) struct PartialApprovalTests {
    private static let rules = "rules: [{ answer: { responseCode: \"10\", approvedPercent: 80 }, times: 1 }]"

    private func pay(_ till: TestTill, holds: Bool = false, allowsPartial: Bool = true) async throws -> Payment {
        try await till.connect()
        let request = PaymentRequest(
            amount: try usd("12.50"), holdDuration: holds ? .seconds(86_400) : nil, allowsPartial: allowsPartial)
        return try await till.perform { done in
            .collectPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
    }

    @Test func `a part is taken when that is allowed, and receipt and records say so`() async throws {
        let till = try TestTill { $0.rules = Self.rules }
        let payment = try await pay(till)
        #expect(try payment.state == .captured && payment.amount == usd("10.00"))
        #expect(payment.requestedAmount == (try usd("12.50")))
        #expect(try await till.charged() == 1000)
        #expect(try await till.booksAgree())
        let stored = try #require(try till.journal.receipts(of: payment.id).first)
        let receipt = try JSONDecoder().decode(ReceiptContent.self, from: Data(stored.content.utf8))
        #expect((receipt.amount, receipt.approvedAmount) == ("12.50", "10.00"))
        #expect(try await till.refund(payment).refundedAmount == (try usd("10.00")))
        #expect(try await till.charged() == 0)
    }

    @Test func `a part is reversed otherwise, and when the host does not say how much it is`() async throws {
        let till = try TestTill { $0.rules = Self.rules }
        #expect(try await pay(till, allowsPartial: false).outcome == .declined)
        #expect(try await till.charged() == 0)
        let silent = try TestTill { $0.rules = "rules: [{ answer: { responseCode: \"10\" } }]" }
        #expect(try await pay(silent).outcome == .declined)
        #expect(try await silent.charged() == 0)
    }

    @Test func `a part is held, and no more than that is captured`() async throws {
        let till = try TestTill { $0.rules = Self.rules }
        let held = try await pay(till, holds: true)
        #expect(held.preauthorization?.authorized == (try usd("10.00")))
        await #expect(
            throws: ActionFailure.failed(
                CardPresentPaymentsError.journal(
                    .captureTooLarge(held.id, requested: try usd("12.50"), authorized: try usd("10.00"))))
        ) {
            try await till.perform {
                .capturePreauthorization(paymentID: held.id, amount: held.requestedAmount, onCompletion: $0)
            } as Payment
        }
        let captured: Payment = try await till.perform {
            .capturePreauthorization(paymentID: held.id, amount: nil, onCompletion: $0)
        }
        #expect(captured.amount == (try usd("10.00")))
        #expect(try await till.booksAgree())
    }
}
