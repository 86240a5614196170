import Doctor
import Hardware
import Testing

@Suite struct PrinterCheckTests {
    private func findings(
        _ queues: [PrintQueue], configured: String? = nil, server: String? = nil
    ) async -> [Finding] {
        await PrinterCheck(configured: configured, server: server) { queues }.findings()
    }

    private func findings(_ error: PrinterError, configured: String?) async -> [Finding] {
        await PrinterCheck(configured: configured, server: nil) { () throws(PrinterError) in throw error }.findings()
    }

    private let idle = PrintQueue(name: "receipts", isDefault: true, state: .idle, isAcceptingJobs: true)

    @Test func `a default queue that takes jobs is fine`() async {
        #expect(await findings([idle]) == [.ok(about: "receipts", "is idle and takes jobs")])
        #expect(await findings([idle], configured: "receipts").verdicts == [.ok])
    }

    @Test func `a print server that does not answer matters to a till that prints`() async {
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

    @Test func `a stopped printer says why, and is set going by the repair`() async {
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

    @Test func `a queue that takes no jobs is told besides`() async {
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

    @Test func `a queue that the configuration names and nobody has is a problem`() async {
        let told = await findings([idle], configured: "kitchen")
        #expect(told.verdicts == [.problem])
        #expect(told.first?.subject == "kitchen")
        #expect(told.first?.seen == "there is no such print queue; there are receipts")
    }

    @Test func `no default and no queues at all are told apart`() async {
        let other = PrintQueue(name: "office", isDefault: false, state: .idle, isAcceptingJobs: true)
        #expect(await findings([other]).fixes == ["sudo lpadmin -d office"])
        #expect(await findings([]).verdicts == [.warning])
        #expect(await findings([], configured: "receipts").verdicts == [.problem])
    }

    @Test func `a name that looks like an option is handed to no program`() async {
        let odd = PrintQueue(name: "-E", isDefault: true, state: .stopped, isAcceptingJobs: true)
        #expect(await findings([odd]).first?.repair == nil)
    }
}
