import Foundation
import Glibc
import TestPrinters
import Testing

/// `kill -9` at every step between "print" and "completed". The program waits at the step because the print server
/// does, or the printer: nothing here depends on when the signal comes.
@Suite("A print whose program is killed")
struct KilledPrintTests {
    /// A till, its print server, and a payment whose receipt is printed.
    private struct Till {
        let scratch: Scratch
        let server: PrintServer

        init() throws {
            (scratch, server) = (try Scratch(), try PrintServer())
        }

        /// - Returns: the payment's name.
        func pay() throws -> String {
            let paid = try run("pay", "12.50", "--json").object()
            return try #require((paid["payment"] as? [String: Any])?["id"] as? String)
        }

        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch, environment: ["CUPS_SERVER": server.socket])
        }

        func jobs(_ payment: String) throws -> [[String: Any]] {
            try run("receipts", "jobs", payment, "--json").list()
        }

        func state(_ payment: String) -> String? { (try? jobs(payment))?.first?["state"] as? String }

        /// Prints, and kills the program when `isThere`.
        func kill(_ payment: String, through socket: String? = nil, when isThere: () -> Bool) throws {
            let child = try Child(
                ["receipts", "print", payment, "--printer", "receipts", "--database", scratch.database], in: scratch,
                environment: ["CUPS_SERVER": socket ?? server.socket])
            let isWaiting = child.wait(until: isThere)
            child.send(SIGKILL)
            let end = try child.result()
            try #require(isWaiting, "\(end)")
            #expect(end.signal == SIGKILL)
        }

        /// Prints once more, without waiting.
        ///
        /// - Returns: whether the paper is marked.
        func printAgain(_ payment: String) throws -> Bool? {
            let again = try run("receipts", "print", payment, "--printer", "receipts", "--no-wait", "--json")
            #expect(again.status == 0, "\(again.error)")
            return try again.prints().first?["duplicate"] as? Bool
        }
    }

    @Test func `at any time: the record is consistent, and a receipt that may be printed is marked`() throws {
        let till = try Till()
        func killed(at operation: IPPGate.Operation, _ place: IPPGate.Place) throws -> String {
            let payment = try till.pay()
            let gate = try IPPGate(to: till.server.socket, in: till.scratch, at: operation, place)
            defer { gate.close() }
            try till.kill(payment, through: gate.socket) { gate.isHolding }
            return payment
        }

        // Before anything was written down: the printer is still asked what it takes.
        let early = try killed(at: .getPrinterAttributes, .request)
        #expect(try till.jobs(early).isEmpty)
        #expect(try till.printAgain(early) == false)

        // Recorded, and on its way to the server, which does not know it: the outcome is unknown.
        let lost = try killed(at: .createJob, .request)
        let unknown = try #require(try till.jobs(lost).first)
        #expect(unknown["state"] as? String == "unknown")
        #expect(unknown["open"] as? Bool == false)
        #expect(unknown["mayBePrinted"] as? Bool == true)
        #expect((unknown["steps"] as? [[String: Any]])?.map { $0["state"] as? String } == ["queued", "unknown"])
        #expect(try till.printAgain(lost) == true)

        // The server created a job that waits for its document. Its number was not received; it is found by its title.
        for (operation, place) in [(.createJob, .answer), (.sendDocument, .request)]
            as [(IPPGate.Operation, IPPGate.Place)]
        {
            let payment = try killed(at: operation, place)
            let note: Comment = "\(operation) \(place)"
            let job = try #require(try till.jobs(payment).first, note)
            #expect(job["state"] as? String == "accepted", note)
            #expect(job["open"] as? Bool == true, note)
            #expect(job["mayBePrinted"] as? Bool == true, note)
            let name = try #require(job["id"] as? String, note)
            #expect(try till.run("receipts", "cancel", name).status == 0, note)
            #expect(try till.printAgain(payment) == false, note)
        }

        // The server had received everything when the program was killed, and reports the outcome.
        let taken = try killed(at: .sendDocument, .answer)
        let printed = try till.server.settled { try till.run("receipts", "jobs", taken, "--json") }
        #expect(printed.map { $0["state"] as? String } == ["completed"], "\(printed)")
        #expect(try till.printAgain(taken) == true)

        // The server has it all, and prints it: it knows the end, and is asked. Before that, nothing else is open.
        _ = try till.server.settled { try till.run("receipts", "jobs", "--all", "--json") }
        let followed = try killed(at: .getJobAttributes, .answer)
        let ended = try till.server.settled { try till.run("receipts", "jobs", followed, "--json") }
        #expect(ended.map { $0["state"] as? String } == ["completed"])
        #expect(try till.printAgain(followed) == true)
    }

    @Test func `while the queue is stopped or the printer prints: the print is found again and its state is queried`()
        throws
    {
        let till = try Till()
        let payment = try till.pay()
        try till.server.administer("cupsdisable", "receipts")
        try till.kill(payment) { till.state(payment) == "accepted" }
        let waiting = try #require(try till.jobs(payment).first)
        #expect(waiting["state"] as? String == "accepted")
        #expect(waiting["open"] as? Bool == true)
        #expect(try till.printAgain(payment) == true)

        let queued = try till.server.holdPrinter()
        try till.server.administer("cupsenable", "receipts")
        let other = try till.pay()
        // The queue chooses the order; one of the three is with the printer.
        try till.kill(other) {
            let states = [payment, other].flatMap { (try? till.jobs($0)) ?? [] }.map { $0["state"] as? String }
            return states.count == 3 && states.contains("sent")
                && states.allSatisfy { ["accepted", "sent"].contains($0) }
        }
        queued.release()
        #expect(try till.server.papers(3).filter { $0.contains("DUPLICATE") }.count == 1)
        for name in [payment, other] {
            let jobs = try till.server.settled { try till.run("receipts", "jobs", name, "--json") }
            #expect(Set(jobs.map { $0["state"] as? String }) == ["completed"])
        }

        // The printer has all of it and is printing.
        let printing = try till.server.holdPrinter()
        let last = try till.pay()
        try till.kill(last) { till.state(last) == "sent" }
        #expect(try till.jobs(last).first?["mayBePrinted"] as? Bool == true)
        #expect(try till.printAgain(last) == true)
        printing.release()
        #expect(try till.server.papers(5).suffix(2).map { $0.contains("DUPLICATE") } == [false, true])
    }
}
