import Determinism
import Printing
import Testing

@Suite("All printers of a till")
struct PrintersTests {
    /// A print server with queues, which records its requests.
    private struct Server: PrinterService {
        var queues: [PrintQueue] = []

        func printers() -> [PrintQueue] { queues }

        func capabilities(of printer: String?) throws(PrinterError) -> PrinterCapabilities {
            let queue = queues.first { printer == nil ? $0.isDefault : $0.name == printer }
            guard let queue else {
                let names = queues.map(\.name)
                throw printer.map { .printerNotFound($0, available: names) } ?? .noDefaultPrinter(available: names)
            }
            return PrinterCapabilities(name: queue.name, language: .pdf, canConfirm: true)
        }

        func submit(
            _ document: PrintDocument, to printer: String?, options: PrintOptions
        ) throws(PrinterError) -> PrintJob {
            PrintJob(id: 7, printer: try capabilities(of: printer).name, state: .pending)
        }

        func job(titled title: String, on printer: String) -> PrintJob? {
            PrintJob(id: 7, printer: printer, state: .pending, title: title)
        }

        func status(of job: PrintJob) -> PrintJob { job }
        func cancel(_ job: PrintJob) -> PrintJob { PrintJob(id: job.id, printer: job.printer, state: .canceled) }
        func wait(for duration: Duration) {}
    }

    private func queue(_ name: String, isDefault: Bool = false) -> PrintQueue {
        PrintQueue(name: name, isDefault: isDefault, state: .idle, isAcceptingJobs: true)
    }

    private func network(_ name: String) -> ReceiptPrinter {
        ReceiptPrinter(
            name: name, connection: .network(PrinterAddress(host: "192.0.2.7"), answers: true), family: .star,
            columns: 48)
    }

    private func printers(
        _ configured: [ReceiptPrinter], _ queues: [PrintQueue], defaultName: String? = nil
    ) -> Printers {
        Printers(configured, defaultName: defaultName, server: Server(queues: queues), time: VirtualTimeSource())
    }

    @Test func `network printers and queues are in one list, and the configuration's names win`() async throws {
        let all = printers(
            [network("kitchen"), network("bar")], [queue("kitchen"), queue("counter", isDefault: true)])
        let listed = try await all.printers()
        #expect(listed.map(\.name) == ["bar", "counter", "kitchen"])
        #expect(listed.map(\.kind) == [.network, .queue, .network])
        #expect(listed.map(\.isDefault) == [false, true, false])
        #expect(listed[0].address == "socket://192.0.2.7:9100")
        #expect(try await all.capabilities(of: "kitchen").language == .escpos(.star, columns: 48))
        #expect(try await all.capabilities(of: "counter").language == .pdf)
    }

    @Test func `a job is searched for at the print server, unless its printer is a network printer`() async throws {
        let all = printers([network("kitchen")], [queue("kitchen"), queue("counter")])
        #expect(try await all.job(titled: "P000001", on: "counter")?.id == 7)
        #expect(try await all.job(titled: "P000001", on: "kitchen") == nil)
        // Its queue may be gone while the server still knows the job.
        #expect(try await all.job(titled: "P000001", on: "office")?.id == 7)
    }

    @Test func `the default is the chosen printer, else the print server's, else the only one`() async throws {
        let queues = [queue("counter", isDefault: true), queue("office")]
        let chosen = printers([network("bar")], queues, defaultName: "bar")
        #expect(try await chosen.capabilities(of: nil).name == "bar")
        #expect(try await chosen.printers().filter(\.isDefault).map(\.name) == ["bar"])
        #expect(try await printers([], queues, defaultName: "office").capabilities(of: nil).name == "office")
        #expect(try await printers([network("bar")], queues).capabilities(of: nil).name == "counter")
        let only = printers([network("bar")], [queue("office")])
        #expect(try await only.capabilities(of: nil).name == "bar")
        #expect(try await only.printers().filter(\.isDefault).map(\.name) == ["bar"])
        await #expect(throws: PrinterError.noDefaultPrinter(available: ["bar", "kitchen", "office"])) {
            try await printers([network("kitchen"), network("bar")], [queue("office")]).capabilities(of: nil)
        }
    }

    @Test func `an unknown printer is reported with all available ones`() async {
        await #expect(throws: PrinterError.printerNotFound("attic", available: ["bar", "counter"])) {
            try await printers([network("bar")], [queue("counter")]).submit(.text("", title: ""), to: "attic")
        }
    }

    @Test func `without a print server the network printers are listed, with the reason for the missing queues`()
        async throws
    {
        let all = Printers([network("bar")], defaultName: nil, server: AbsentServer(), time: VirtualTimeSource())
        let listing = try await all.listing()
        #expect(listing.printers.map(\.name) == ["bar"])
        #expect(listing.failure == .serverUnavailable(server: "localhost", message: "Host is down"))
        #expect(try await all.printers().map(\.name) == ["bar"])
        #expect(try await all.capabilities(of: nil).name == "bar")
        await #expect(throws: try #require(listing.failure)) {
            try await Printers([], defaultName: nil, server: AbsentServer(), time: VirtualTimeSource()).printers()
        }
    }

    @Test func `the print server is not queried for a job of a network printer`() async throws {
        let all = printers([network("bar")], [])
        let job = PrintJob(id: 0, printer: "bar", state: .processing)
        #expect(try await all.status(of: job) == job)
        #expect(try await all.cancel(job) == job)
        let queued = PrintJob(id: 7, printer: "counter", state: .pending)
        #expect(try await all.cancel(queued).state == .canceled)
    }
}
