import Determinism
import Printing
import TestDoubles
import TestPrinters
import Testing

@Suite("A receipt printer on the network", .timeLimit(.minutes(10)))
struct NetworkPrinterTests {
    private let receipt = PrintDocument.escpos(Array("SALE APPROVED\n12.50 USD\n".utf8), title: "P000001")

    private func service(
        _ printer: SocketPrinter, _ family: PrinterFamily = .epson, answers: Bool = true,
        time: any TimeSource = SystemTimeSource()
    ) -> Printers {
        let address = PrinterAddress(host: "127.0.0.1", port: printer.port)
        return Printers(
            [ReceiptPrinter(name: "kitchen", connection: .network(address, answers: answers), family: family)],
            defaultName: nil, server: AbsentServer(), time: time)
    }

    // MARK: It prints

    @Test(arguments: ["TM-T88V", "POS80", ""])
    func `a document arrives once, and is confirmed by each kind of printer`(model: String) async throws {
        let printer = try SocketPrinter(SocketPrinterBehavior(.epson, model: model))
        defer { printer.close() }
        let job = try await service(printer).submit(receipt, to: "kitchen")
        #expect(job == PrintJob(id: 0, printer: "kitchen", state: .completed, isConfirmed: true))
        #expect(printer.printed == receipt.bytes)
    }

    @Test func `a Star printer confirms with its counter`() async throws {
        let printer = try SocketPrinter(SocketPrinterBehavior(.star))
        defer { printer.close() }
        let service = service(printer, .star)
        for _ in 0..<3 {
            let job = try await service.submit(receipt, to: "kitchen")
            #expect(job.state == .completed)
            #expect(job.isConfirmed)
        }
        #expect(printer.printed == receipt.bytes + receipt.bytes + receipt.bytes)
    }

    @Test func `copies are sent one after the other over one connection`() async throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let job = try await service(printer).submit(receipt, to: nil, options: PrintOptions(copies: 3))
        #expect(job.isConfirmed)
        #expect(printer.printed == receipt.bytes + receipt.bytes + receipt.bytes)
        #expect(printer.connectionCount == 1)
    }

    @Test func `a printer without queries gets everything, and paper is not reported`() async throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let service = service(printer, answers: false)
        let job = try await service.submit(receipt, to: "kitchen")
        #expect(job == PrintJob(id: 0, printer: "kitchen", state: .processing))
        #expect(job.isFinished)
        await printer.waitUntilPrinted(receipt.bytes.count)
        #expect(printer.printed == receipt.bytes)
        #expect(try await service.capabilities(of: "kitchen").canConfirm == false)
        // It is not followed, and ends unchanged.
        #expect(try await service.follow(job) { _ in Issue.record("there is nothing to tell") } == job)
    }

    @Test func `a printer that never answers is still used, and confirms nothing`() async throws {
        var behavior = SocketPrinterBehavior()
        behavior.answers = false
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let time = ManualTimeSource()
        let running = Task { try await service(printer, time: time).submit(receipt, to: "kitchen") }
        await time.untilTaskSleeps(.seconds(2))
        time.advance(by: .seconds(2))
        await printer.waitUntilPrinted(receipt.bytes.count)
        await printer.waitUntilLeft()
        let pump = Pump(time, .milliseconds(20))
        defer { pump.stop() }
        #expect(try await running.value == PrintJob(id: 0, printer: "kitchen", state: .processing))
        #expect(printer.printed == receipt.bytes)
    }

    // MARK: It cannot print

    @Test(arguments: [PrinterFamily.epson, .star], SocketPrinterBehavior.Trouble.allCases)
    func `a printer that cannot print is reported before anything is sent`(
        family: PrinterFamily, trouble: SocketPrinterBehavior.Trouble
    ) async throws {
        var behavior = SocketPrinterBehavior(family == .epson ? .epson : .star)
        behavior.troubles = [trouble]
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let service = service(printer, family)
        let reason =
            switch trouble {
            case .coverOpen: "cover-open-error"
            case .paperOut: "media-empty-error"
            case .paperLow: "media-low-warning"
            case .offline: "offline-error"
            case .cutter: "cutter-error"
            case .fault: "other-error"
            }
        let look = try await service.look(at: "kitchen")
        #expect(look.reasons == [reason])
        #expect(look.state == (trouble == .paperLow ? .idle : .stopped))
        guard trouble != .paperLow else {
            #expect(try await service.submit(receipt, to: "kitchen").isConfirmed)
            return
        }
        let error = await #expect(throws: PrinterError.self) { try await service.submit(receipt, to: "kitchen") }
        #expect(error == .notReady(printer: "kitchen", reasons: [reason]))
        #expect(error?.mayHavePrinted == false)
        #expect(printer.printed.isEmpty)
    }

    @Test func `an unreachable printer received nothing`() async throws {
        let printer = try SocketPrinter()
        printer.close()
        // Nothing listens there anymore, and the port is not reused so soon.
        let gone = PrinterAddress(host: "127.0.0.1", port: 1)
        let service = Printers(
            [ReceiptPrinter(name: "kitchen", connection: .network(gone, answers: true))], defaultName: nil,
            server: AbsentServer(), time: SystemTimeSource())
        let error = await #expect(throws: PrinterError.self) { try await service.submit(receipt, to: "kitchen") }
        guard case .unreachable("kitchen", "socket://127.0.0.1:1", let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message == "Connection refused")
        #expect(error?.mayHavePrinted == false)
    }

    @Test func `unsupported formats and paper are rejected before connecting`() async throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        let service = service(printer)
        await #expect(
            throws: PrinterError.unsupportedFormat(
                "application/pdf", printer: "kitchen", supported: ["application/vnd.cups-raw"])
        ) { try await service.submit(.pdf([0x25], title: "P"), to: "kitchen") }
        await #expect(throws: PrinterError.unsupportedMedium("a4", printer: "kitchen", supported: [])) {
            try await service.submit(receipt, to: "kitchen", options: PrintOptions(medium: "a4"))
        }
        #expect(printer.connectionCount == 0)
    }

    // MARK: It stops in the middle

    @Test func `paper that runs out is reported, and the job is not printed`() async throws {
        var behavior = SocketPrinterBehavior()
        behavior.paperEndsAfter = 10
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let time = ManualTimeSource()
        let running = Task { try await service(printer, time: time).submit(receipt, to: "kitchen") }
        await printer.waitUntilPrinted(10)
        await time.untilTaskSleeps(.seconds(2))
        time.advance(by: .seconds(2))
        let job = try await running.value
        #expect(job.state == .stopped)
        #expect(job.reasons == ["media-empty-error"])
        #expect(!job.isConfirmed)
        #expect(job.isFinished)
    }

    @Test func `a broken connection is reported with the sent bytes, and nothing is sent again`() async throws {
        var behavior = SocketPrinterBehavior()
        (behavior.hangsUpAfter, behavior.resets) = (1, true)
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let long = PrintDocument.escpos([UInt8](repeating: 0x41, count: 16 << 20), title: "long")
        let error = await #expect(throws: PrinterError.self) {
            try await service(printer).submit(long, to: "kitchen")
        }
        guard case .interrupted("kitchen", let sent, long.bytes.count, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((1..<long.bytes.count).contains(sent))
        #expect(error?.mayHavePrinted == true)
        #expect(printer.connectionCount == 1)
    }

    @Test func `a printer that never reads times out`() async throws {
        var behavior = SocketPrinterBehavior()
        behavior.isReadless = true
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let time = ManualTimeSource()
        let long = PrintDocument.escpos([UInt8](repeating: 0x41, count: 16 << 20), title: "long")
        let running = Task { try await service(printer, answers: false, time: time).submit(long, to: "kitchen") }
        let pump = Pump(time, .seconds(15))
        defer { pump.stop() }
        let error = await #expect(throws: PrinterError.self) { try await running.value }
        guard case .interrupted("kitchen", let sent, long.bytes.count, "no answer in time") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sent < long.bytes.count)
        await printer.waitUntilConnected()
        #expect(printer.connectionCount == 1)
    }

    @Test func `a printer that disconnects before confirming has received everything without confirmation`()
        async throws
    {
        var behavior = SocketPrinterBehavior()
        behavior.hangsUpBeforeConfirming = true
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let job = try await service(printer).submit(receipt, to: "kitchen")
        #expect((job.state, job.isConfirmed) == (.processing, false))
        #expect(job.message == "the printer closed the connection before it reported whether it printed")
        #expect(printer.printed == receipt.bytes)
    }

    @Test func `a print that is canceled while the printer does not respond ends at once`() async throws {
        var behavior = SocketPrinterBehavior()
        behavior.answers = false
        let printer = try SocketPrinter(behavior)
        defer { printer.close() }
        let time = ManualTimeSource()
        let running = Task { try await service(printer, time: time).submit(receipt, to: "kitchen") }
        await time.untilTaskSleeps(.seconds(2))
        running.cancel()
        await #expect(throws: PrinterError.canceled) { try await running.value }
        #expect(printer.printed.isEmpty)
    }

    // MARK: How it is

    @Test func `a printer is queried for its state and name`() async throws {
        let printer = try SocketPrinter(SocketPrinterBehavior(.epson, model: "TM-m30III"))
        defer { printer.close() }
        let look = try await service(printer).look(at: nil)
        #expect(
            look
                == PrintQueue(
                    name: "kitchen", kind: .network, isDefault: true, state: .idle, isAcceptingJobs: true,
                    address: "socket://127.0.0.1:\(printer.port)", model: "TM-m30III"))
        #expect(printer.printed.isEmpty)
    }
}
