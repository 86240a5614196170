import Doctor
import Printing
import Testing

@Suite struct PrinterCheckTests {
    /// Printers with given states.
    private struct Listed: PrinterService {
        var result: Result<[PrintQueue], PrinterError>
        /// What asking a network printer comes to.
        var looks: [String: Result<PrintQueue, PrinterError>] = [:]

        func printers() throws(PrinterError) -> [PrintQueue] { try result.get() }

        func look(at printer: String?) throws(PrinterError) -> PrintQueue {
            guard let look = printer.flatMap({ looks[$0] }) else { throw .noDefaultPrinter(available: []) }
            return try look.get()
        }

        func capabilities(of printer: String?) throws(PrinterError) -> PrinterCapabilities { throw .canceled }
        func submit(
            _ document: PrintDocument, to printer: String?, options: PrintOptions
        ) throws(PrinterError) -> PrintJob { throw .canceled }
        func status(of job: PrintJob) -> PrintJob { job }
        func cancel(_ job: PrintJob) -> PrintJob { job }
        func wait(for duration: Duration) {}
    }

    private func findings(
        _ queues: [PrintQueue], configured: String? = nil, server: String? = nil,
        looks: [String: Result<PrintQueue, PrinterError>] = [:]
    ) async -> [Finding] {
        let printers = Listed(result: .success(queues), looks: looks)
        return await PrinterCheck(configured: configured, server: server, printers: printers).findings()
    }

    private func findings(_ error: PrinterError, configured: String?) async -> [Finding] {
        await PrinterCheck(configured: configured, server: nil, printers: Listed(result: .failure(error))).findings()
    }

    private let idle = PrintQueue(name: "receipts", isDefault: true, state: .idle, isAcceptingJobs: true)

    @Test func `a default queue that accepts jobs passes`() async {
        #expect(await findings([idle]) == [.ok(about: "receipts", "is idle and accepts jobs")])
        #expect(await findings([idle], configured: "receipts").verdicts == [.ok])
    }

    @Test func `a print server that does not respond is a problem for a till that prints`() async {
        let error = PrinterError.serverUnavailable(server: "localhost", message: "Host is down")
        let told = await findings(error, configured: "receipts")
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .printer)
        #expect(told.fixes == ["sudo systemctl start cups, or set CUPS_SERVER"])
        #expect(await findings(error, configured: nil).verdicts == [.warning])
        #expect(
            await findings(.libraryMissing("no libcups.so.2"), configured: "receipts").fixes
                == ["sudo apt-get install libcups2"])
    }

    @Test func `a stopped printer is reported with its reason and restarted by the repair`() async {
        var stopped = idle
        (stopped.state, stopped.reasons, stopped.message) = (.stopped, ["media-empty-error"], "Load paper")
        let told = await findings([stopped], server: "print.example")
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "the printer is stopped")
        #expect(told.first?.cause == "media-empty-error, Load paper")
        #expect(told.fixes == ["sudo cupsenable -h print.example receipts"])
        #expect(told.first?.repair?.steps == [.run(["cupsenable", "-h", "print.example", "receipts"])])
        #expect(told.first?.repair?.needsRoot == false)
    }

    @Test func `a queue that rejects jobs is reported too`() async {
        let closed = PrintQueue(name: "receipts", isDefault: true, state: .stopped, isAcceptingJobs: false)
        let told = await findings([closed])
        #expect(told.verdicts == [.problem, .problem])
        #expect(told.fixes == ["sudo cupsenable receipts", "sudo cupsaccept receipts"])
    }

    @Test func `the state of other queues does not matter`() async {
        let other = PrintQueue(name: "office", isDefault: false, state: .stopped, isAcceptingJobs: false)
        #expect(await findings([other, idle]).verdicts == [.ok])
        #expect(await findings([other, idle], configured: "office").verdicts == [.problem, .problem])
    }

    @Test func `a configured queue that does not exist is a problem`() async {
        let told = await findings([idle], configured: "kitchen")
        #expect(told.verdicts == [.problem])
        #expect(told.first?.subject == "kitchen")
        #expect(told.first?.seen == "unknown printer; available: receipts")
    }

    @Test func `no default queue and no queues at all are distinguished`() async {
        let other = PrintQueue(name: "office", isDefault: false, state: .idle, isAcceptingJobs: true)
        #expect(await findings([other]).fixes == ["cardpresent printers default office"])
        #expect(await findings([]).verdicts == [.warning])
        #expect(await findings([], configured: "receipts").verdicts == [.problem])
    }

    @Test func `a name that looks like an option is not passed to a program`() async {
        let odd = PrintQueue(name: "-E", isDefault: true, state: .stopped, isAcceptingJobs: true)
        #expect(await findings([odd]).first?.repair == nil)
    }

    // MARK: Network printers

    private let kitchen = PrintQueue(
        name: "kitchen", kind: .network, isDefault: false, state: .unknown, isAcceptingJobs: true,
        address: "socket://192.0.2.7:9100")

    private func kitchen(_ state: PrintQueue.State, _ reasons: [String] = []) -> Result<PrintQueue, PrinterError> {
        var look = kitchen
        (look.state, look.reasons) = (state, reasons)
        return .success(look)
    }

    @Test func `a network printer is queried for its state`() async {
        let ready = await findings([kitchen], configured: "kitchen", looks: ["kitchen": kitchen(.idle)])
        #expect(ready == [.ok(about: "kitchen", "is ready at socket://192.0.2.7:9100")])
        let low = await findings(
            [kitchen], configured: "kitchen", looks: ["kitchen": kitchen(.idle, ["media-low-warning"])])
        #expect(low.first?.seen == "is ready at socket://192.0.2.7:9100 (paper is low)")
        let silent = await findings([kitchen], configured: "kitchen", looks: ["kitchen": kitchen(.unknown)])
        #expect(silent.verdicts == [.ok])
        let open = await findings(
            [kitchen], configured: "kitchen", looks: ["kitchen": kitchen(.stopped, ["cover-open-error"])])
        #expect(open.verdicts == [.problem])
        #expect(open.first?.seen == "cannot print: the cover is open")
        #expect(open.fixes == ["fix the printer, then run: cardpresent printers test kitchen"])
    }

    @Test func `an unreachable network printer is a problem if it is the default, else a warning`() async {
        let off = PrinterError.unreachable(
            printer: "kitchen", address: "socket://192.0.2.7:9100", message: "No route to host")
        let chosen = await findings([kitchen], configured: "kitchen", looks: ["kitchen": .failure(off)])
        #expect(chosen.verdicts == [.problem])
        #expect(chosen.first?.seen == "cannot be reached at socket://192.0.2.7:9100: No route to host")
        let other = await findings([kitchen, idle], configured: "receipts", looks: ["kitchen": .failure(off)])
        #expect(other.verdicts == [.ok, .warning])
        #expect(other.last?.subject == "kitchen")
    }
}
