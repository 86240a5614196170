import Determinism
import Foundation
import Printing
import Synchronization
import TestPrinters
import Testing

@Suite("Printing through CUPS")
struct CUPSPrintingTests {
    private let document = PrintDocument.text("SALE APPROVED\n12.50 USD\n", title: "P000001")

    @Test(.timeLimit(.minutes(10)))
    func `a receipt arrives at an IPP Everywhere printer, and an unknown queue is reported with the existing ones`()
        async throws
    {
        try await PrintServer.running { server in
            let service = CUPSPrinterService(server: server.socket, time: SystemTimeSource())
            #expect(try await service.printers().map(\.name).contains("receipts"))
            let job = try await service.submit(document, to: "receipts")
            let states = Mutex<[PrintJob.State]>([])
            let ended = try await service.follow(job) { job in states.withLock { $0.append(job.state) } }
            #expect(ended.id == job.id)
            #expect(ended.state == .completed)
            #expect(states.withLock { $0.last } == .completed)
            let printed = try #require(try await server.printed(1).first)
            #expect(printed.prefix(5) == Data("%PDF-".utf8))

            let error = await #expect(throws: PrinterError.self) {
                try await service.submit(document, to: "nowhere")
            }
            guard case .printerNotFound("nowhere", let available) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(available.contains("receipts"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a queue reports its formats, and pages use the requested paper`() async throws {
        let printer = try SocketPrinter()
        defer { printer.close() }
        try await PrintServer.running(rawPort: printer.port) { server in
            let star = ReceiptPrinter(name: "raw", connection: .queue, family: .star, columns: 48)
            let service = CUPSPrinterService(server: server.socket, describing: [star], time: SystemTimeSource())
            let pages = try await service.capabilities(of: "receipts")
            #expect(pages.language == .pdf)
            #expect(pages.canConfirm)
            #expect(pages.formats.prefix(2) == ["application/pdf", "text/plain"])
            #expect(try pages.medium(named: "a4").name == "iso_a4_210x297mm")
            #expect(try pages.medium(named: "na_letter_8.5x11in").width == 21_590)
            #expect(pages.defaultMedium.map(pages.media.contains) == true)
            // The paper for envelopes is no roll.
            #expect(throws: PrinterError.self) { try pages.medium(named: "80mm") }

            let raw = try await service.capabilities(of: "raw")
            #expect(raw.language == .escpos(.star, columns: 48))
            #expect(!raw.canConfirm)
            let look = try await service.look(at: "raw")
            #expect(look.address == "socket://127.0.0.1:\(printer.port)")
            #expect(look.model == "Local Raw Printer")

            // A printer of letters is not sent pages, though CUPS would.
            await #expect(
                throws: PrinterError.unsupportedFormat(
                    "application/pdf", printer: "raw", supported: ["application/vnd.cups-raw"])
            ) { try await service.submit(.pdf(Array("%PDF-1.4".utf8), title: "P"), to: "raw") }
            let error = await #expect(throws: PrinterError.self) {
                try await service.submit(document, to: "receipts", options: PrintOptions(medium: "80mm"))
            }
            guard case .unsupportedMedium("80mm", "receipts", let supported) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(supported.contains("iso_a4_210x297mm"))
            await #expect(throws: PrinterError.self) {
                try await service.submit(
                    PrintDocument(title: "P", format: "video/mp4", bytes: [0]), to: "receipts")
            }

            // Bytes for a receipt printer arrive unchanged, in every copy, and paper is not reported.
            let commands = PrintDocument.escpos(Array(UInt8.min...UInt8.max) + [0x1D, 0x56, 66, 0], title: "P000002")
            let job = try await service.submit(commands, to: "raw", options: PrintOptions(copies: 2))
            let ended = try await service.follow(job) { _ in }
            #expect((ended.state, ended.isConfirmed, ended.hasStarted) == (.completed, false, true))
            #expect(printer.printed == commands.bytes + commands.bytes)

            let hold = try server.hold()
            let paper = try await service.submit(document, to: "receipts", options: PrintOptions(medium: "a4"))
            let told = Mutex<[PrintJob.State]>([])
            let printed = try await service.follow(paper) { job in
                told.withLock { $0.append(job.state) }
                // Intermediate events are received too; otherwise the job would never end.
                if job.state == .processing { hold.release() }
            }
            #expect(printed.isConfirmed)
            // A till that did not get the job's number finds the job after it has ended, too.
            #expect(try await service.job(titled: document.title, on: "receipts")?.id == printed.id)
            #expect(told.withLock { $0.last } == .completed)
            let pdf = try #require(try await server.printed(1).first)
            // A4 in points, and not the printer's letter.
            #expect(try #require(String(data: pdf, encoding: .isoLatin1)).contains("595"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `failures are reported: a stopped queue, a canceled job, a missing printer`() async throws {
        let printer = try SocketPrinter()
        try await PrintServer.running(rawPort: printer.port) { server in
            let service = CUPSPrinterService(server: server.socket, time: SystemTimeSource())
            try await server.administer("cupsdisable", "-r", "the paper is wet", "receipts")
            let queue = try await service.look(at: "receipts")
            #expect(queue.state == .stopped)
            #expect(queue.reasons.contains("paused"))
            #expect(queue.message == "the paper is wet")
            let waiting = try await service.submit(document, to: "receipts")
            let late = await #expect(throws: PrinterError.self) {
                try await service.follow(waiting, timeout: .milliseconds(200)) { _ in }
            }
            guard case .timedOut(let stuck) = late else {
                Issue.record("\(String(describing: late))")
                return
            }
            #expect(!stuck.state.isFinal)
            #expect(!stuck.hasStarted)
            // A job without a known number is found by its title; another job with the number is not touched.
            let found = try #require(try await service.job(titled: "P000001", on: "receipts"))
            #expect((found.id, found.title) == (stuck.id, "P000001"))
            #expect(try await service.status(of: found).id == stuck.id)
            #expect(try await service.job(titled: "P00000", on: "receipts") == nil)
            #expect(try await service.job(titled: "P000001", on: "raw") == nil)
            #expect(try await service.job(titled: "P000001", on: "nowhere") == nil)
            var other = stuck
            other.title = "P000002"
            await #expect(throws: PrinterError.jobNotFound(other)) { try await service.status(of: other) }
            await #expect(throws: PrinterError.jobNotFound(other)) { try await service.cancel(other) }
            #expect(try await service.status(of: stuck) == stuck)
            let dropped = try await service.cancel(stuck)
            #expect((dropped.state, dropped.hasStarted) == (.canceled, false))
            // What has ended is not ended again.
            #expect(try await service.cancel(dropped).state == .canceled)
            await #expect(throws: PrinterError.jobFailed(dropped)) { try await service.follow(waiting) { _ in } }

            try await server.administer("cupsreject", "receipts")
            await #expect(throws: PrinterError.self) { try await service.submit(document, to: "receipts") }

            let unknown = PrintJob(id: 4711, printer: "receipts", state: .pending)
            await #expect(throws: PrinterError.jobNotFound(unknown)) { try await service.status(of: unknown) }
            await #expect(throws: PrinterError.jobNotFound(unknown)) { try await service.cancel(unknown) }

            printer.close()
            var lost = try await service.submit(.escpos([0x41], title: "P"), to: "raw")
            // The server finds out when it tries.
            while lost.message == nil {
                let error = await #expect(throws: PrinterError.self) {
                    try await service.follow(lost, timeout: .milliseconds(200)) { _ in }
                }
                guard case .timedOut(let job) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                lost = job
            }
            #expect(lost.state == .processing)
            #expect(try await service.cancel(lost).state == .canceled)
        }
    }

    @Test func `a missing server is an error with the command to start it`() async {
        let service = CUPSPrinterService(server: "/nonexistent/cups.sock", time: SystemTimeSource())
        let error = await #expect(throws: PrinterError.self) { try await service.printers() }
        guard case .serverUnavailable("/nonexistent/cups.sock", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("start cupsd") == true)
    }
}
