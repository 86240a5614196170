import Foundation
import Testing

@Suite("Printing receipts")
struct PrintingTests {
    @Test func `a receipt arrives at the printer, a second one is a duplicate, and both are on record`() throws {
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

    @Test func `a payment whose receipt cannot be printed is approved all the same`() throws {
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

    @Test func `the doctor finds a stopped printer and a queue that takes no jobs, and sets both going`() throws {
        let scratch = try Scratch()
        let server = try PrintServer()
        let settings = try scratch.write("receipt:\n  printer: receipts\n", to: "till.yaml")
        func doctor(_ arguments: String...) throws -> ProgramResult {
            try Program.run(
                ["doctor", "--only", "printer", "--config", settings] + arguments, in: scratch,
                environment: ["CUPS_SERVER": server.socket])
        }
        #expect(try doctor().output == "ok       printer        receipts: is idle and takes jobs\n")
        let script = """
            PATH=$PATH:/usr/sbin
            cupsreject -h '\(server.socket)' receipts && cupsdisable -h '\(server.socket)' -r 'out of paper' receipts
            """
        #expect(try Child(program: "/bin/bash", ["-c", script], in: scratch).result().status == 0)
        let told = try doctor("--json")
        #expect(told.status == 6)
        let checks = try #require(try told.object()["checks"] as? [[String: Any]])
        let findings = try #require(checks.first?["findings"] as? [[String: Any]])
        #expect(findings.map { $0["seen"] as? String } == ["the printer is stopped", "the queue takes no jobs"])
        #expect((findings.first?["cause"] as? String)?.contains("out of paper") == true)
        #expect(findings.map { $0["fixable"] as? Bool } == [true, true])
        let fixed = try doctor("--fix")
        #expect(fixed.status == 0, "\(fixed.output)")
        #expect(fixed.output.hasPrefix("ok       printer        receipts: is idle and takes jobs"))
        #expect(fixed.output.contains("done     let receipts print again\n"))
    }

    @Test func `the doctor finds that no print server answers, which matters to a till that prints`() throws {
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
