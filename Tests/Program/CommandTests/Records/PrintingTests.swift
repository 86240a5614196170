import Foundation
import TestPrinters
import Testing

@Suite("Printing receipts")
struct PrintingTests {
    @Test func `a receipt is printed, a second one is a duplicate, and both are recorded`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        let environment = ["CUPS_SERVER": server.socket]
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", scratch.database], in: scratch, environment: environment)
        }
        let paid = try run("pay", "12.50", "--printer", "receipts", "--json")
        #expect(paid.status == 0)
        let prints = try #require(try paid.object()["prints"] as? [[String: Any]])
        #expect(prints.map { $0["state"] as? String } == ["completed", "completed"])
        #expect(try paid.object()["printError"] == nil)

        let again = try run("receipts", "print", "P000001", "--printer", "receipts")
        #expect(again.status == 0)
        #expect(again.output.hasPrefix("printed on receipts, job "))
        #expect(try run("receipts", "show", "P000001").output.contains("DUPLICATE"))
        #expect(try server.printed(3).count == 3)
        #expect(try server.printed(3).allSatisfy { $0.prefix(5) == Data("%PDF-".utf8) })

        let receipt = try #require(try run("receipts", "list", "--json").list().first)
        let jobs = try #require(receipt["prints"] as? [[String: Any]])
        #expect(jobs.map { $0["state"] as? String } == ["completed", "completed", "completed"])
        #expect(jobs.allSatisfy { $0["printer"] as? String == "receipts" && $0["job"] is Int })

        let unknown = try run("receipts", "print", "P000001", "--printer", "nowhere", "--json")
        #expect(unknown.status == 6)
        let error = try #require(try unknown.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "unknown_printer")
        #expect((error["fix"] as? String)?.contains("receipts") == true)
    }

    @Test func `a stopped queue keeps a print until it is resumed or canceled`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch, environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try run("pay", "12.50").status == 0)
        try server.administer("cupsdisable", "receipts")
        let waiting = try run("receipts", "print", "P1", "--printer", "receipts", "--timeout", "1", "--json")
        #expect(waiting.status == 4)
        let error = try #require(try waiting.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "print_timeout")
        #expect((error["fix"] as? String)?.contains("receipts cancel J000001") == true)
        #expect(try waiting.prints().map { $0["state"] as? String } == ["accepted"])
        #expect(try run("receipts", "jobs", "--json").list().map { $0["open"] as? Bool } == [true])

        let canceled = try run("receipts", "cancel", "J1")
        #expect(canceled.status == 0)
        #expect(canceled.output == "J000001 is canceled: nothing was printed\n")
        // It has ended: there is nothing to cancel.
        let tooLate = try run("receipts", "cancel", "J000001", "--json")
        #expect(tooLate.status == 64)
        #expect((try tooLate.object()["error"] as? [String: Any])?["code"] as? String == "print_ended")
        #expect(try run("receipts", "cancel", "--help").output.contains("Exits with 64 when the job has ended"))
        // What a printer never got is no first copy.
        let left = try run("receipts", "print", "P1", "--printer", "receipts", "--no-wait", "--copy", "both", "--json")
        #expect(left.status == 0)
        #expect(left.error.contains("J000002 was not awaited"))
        #expect(try left.prints().map { $0["copy"] as? String } == ["merchant", "customer"])
        #expect(try left.prints().map { $0["duplicate"] as? Bool } == [false, false])

        try server.administer("cupsenable", "receipts")
        #expect(try server.printed(2).count == 2)
        let jobs = try server.settled { try run("receipts", "jobs", "P1", "--json") }
        #expect(jobs.map { $0["state"] as? String } == ["completed", "completed", "failed"])
        let steps = try #require(jobs.first?["steps"] as? [[String: Any]])
        #expect(steps.prefix(2).map { $0["state"] as? String } == ["queued", "accepted"])
        #expect(steps.last?["state"] as? String == "completed")
        let again = try run("receipts", "reprint", "P1")
        #expect(again.status == 0, "\(again.error)")
        #expect(again.output.split(separator: "\n").count == 2)
        #expect(try server.papers(4).map { $0.contains("DUPLICATE") } == [false, false, true, true])
    }

    @Test func `a one-way queue accepts a receipt without confirmation, and the output says so`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        let printer = try OneWayPrinter()
        defer { printer.close() }
        try server.administer(
            "lpadmin", "-p", "oneway", "-E", "-v", "socket://127.0.0.1:\(printer.port)", "-m", "raw")
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch, environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try run("pay", "12.50").status == 0)
        let told = try run("receipts", "print", "P1", "--printer", "oneway")
        #expect(told.status == 0, "\(told.error)")
        #expect(told.output == "sent to oneway, job 1 (J000001)\n")
        #expect(told.error.contains("oneway accepted J000001 but does not report the result"))
        let job = try #require(try run("receipts", "jobs", "--json").list().first)
        #expect(job["state"] as? String == "sent")
        #expect(job["open"] as? Bool == false)
        #expect(job["mayBePrinted"] as? Bool == true)
        #expect(String(decoding: printer.received, as: UTF8.self).contains("P000001"))
        #expect(
            try run("receipts", "print", "P1", "--printer", "oneway", "--json").prints().map {
                $0["duplicate"] as? Bool
            } == [true])
    }

    @Test func `a print canceled by another program fails, and the waiting command reports it`()
        throws
    {
        let scratch = try Scratch()
        let server = try PrintServer()
        let environment = ["CUPS_SERVER": server.socket]
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", scratch.database], in: scratch, environment: environment)
        }
        #expect(try run("pay", "12.50").status == 0)
        try server.administer("cupsdisable", "receipts")
        let child = try Child(
            ["receipts", "print", "P1", "--printer", "receipts", "--database", scratch.database], in: scratch,
            environment: environment)
        #expect(child.wait { (try? run("receipts", "jobs", "--json").list().first?["state"] as? String) == "accepted" })
        #expect(try run("receipts", "cancel", "J1").status == 0)
        let followed = try child.result()
        #expect(followed.status == 6)
        #expect(followed.error.contains("J000001 (job 1 on receipts) failed"))
        #expect(followed.error.contains("nothing was printed"))
    }

    @Test func `a printer that disappears during a print leaves a print that is not reported as printed`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch, environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try run("pay", "12.50").status == 0)
        let hold = try server.holdPrinter()
        defer { hold.release() }
        let child = try Child(
            [
                "receipts", "print", "P1", "--printer", "receipts", "--timeout", "5", "--database", scratch.database,
            ], in: scratch, environment: ["CUPS_SERVER": server.socket])
        #expect(child.wait { (try? run("receipts", "jobs", "--json").list().first?["state"] as? String) == "sent" })
        try server.crash("printer")
        let told = try child.result()
        #expect([4, 6].contains(told.status), "\(told.error)")
        let print = try #require(try run("receipts", "jobs", "--json").list().first)
        #expect(["sent", "failed", "unknown"].contains(print["state"] as? String))
        #expect(print["mayBePrinted"] as? Bool == true)
        #expect(
            try run("receipts", "print", "P1", "--printer", "receipts", "--no-wait", "--json").prints().map {
                $0["duplicate"] as? Bool
            } == [true])
    }

    @Test func `a print server that disappears during a print leaves an unknown state`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch, environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try run("pay", "12.50").status == 0)
        try server.administer("cupsdisable", "receipts")
        let child = try Child(
            ["receipts", "print", "P1", "--printer", "receipts", "--json", "--database", scratch.database],
            in: scratch, environment: ["CUPS_SERVER": server.socket])
        #expect(child.wait { (try? run("receipts", "jobs", "--json").list().first?["state"] as? String) == "accepted" })
        try server.crash("cupsd")
        let told = try child.result()
        #expect(told.status == 4)
        #expect((try told.object()["error"] as? [String: Any])?["code"] as? String == "print_unknown")
        // A missing response is reported, and stops nothing.
        let list = try run("receipts", "list", "--json")
        #expect(list.status == 0)
        let prints = try #require(try list.list().first?["prints"] as? [[String: Any]])
        #expect(prints.map { $0["state"] as? String } == ["unknown"])
        #expect(prints.map { $0["open"] as? Bool } == [true])
        #expect(try run("receipts", "show", "P1").output.contains("DUPLICATE"))
    }

    @Test func `without a print server nothing is printed, and the record has the reason`() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                arguments + ["--database", scratch.database], in: scratch,
                environment: ["CUPS_SERVER": scratch.file("no.sock")])
        }
        #expect(try run("pay", "12.50").status == 0)
        let never = try run("receipts", "reprint", "P1", "--json")
        #expect(never.status == 64)
        #expect((try never.object()["error"] as? [String: Any])?["code"] as? String == "never_printed")
        let told = try run("receipts", "print", "P1", "--json")
        #expect(told.status == 6)
        #expect((try told.object()["error"] as? [String: Any])?["code"] as? String == "print_server_unavailable")
        let jobs = try run("receipts", "jobs")
        #expect(jobs.output.hasPrefix("J000001  P000001  customer copy  failed\n"))
        #expect(jobs.output.contains("  failed: the print server"))
        #expect(try !run("receipts", "show", "P1").output.contains("DUPLICATE"))
    }

    @Test func `a payment whose receipt cannot be printed is still approved`() throws {
        let scratch = try Scratch()
        let environment = ["CUPS_SERVER": scratch.file("no.sock")]
        let pay = ["pay", "5", "--printer", "receipts", "--database", scratch.database]
        let told = try Program.run(pay + ["--json"], in: scratch, environment: environment)
        #expect(told.status == 0)
        #expect(try told.object()["outcome"] as? String == "approved")
        let error = try #require(try told.object()["printError"] as? [String: Any])
        #expect(error["code"] as? String == "print_server_unavailable")
        #expect(told.error.contains("start cupsd"))
        let shown = try Program.run(pay, in: scratch, environment: environment)
        #expect(shown.status == 0)
        #expect(shown.output.hasPrefix("APPROVED"))
        // What never reached a printer is no first copy.
        #expect(
            !(try Program.run(["receipts", "show", "1", "--database", scratch.database], in: scratch)).output.contains(
                "DUPLICATE"))
        try Records(of: scratch).expectTruth()
    }

    @Test func `the doctor finds and restarts a stopped printer and a queue that rejects jobs`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        let settings = try scratch.write("receipt:\n  printer: receipts\n", to: "till.yaml")
        func doctor(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                ["doctor", "--only", "printer", "--config", settings] + arguments, in: scratch,
                environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try doctor().output == "ok       printer        receipts: is idle and accepts jobs\n")
        let script = """
            PATH=$PATH:/usr/sbin
            cupsreject -h '\(server.socket)' receipts && cupsdisable -h '\(server.socket)' -r 'out of paper' receipts
            """
        #expect(try Child(program: "/bin/bash", ["-c", script], in: scratch).result().status == 0)
        let told = try doctor("--json")
        #expect(told.status == 6)
        let checks = try #require(try told.object()["checks"] as? [[String: Any]])
        let findings = try #require(checks.first?["findings"] as? [[String: Any]])
        #expect(findings.map { $0["seen"] as? String } == ["the printer is stopped", "the queue does not accept jobs"])
        #expect((findings.first?["cause"] as? String)?.contains("out of paper") == true)
        #expect(findings.map { $0["fixable"] as? Bool } == [true, true])
        let fixed = try doctor("--fix")
        #expect(fixed.status == 0, "\(fixed.output)")
        #expect(fixed.output.hasPrefix("ok       printer        receipts: is idle and accepts jobs"))
        #expect(fixed.output.contains("done     enable the printer receipts\ndone     let receipts accept jobs\n"))
    }

    @Test func `the doctor reports a missing print server if the till prints`() throws {
        let scratch = try Scratch()
        let settings = try scratch.write("receipt:\n  printer: receipts\n", to: "till.yaml")
        let environment = ["CUPS_SERVER": scratch.file("no.sock")]
        let told = try Program.run(
            ["doctor", "--only", "printer", "--config", settings], in: scratch, environment: environment)
        #expect(told.status == 6)
        #expect(told.output.contains("fix: sudo systemctl start cups"))
        #expect(try Program.run(["doctor", "--only", "printer"], in: scratch, environment: environment).status == 0)
    }
}

extension ProgramResult {
    /// What a command printed, as JSON.
    func prints() throws -> [[String: Any]] { try #require(try object()["prints"] as? [[String: Any]]) }
}
