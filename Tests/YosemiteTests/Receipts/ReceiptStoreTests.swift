import Hardware
import Simulator
import Storage
import Testing

@testable import Yosemite

@Suite struct ReceiptStoreTests {
    private func newest(_ till: TestTill, _ payment: Yosemite.Payment) async throws -> StoredReceipt {
        try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
    }

    private func text(
        _ till: TestTill, _ payment: Yosemite.Payment, _ copy: ReceiptCopy = .customer
    ) async throws -> String {
        let receipt = try await newest(till, payment)
        return try await till.receipt {
            .generateContent(receiptID: receipt.id, copy: copy, width: 40, onCompletion: $0)
        }
    }

    private func print(
        _ till: TestTill, _ payment: Yosemite.Payment, _ copy: ReceiptCopy = .customer, on printer: String? = nil
    ) async throws -> Hardware.PrintJob {
        let receipt = try await newest(till, payment)
        return try await till.receipt {
            .print(
                receiptID: receipt.id, copy: copy, printer: printer, width: 40, onJobChange: { _ in }, onCompletion: $0)
        }
    }

    // MARK: What they say

    // EMV Book 4 §11: the receipt of a chip payment names the application by its identifier
    @Test func `a sale's receipt has the fields of a chip receipt`() async throws {
        let till = try TestTill()
        let payment = try await till.pay("12.50")
        let text = try await text(till, payment)
        for part in [
            "Corner Shop", "1 Main Street", "SALE APPROVED", "Order", "#42", "12.50 USD", "Visa Credit",
            "A0000000031010", "**** **** **** 0010", "CHIP", "CUSTOMER COPY", "P000001",
            payment.card?.applicationCryptogram ?? "?", payment.card?.authorizationCode ?? "?",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("DUPLICATE"))
    }

    @Test func `a declined sale's receipt says why, and that nothing was paid`() async throws {
        let till = try TestTill("insufficient-funds")
        let text = try await text(till, try await till.pay())
        #expect(text.contains("SALE DECLINED"))
        #expect(text.contains("insufficient funds"))
        #expect(text.contains("Approved amount"))
        #expect(text.contains("0.00 USD"))
    }

    @Test func `an unknown sale's receipt warns, and a later one tells the end`() async throws {
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
        #expect(try await text(till, payment).contains("SALE CANCELLED"))
        let all: [StoredReceipt] = try await till.receipt { .loadReceipts(limit: nil, onCompletion: $0) }
        #expect(all.map(\.content.outcome) == [.cancelled, .unknown])
    }

    @Test func `a refund's receipt has the refund's own authorisation and not the sale's`() async throws {
        let till = try TestTill()
        let sale = try await till.pay("12.50")
        let payment = try await till.refund(sale, "5.00")
        let text = try await text(till, payment)
        #expect(text.contains("REFUND APPROVED"))
        #expect(text.contains("5.00 USD"))
        #expect(text.contains("**** **** **** 0010"))
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

    @Test func `a receipt that is saved reads back as it was`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        var content = try await newest(till, payment).content
        content.merchant.lines.append("Floor 2")
        let saved: StoredReceipt = try await till.receipt {
            .saveReceipt(paymentID: payment.id, content: content, onCompletion: $0)
        }
        #expect(saved.content == content)
        #expect(try await newest(till, payment) == saved)
    }

    // MARK: Printing

    @Test func `a print is recorded with its end, and the next one is a duplicate`() async throws {
        let printer = ScriptedPrinter([.success(.processing), .success(.completed)])
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let job = try await print(till, payment, on: "counter")
        #expect(job.state == .completed)
        let prints = try await newest(till, payment).prints
        #expect(prints.map(\.state) == ["completed"])
        #expect(prints.map(\.printer) == ["counter"])
        #expect(prints.map(\.jobID) == [1])
        _ = try await print(till, payment, .merchant)
        _ = try await print(till, payment)
        #expect(printer.texts.map { $0.contains("*** DUPLICATE ***") } == [false, false, true])
        #expect(try await text(till, payment).contains("*** DUPLICATE ***"))
        #expect(try await newest(till, payment).prints.map(\.copy) == [.customer, .merchant, .customer])
    }

    @Test(
        arguments: [
            ([.success(.canceled)], "canceled", false), ([.success(.aborted)], "aborted", false),
            ([.success(.stopped)], "stopped", true), ([.success(.held)], "held", true),
            ([.success(.processing), .failure(.serverUnavailable(server: "s", message: "m"))], "processing", true),
            ([.failure(.cancelled)], "pending", true),
        ] as [([Result<Hardware.PrintJob.State, PrinterError>], String, Bool)])
    func `a print that did not end well is recorded as it was last seen`(
        script: [Result<Hardware.PrintJob.State, PrinterError>], state: String, mayHavePrinted: Bool
    ) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(script) }
        let payment = try await till.pay()
        await #expect(throws: ActionFailure<ReceiptStoreError>.self) { try await print(till, payment) }
        let prints = try await newest(till, payment).prints
        #expect(prints.map(\.state) == [state])
        #expect(prints.map(\.jobID) == [1])
        #expect(try await text(till, payment).contains("DUPLICATE") == mayHavePrinted)
    }

    @Test(arguments: [
        PrinterError.rejected(printer: "counter", message: "not accepting jobs"),
        .printerNotFound("counter", available: []), .noDefaultPrinter(available: []), .libraryMissing("libcups.so.2"),
    ])
    func `a job that the queue did not take is no print`(refusal: PrinterError) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(refusal: refusal) }
        let payment = try await till.pay()
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.printer(refusal))) {
            try await print(till, payment)
        }
        #expect(try await newest(till, payment).prints.map(\.state) == ["aborted"])
        #expect(try await !text(till, payment).contains("DUPLICATE"))
    }

    @Test(arguments: [PrinterError.serverUnavailable(server: "s", message: "the connection broke"), .cancelled])
    func `a job that may have reached the queue counts as printed`(refusal: PrinterError) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(refusal: refusal) }
        let payment = try await till.pay()
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.printer(refusal))) {
            try await print(till, payment)
        }
        #expect(try await text(till, payment).contains("DUPLICATE"))
    }
}
