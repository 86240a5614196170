import Payments
import Printing
import Receipts
import SimulatedTime
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// The states of prints in the journal.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReceiptPrintTests {
    private typealias Report = Result<Printing.PrintJob, PrinterError>

    private static func says(
        _ state: Printing.PrintJob.State, _ reasons: [String] = [], isConfirmed: Bool = true, hasStarted: Bool = true
    ) -> Report {
        .success(.report(state, reasons, isConfirmed: isConfirmed, hasStarted: hasStarted))
    }

    private static let away = PrinterError.serverUnavailable(server: "s", message: "the connection broke")

    // MARK: States

    @Test func `a print is reported and recorded in every state, with its reasons`() async throws {
        let printer = ScriptedPrinter([
            Self.says(.pending), Self.says(.pending, ["printer-stopped"]), Self.says(.processing, ["job-printing"]),
            Self.says(.processing, ["job-printing"]), Self.says(.completed),
        ])
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let told = Mutex<[ReceiptPrint]>([])
        let print = try await till.print(payment, on: "counter") { news in told.withLock { $0.append(news) } }
        #expect(print.state == .completed)
        #expect((print.printer, print.jobID, print.copies, print.isOpen) == ("counter", 1, 1, false))
        #expect(!print.isDuplicate)
        let states: [ReceiptPrint.State] = [.queued, .accepted, .accepted, .sent, .completed]
        #expect(told.withLock { $0.map(\.state) } == states)
        let history = try #require(try await till.prints(payment).first)
        #expect(history.print == print)
        #expect(history.steps.map(\.state) == states)
        #expect(history.steps.map(\.reasons) == [[], [], ["printer-stopped"], ["job-printing"], []])
        #expect(zip(history.steps, history.steps.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test(
        arguments: [
            ([says(.completed)], .completed, false, true), ([says(.completed, isConfirmed: false)], .sent, false, true),
            ([says(.canceled)], .failed, false, true), ([says(.canceled, hasStarted: false)], .failed, false, false),
            ([says(.aborted)], .failed, false, true), ([says(.processing), says(.aborted)], .failed, false, true),
            // A server that forgets that it had begun is not believed.
            ([says(.processing), says(.canceled, hasStarted: false)], .failed, false, true),
            ([says(.pending)], .accepted, true, true), ([says(.held)], .accepted, true, true),
            ([says(.processing)], .sent, true, true), ([says(.stopped)], .sent, true, true),
            // Begun again: there may be paper already.
            ([says(.processing), says(.pending)], .sent, true, true),
        ] as [([Result<Printing.PrintJob, PrinterError>], ReceiptPrint.State, Bool, Bool)])
    func `a print ends with the last reported state`(
        script: [Result<Printing.PrintJob, PrinterError>], state: ReceiptPrint.State, isOpen: Bool, mayBePrinted: Bool
    ) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(script) }
        let payment = try await till.pay()
        let print = try await till.print(payment)
        #expect((print.state, print.isOpen, print.mayBePrinted) == (state, isOpen, mayBePrinted))
        #expect(try await till.newest(payment).wasPrinted(.customer) == mayBePrinted)
        #expect(try await till.print(payment).isDuplicate == mayBePrinted)
    }

    @Test(
        arguments: [
            (away, .unknown, true), (.rejected(printer: "counter", message: "?"), .unknown, true),
            (.jobNotFound(.report(.pending)), .unknown, false),
        ] as [(PrinterError, ReceiptPrint.State, Bool)])
    func `a server that is lost during a print leaves an unknown state`(
        error: PrinterError, state: ReceiptPrint.State, isOpen: Bool
    ) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter([Self.says(.processing), .failure(error)]) }
        let payment = try await till.pay()
        let failure = await till.printFailure(payment)
        guard case .printUncertain(let print, error)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect((print.state, print.isOpen, print.mayBePrinted) == (state, isOpen, true))
        #expect(try await till.prints(payment).first?.steps.map(\.state) == [.queued, .accepted, .sent, .unknown])
        #expect(try await till.newest(payment).wasPrinted(.customer))
    }

    @Test(arguments: [
        PrinterError.rejected(printer: "counter", message: "not accepting jobs"),
        .printerNotFound("counter", available: []), .libraryMissing("libcups.so.2"),
        .unreachable(printer: "counter", address: "10.0.0.1", message: "refused"),
        .notReady(printer: "counter", reasons: ["cover-open-error"]),
        .interrupted(printer: "counter", bytesSent: 0, byteCount: 99, message: "reset"),
    ])
    func `a rejected job is a failed print`(refusal: PrinterError) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(taken: .failure(refusal)) }
        let payment = try await till.pay()
        guard case .notPrinted(let print, refusal)? = await till.printFailure(payment) else {
            Issue.record("printed")
            return
        }
        #expect((print.state, print.isOpen, print.mayBePrinted) == (.failed, false, false))
        #expect(try await till.prints(payment).map(\.print) == [print])
        #expect(try await !till.newest(payment).wasPrinted(.customer))
    }

    @Test(
        arguments: [
            (away, true), (.canceled, true),
            // No server has it.
            (.interrupted(printer: "counter", bytesSent: 5, byteCount: 99, message: "reset"), false),
        ] as [(PrinterError, Bool)])
    func `a job that may have been accepted counts as printed, and is searched for while a server may have it`(
        error: PrinterError, isOpen: Bool
    ) async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(taken: .failure(error)) }
        let payment = try await till.pay()
        guard case .printUncertain(let print, error)? = await till.printFailure(payment) else {
            Issue.record("certain")
            return
        }
        #expect((print.state, print.isOpen, print.mayBePrinted) == (.unknown, isOpen, true))
        #expect(try await till.newest(payment).wasPrinted(.customer))
    }

    @Test(arguments: [
        away, .printerNotFound("nowhere", available: ["counter"]), .noDefaultPrinter(available: []), .canceled,
    ])
    func `a printer whose formats cannot be queried gets nothing, and the failure is recorded`(
        error: PrinterError
    ) async throws {
        let printer = ScriptedPrinter(of: .failure(error))
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        guard case .notPrinted(let print, error)? = await till.printFailure(payment, on: "nowhere") else {
            Issue.record("printed")
            return
        }
        #expect((print.state, print.mayBePrinted, print.printer, print.format) == (.failed, false, "nowhere", nil))
        #expect(printer.questions == [.capabilities])
    }

    // MARK: Printers without a server

    @Test(
        arguments: [(.completed, .completed), (.processing, .sent)]
            as [(Printing.PrintJob.State, ReceiptPrint.State)])
    func `a printer without a server reports nothing after it accepted the job`(
        taken: Printing.PrintJob.State, state: ReceiptPrint.State
    ) async throws {
        let printer = ScriptedPrinter(taken: .success(taken), hasServer: false)
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let print = try await till.print(payment)
        #expect((print.state, print.isOpen, print.jobID) == (state, false, nil))
        #expect(try await till.prints(payment).first?.steps.map(\.state) == [.queued, .accepted, state])
        #expect(printer.questions == [.capabilities, .submit])
    }

    // MARK: What is sent

    @Test func `a printer gets a format that it accepts`() async throws {
        func sent(_ language: PrinterCapabilities.Language) async throws -> PrintDocument {
            let printer = ScriptedPrinter(
                of: .success(PrinterCapabilities(name: "counter", language: language, canConfirm: true)))
            let till = try TestTill { $0.printer = printer }
            let payment = try await till.pay()
            let print = try await till.print(payment)
            let document = try #require(printer.documents.first)
            #expect(print.format == document.format)
            let title = try #require(document.title.wholeMatch(of: /Receipt P000001 J000001-([0-9a-f]{8})/))
            #expect(try till.journal.databaseID().hasPrefix(title.1))
            return document
        }
        let text = try await sent(.text(columns: 32))
        #expect(text.format == "text/plain")
        #expect(String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").allSatisfy { $0.count <= 32 })
        let pages = try await sent(.pdf)
        #expect(pages.format == "application/pdf")
        #expect(pages.bytes.starts(with: Array("%PDF-".utf8)))
        let commands = try await sent(.escpos(.epson, columns: 42))
        #expect(commands.format == "application/vnd.cups-raw")
        #expect(commands.bytes.starts(with: [0x1B, 0x40]))
    }

    @Test func `copies and paper are sent to the printer, and an unavailable paper is rejected`() async throws {
        let printer = ScriptedPrinter(
            of: .success(
                PrinterCapabilities(
                    name: "counter", language: .pdf,
                    media: [PrintMedium(name: "iso_a4_210x297mm", width: 21_000, length: 29_700)], canConfirm: true)))
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let print = try await till.print(payment, copies: 3, medium: "a4")
        #expect((print.copies, print.medium) == (3, "a4"))
        #expect(printer.options == [PrintOptions(copies: 3, medium: "a4")])
        guard case .notPrinted(_, .unsupportedMedium("58mm", _, _))? = await till.printFailure(payment, medium: "58mm")
        else {
            Issue.record("taken")
            return
        }
        #expect(printer.documents.count == 1)
    }

    // MARK: Duplicates

    @Test func `the second print of a copy is marked as a duplicate`() async throws {
        let printer = ScriptedPrinter()
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let marks = [
            try await till.print(payment), try await till.print(payment, .merchant), try await till.print(payment),
        ].map(\.isDuplicate)
        #expect(marks == [false, false, true])
        #expect(printer.texts.map { $0.contains("DUPLICATE") } == marks)
        #expect(try await till.newest(payment).prints.map(\.copy) == [.customer, .merchant, .customer])
    }

    @Test func `a reprint is like the last print, and marked as a duplicate`() async throws {
        let printer = ScriptedPrinter()
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        _ = try await till.print(payment, on: "kitchen", copies: 2)
        let again = try await till.reprint(payment)
        #expect((again.printer, again.copies, again.isDuplicate) == ("kitchen", 2, true))
        let elsewhere = try await till.reprint(payment, on: "counter", copies: 1)
        #expect((elsewhere.printer, elsewhere.copies, elsewhere.isDuplicate) == ("counter", 1, true))
        #expect(printer.texts.map { $0.contains("DUPLICATE") } == [false, true, true])
    }

    @Test func `a receipt that was not printed cannot be reprinted`() async throws {
        let till = try TestTill {
            $0.printer = ScriptedPrinter(taken: .failure(.rejected(printer: "counter", message: "no")))
        }
        let payment = try await till.pay()
        _ = await till.printFailure(payment)
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.neverPrinted(payment: "P000001"))) {
            try await till.reprint(payment)
        }
    }

    // MARK: Canceling

    @Test func `canceling a waiting print removes it from the queue before it is printed`() async throws {
        let printer = ScriptedPrinter(canceled: Self.says(.canceled, hasStarted: false), [Self.says(.pending)])
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        let waiting = try await till.print(payment, timeout: nil)
        #expect((waiting.state, waiting.isOpen) == (.accepted, true))
        let canceled = try await till.cancelPrint(waiting)
        #expect((canceled.state, canceled.isOpen, canceled.mayBePrinted) == (.failed, false, false))
        #expect(try await !till.print(payment, timeout: nil).isDuplicate)
    }

    @Test func `canceling a started print may leave paper, or come too late`() async throws {
        for (end, state) in [(Self.says(.canceled), ReceiptPrint.State.failed), (Self.says(.completed), .completed)] {
            let till = try TestTill { $0.printer = ScriptedPrinter(canceled: end, [Self.says(.processing)]) }
            let payment = try await till.pay()
            let begun = try await till.print(payment)
            let ended = try await till.cancelPrint(begun)
            #expect((ended.state, ended.mayBePrinted) == (state, true))
            await #expect(throws: ActionFailure.failed(ReceiptStoreError.printEnded(ended))) {
                try await till.cancelPrint(begun)
            }
        }
    }

    @Test func `a cancel request that fails leaves the print unchanged`() async throws {
        let till = try TestTill { $0.printer = ScriptedPrinter(canceled: .failure(Self.away), [Self.says(.pending)]) }
        let payment = try await till.pay()
        let waiting = try await till.print(payment)
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.printer(Self.away))) {
            try await till.cancelPrint(waiting)
        }
        #expect(try await till.prints(payment).map(\.print) == [waiting])
    }

    @Test func `a print that is being submitted cannot be canceled yet`() async throws {
        let till = try TestTill()
        let payment = try await till.pay()
        let receipt = try await till.newest(payment)
        let other = PaymentJournal(storage: till.storage, lease: try ProcessLease(in: till.storage))
        let job = try other.recordPrint(
            ReceiptPrintDraft(receiptID: receipt.id, printer: "counter", copy: .customer), at: payment.updatedAt)
        let print = try #require(try await till.prints(payment).first).print
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.printBusy(print))) {
            try await till.cancelPrint(print)
        }
        #expect(try other.print(job.id).state == .queued)
    }

    @Test func `a print whose number was not received is found by its title and canceled`() async throws {
        let printer = ScriptedPrinter(
            taken: .failure(Self.away), canceled: Self.says(.canceled, hasStarted: false), found: .success(7))
        let till = try TestTill { $0.printer = printer }
        let payment = try await till.pay()
        guard case .printUncertain(let print, _)? = await till.printFailure(payment) else {
            Issue.record("certain")
            return
        }
        let canceled = try await till.cancelPrint(print)
        #expect((canceled.state, canceled.jobID, canceled.mayBePrinted) == (.failed, 7, false))
        #expect(printer.questions.suffix(2) == [.find, .cancel])
        #expect(try await !till.newest(payment).wasPrinted(.customer))
    }

    @Test func `an unknown print is reported`() async throws {
        let till = try TestTill()
        await #expect(throws: ActionFailure.failed(ReceiptStoreError.journal(.printNotFound(9)))) {
            try await till.receipt { .cancelPrint(printID: 9, onCompletion: $0) } as ReceiptPrint
        }
        await #expect(
            throws: ActionFailure.failed(ReceiptStoreError.journal(.paymentNotFound(PaymentID(rawValue: 9))))
        ) {
            try await till.receipt { .loadPrintJobs(paymentID: PaymentID(rawValue: 9), limit: nil, onCompletion: $0) }
                as [ReceiptPrintHistory]
        }
    }
}

/// What tills do in these tests.
extension TestTill {
    func newest(_ payment: Payment) async throws -> StoredReceipt {
        try await receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
    }

    func print(
        _ payment: Payment, _ copy: ReceiptCopy = .customer, on printer: String? = nil, copies: Int? = nil,
        medium: String? = nil, timeout: Duration? = .seconds(60),
        onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) async throws -> ReceiptPrint {
        let request = ReceiptPrintRequest(
            try await newest(payment), copy: copy, printer: printer, copies: copies, medium: medium,
            timeout: timeout)
        return try await receipt { .print(request: request, onChange: onChange, onCompletion: $0) }
    }

    /// Why a print has no result; nil when it has one.
    func printFailure(
        _ payment: Payment, on printer: String? = nil, medium: String? = nil
    ) async -> ReceiptStoreError? {
        do { _ = try await print(payment, on: printer, medium: medium) } catch {
            guard case .failed(let failure)? = error as? ActionFailure<ReceiptStoreError> else { return nil }
            return failure
        }
        return nil
    }

    func reprint(
        _ payment: Payment, on printer: String? = nil, copies: Int? = nil
    ) async throws -> ReceiptPrint {
        let request = ReceiptPrintRequest(
            try await newest(payment), copy: .customer, printer: printer, copies: copies)
        return try await receipt { .reprint(request: request, onChange: { _ in }, onCompletion: $0) }
    }

    func cancelPrint(_ print: ReceiptPrint) async throws -> ReceiptPrint {
        try await receipt { .cancelPrint(printID: print.id, onCompletion: $0) }
    }

    func prints(_ payment: Payment) async throws -> [ReceiptPrintHistory] {
        try await receipt { .loadPrintJobs(paymentID: payment.id, limit: nil, onCompletion: $0) }
    }

    func resolvePrints() async throws -> [ReceiptPrint] {
        try await receipt { .resolvePrintJobs(within: .seconds(3), onCompletion: $0) }
    }
}
