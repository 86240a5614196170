import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

@Suite(.simulatedTime) struct ReceiptStoreTests {
    private func newest(_ till: TestTill, _ payment: Payment) async throws -> StoredReceipt {
        try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
    }

    private func text(
        _ till: TestTill, _ payment: Payment, _ copy: ReceiptCopy = .customer
    ) async throws -> String {
        let receipt = try await newest(till, payment)
        return try await till.receipt {
            .generateContent(receipt: receipt, copy: copy, width: 40, onCompletion: $0)
        }
    }

    // MARK: Content

    // EMV Book 4 §11: the receipt of a chip payment names the application by its identifier
    @Test func `a sale's receipt has the fields of a chip receipt`() async throws {
        let till = try TestTill()
        let payment = try await till.pay("12.50")
        let text = try await text(till, payment)
        for part in [
            "Corner Shop", "1 Main Street", "SALE", "APPROVED", "Order", "#42", "$12.50", "Visa Credit",
            "A0000000031010", "**** **** **** 0010", "CHIP", "CUSTOMER COPY", "P000001",
            payment.card?.applicationCryptogram ?? "?", payment.card?.authorizationCode ?? "?",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("DUPLICATE"))
    }

    @Test func `a declined sale's receipt has the reason, and that nothing was charged`() async throws {
        let till = try TestTill("insufficient-funds")
        let text = try await text(till, try await till.pay())
        for part in ["SALE", "DECLINED", "Insufficient funds", "Approved amount", "$0.00"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test func `the receipt of an unknown outcome warns, and a later one has the result`() async throws {
        let till = try TestTill {
            $0.faults = [
                IssuerFaultRule(.answerLost, messages: [.authorize]),
                IssuerFaultRule(.requestLost, messages: [.reverse], times: 1),
            ]
        }
        let payment = try await till.pay()
        let before = try await text(till, payment)
        #expect(before.contains("OUTCOME UNKNOWN"))
        #expect(before.contains("Do not charge again."))
        _ = try await till.recover()
        #expect(try await text(till, payment).contains("CANCELLED"))
        let all: [StoredReceipt] = try await till.receipt { .loadReceipts(matching: ReceiptQuery(), onCompletion: $0) }
        #expect(all.map(\.content.outcome) == [.canceled, .unknown])
    }

    @Test func `a refund's receipt has the refund's authorization, not the sale's`() async throws {
        let till = try TestTill()
        let sale = try await till.pay("12.50")
        let payment = try await till.refund(sale, "5.00")
        let text = try await text(till, payment)
        for part in ["REFUND", "APPROVED", "$5.00", "**** **** **** 0010"] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains(sale.card?.applicationCryptogram ?? ""))
        #expect(!text.contains(sale.card?.authorizationCode ?? ""))
    }

    @Test func `the receipt is stored with the outcome or not at all`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        let receipt = try await newest(till, payment)
        #expect(receipt.createdAt == payment.updatedAt)
        #expect(try await till.history(payment).attempts.first?.steps.last?.at == receipt.createdAt)
    }

    @Test func `a payment that read no card has no receipt`() async throws {
        let till = try TestTill("mute")
        let payment = try await till.pay()
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.noReceipt(payment: "P000001"))) {
            try await newest(till, payment)
        }
    }

    @Test func `each refund of a payment has its receipt, by its number`() async throws {
        let till = try TestTill()
        let sale = try await till.pay("12.50")
        func load(_ number: Int?) async throws -> StoredReceipt {
            try await till.receipt {
                .loadReceipt(paymentID: sale.id, kind: .refund, refund: number, onCompletion: $0)
            }
        }
        for number in [nil, 1] {
            await #expect(
                throws: ActionFailure.failed(ReceiptStoreError.noRefund(payment: "P000001", count: 0))
            ) { try await load(number) }
        }
        for amount in ["5.00", "2.50"] { _ = try await till.refund(sale, amount) }
        #expect(try await load(1).content.amount == "5.00")
        #expect(try await load(2).content.amount == "2.50")
        #expect(try await load(nil) == load(2))
        for number in [-1, 0, 3] {
            await #expect(
                throws: ActionFailure.failed(ReceiptStoreError.noRefund(payment: "P000001", count: 2))
            ) { try await load(number) }
        }
        // A new version of a receipt is no refund of its own.
        var content = try await load(2).content
        content.merchant.lines.append("Floor 2")
        let saved: StoredReceipt = try await till.receipt {
            .saveReceipt(paymentID: sale.id, content: content, onCompletion: $0)
        }
        #expect(try await load(2) == saved)
        #expect(try await load(1).content.amount == "5.00")
    }

    @Test func `a payment without a receipt of a kind says so`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.noReceipt(payment: "P000001", kind: .void))) {
            let receipt: StoredReceipt = try await till.receipt {
                .loadReceipt(paymentID: payment.id, kind: .void, onCompletion: $0)
            }
            return receipt
        }
    }

    @Test func `a stored receipt is a new version, and is read back unchanged`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        let first = try await newest(till, payment)
        var content = first.content
        content.merchant.lines.append("Floor 2")
        let saved: StoredReceipt = try await till.receipt {
            .saveReceipt(paymentID: payment.id, content: content, onCompletion: $0)
        }
        #expect(saved.content == content)
        #expect((first.version, saved.version) == (1, 2))
        #expect(try await newest(till, payment) == saved)
    }

    @Test func `receipts are found by their content`() async throws {
        let till = try TestTill()
        let first = try await till.pay("12.50")
        let second = try await till.collect("7.00")
        _ = try await till.refund(first, "5.00")
        func found(_ query: ReceiptQuery) async throws -> [String] {
            let receipts: [StoredReceipt] = try await till.receipt {
                .loadReceipts(matching: query, onCompletion: $0)
            }
            return receipts.map { "\($0.paymentName) \($0.content.kind.rawValue)" }
        }
        let all = ["P000001 refund", "P000002 sale", "P000001 sale"]
        #expect(try await found(ReceiptQuery()) == all)
        #expect(try await found(ReceiptQuery(limit: 1)) == ["P000001 refund"])
        #expect(try await found(ReceiptQuery(paymentID: second.id)) == ["P000002 sale"])
        #expect(try await found(ReceiptQuery(orderID: 42)) == all)
        #expect(try await found(ReceiptQuery(orderID: 43)) == [])
        #expect(try await found(ReceiptQuery(lastFour: "0010")) == all)
        #expect(try await found(ReceiptQuery(lastFour: "1119")) == [])
        #expect(try await found(ReceiptQuery(amount: try usd("5.00"))) == ["P000001 refund"])
        let code = try #require(first.card?.authorizationCode)
        #expect(try await found(ReceiptQuery(authorizationCode: code.lowercased())) == ["P000001 sale"])
        #expect(try await found(ReceiptQuery(since: second.updatedAt)) == ["P000001 refund", "P000002 sale"])
        #expect(try await found(ReceiptQuery(before: second.updatedAt)) == ["P000001 sale"])
    }
}
