import Foundation
import Glibc
import Testing

/// Ctrl-C and `kill`. The program is stopped at a chosen exchange with the card by a full pipe that takes its trace;
/// it receives the signal there, reports it on its terminal, and continues when the pipe is drained. Before the payment
/// it is stopped by the lock of the issuer's book, and where it waits for readers it waits anyhow.
@Suite("A payment that is canceled by a signal")
struct CanceledPaymentTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(trace: String) -> [String] {
        ["pay", "5", "--database", scratch.database, "--json", "--trace", trace]
    }

    /// A payment that receives a signal during the exchange with this number.
    private func canceled(at stop: Int, by signal: Int32) throws -> ProgramResult {
        try Program.run(pay(trace: scratch.file("whole.jsonl")), in: scratch).expectStatus(0)
        let lengths = try scratch.text("whole.jsonl").split(separator: "\n").map { $0.utf8.count + 1 }
        let pipe = try TracePipe(in: scratch, room: lengths.prefix(stop).reduce(0, +))
        let child = try Child(pay(trace: pipe.path), in: scratch, onTerminal: true)
        try pipe.waitUntilFull(child)
        child.send(signal)
        try child.read(until: "Canceling")
        try pipe.waitUntilFull(child)
        pipe.drain(child)
        return try child.result()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `before authorization: nothing is charged, and the program says so`(signal: Int32) throws {
        let result = try canceled(at: 1, by: signal)
        #expect(result.status == 3)
        let object = try result.object()
        #expect(object["outcome"] as? String == "cancelled")
        #expect((object["payment"] as? [String: Any])?["state"] as? String == "cancelled")
        #expect((object["error"] as? [String: Any])?["message"] as? String == "canceled: nothing was charged")
        let records = try Records(of: scratch)
        #expect(records.states == ["cancelled", "captured"])
        records.expectTruth()
    }

    @Test func `after the approval: the payment is either reversed or completed`()
        throws
    {
        let result = try canceled(at: 10, by: SIGINT)
        let object = try result.object()
        let state = (object["payment"] as? [String: Any])?["state"] as? String
        switch object["outcome"] as? String {
        case "approved": #expect(result.status == 0 && state == "captured")
        case "cancelled": #expect(result.status == 3 && state == "reversed")
        default: Issue.record("\(object)")
        }
        try Records(of: scratch).expectTruth()
    }

    @Test func `before the payment starts: no payment is recorded`() throws {
        // The program waits for the lock of the issuer's book when it opens it.
        let book = open(scratch.database + ".issuer", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(book >= 0 && flock(book, LOCK_EX) == 0)
        defer { close(book) }
        let child = try Child(
            ["pay", "5", "--database", scratch.database, "--json"], in: scratch, onTerminal: true)
        let lease = scratch.database + ".lease"
        _ = child.wait { Self.isLocked(lease, by: child.process) }
        child.send(SIGINT)
        try child.read(until: "Canceling")
        flock(book, LOCK_UN)
        let result = try child.result()
        #expect(result.status == 3)
        #expect(try result.object()["outcome"] as? String == "cancelled")
        let records = try Records(of: scratch)
        #expect(records.states.allSatisfy { $0 == "cancelled" })
        records.expectTruth()
    }

    /// Whether the process has the file open, which it does from when it watches for signals.
    private static func isLocked(_ path: String, by process: pid_t) -> Bool {
        let folder = "/proc/\(process)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == path
        }
    }

    @Test func `watching readers ends at once and without an error`() throws {
        let child = try Child(["readers", "watch", "--simulated", "--json"], in: scratch)
        #expect(child.wait { child.output.contains("1209:0004") && child.output.hasSuffix("\n") })
        child.send(SIGINT)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.error == "")
        for line in result.output.split(separator: "\n") {
            let change = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(change["change"] as? String == "present")
        }
    }
}
