import Foundation
import Glibc
import Testing

@Suite("A database that cannot be used")
struct DatabaseTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func expectRefusal(
        _ database: String, _ status: Int32, _ code: String,
        of commands: [[String]] = [["pay", "5"], ["payments", "list"]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for command in commands {
            let result = try Program.run(command + ["--database", database, "--json"], in: scratch)
            #expect(result.status == status, "\(result.error)", sourceLocation: sourceLocation)
            let error = try result.object()["error"] as? [String: Any]
            #expect(error?["code"] as? String == code, sourceLocation: sourceLocation)
            #expect(error?["fix"] is String, sourceLocation: sourceLocation)
        }
    }

    @Test func `a folder, an unwritable path, and a missing path are rejected`() throws {
        try expectRefusal(scratch.folder, 69, "database_not_writable")
        // No user can create a folder there, including root.
        try expectRefusal("/proc/nowhere/till.sqlite", 69, "database_not_writable", of: [["pay", "5"]])
        try expectRefusal("", 78, "no_database")
    }

    @Test(arguments: [
        ["payments", "list"], ["payments", "show", "P1"], ["payments", "watch"], ["payments", "recover"],
        ["payments", "sync"], ["refund", "P1"], ["receipts", "list"], ["receipts", "show", "P1"],
        ["receipts", "check", "P1"], ["receipts", "jobs"], ["receipts", "print", "P1"], ["receipts", "reprint", "P1"],
        ["receipts", "cancel", "J1"], ["receipts", "backend", "1"], ["issuer", "ledger"], ["issuer", "reconcile"],
        ["exceptions", "list"], ["exceptions", "remove", "1"], ["readers", "list", "--remembered"],
        ["readers", "forget", "--all"], ["orders", "list"], ["orders", "show", "1"], ["customers", "list"],
        ["settings", "list"], ["settings", "get", "x"], ["notifications", "list"],
    ])
    func `a command that makes no records names a missing database, and creates nothing`(command: [String]) throws {
        try expectRefusal(scratch.file("shop/typo.sqlite"), 66, "database_missing", of: [command])
        let result = try Program.run(command + ["--database", scratch.file("typo.sqlite")], in: scratch)
        #expect(result.status == 66)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("cardpresent: the database '\(scratch.file("typo.sqlite"))' does not exist\n"))
        #expect(try scratch.everything().isEmpty)
    }

    @Test(arguments: [
        ["pay", "5"], ["pay", "5", "--card", "mute"], ["refund", "P1"], ["payments", "list"],
        ["payments", "show", "P9"], ["receipts", "show", "P1"], ["issuer", "reconcile"],
    ])
    func `a command leaves its records in the file, and no log beside it`(command: [String]) throws {
        #expect(try Program.run(["pay", "12.50", "--database", scratch.database], in: scratch).status == 0)
        #expect(try Program.run(command + ["--database", scratch.database], in: scratch).signal == nil)
        for ending in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: scratch.database + ending))
        }
    }

    @Test(arguments: [["render", "P1"], ["preview", "P1"], ["email", "P1", "--to", "a@b.example", "-o", "mail"]])
    func `a receipt of a missing database is not rendered`(command: [String]) throws {
        let config = try scratch.write("receipt:\n  sender: till@shop.example\n", to: "till.yaml")
        let result = try Program.run(
            ["receipts"] + command + ["--config", config, "--database", scratch.file("typo.sqlite")], in: scratch)
        #expect(result.status == 66)
        #expect(try scratch.everything().map(\.name) == ["till.yaml"])
    }

    @Test(arguments: [["orders", "sync"], ["orders", "watch"], ["sites"], ["stats"], ["customers", "sync"]])
    func `a command that needs a session creates no database without one`(command: [String]) throws {
        let result = try Program.run(command + ["--database", scratch.database], in: scratch)
        #expect(result.status == 78)
        #expect(try scratch.everything().isEmpty)
    }

    /// Runs a command whose folder can be read but not written, also for root.
    private func onReadOnlyDisk(_ command: [String]) throws -> ProgramResult {
        chmod(scratch.folder, 0o555)
        for file in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) {
            chmod(scratch.file(file), 0o444)
        }
        defer { chmod(scratch.folder, 0o755) }
        // Without this capability, root has the rights of a file's owner (capabilities(7)).
        let withoutOverride =
            geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search \"$0\" \"$@\"" : "\"$0\" \"$@\""
        return try Program.run(
            shell: "exec " + withoutOverride, command + ["--database", scratch.database], in: scratch)
    }

    @Test func `on a read-only disk records are shown, and open payments stay open`() throws {
        let silent = try scratch.write(
            "rules: [{ when: { messages: [authorize, reverse] }, answer: { lost: request } }]", to: "silent.yaml")
        try Program.run(["pay", "5", "--seed", "1", "--database", scratch.database], in: scratch).expectStatus(0)
        try Program.run(["pay", "7", "--issuer-rules", silent, "--database", scratch.database], in: scratch)
            .expectStatus(4)
        for command in [["payments", "list"], ["issuer", "reconcile"], ["receipts", "show", "P1"]] {
            let shown = try onReadOnlyDisk(command)
            #expect(shown.status == (command[0] == "issuer" ? 4 : 0), "\(shown.error)")
            #expect(shown.error.contains("cannot be written"), "\(command): \(shown.error)")
            #expect(shown.error.contains("unfinished payments stay unfinished"))
        }
        let states = try onReadOnlyDisk(["payments", "list", "--json"]).list().map { $0["state"] as? String }
        #expect(states.count == 2 && states[1] == "captured")
        #expect(["pending", "unknown"].contains(states.first))
        let pay = try onReadOnlyDisk(["pay", "5"])
        #expect(pay.status == 69)
        for file in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) {
            chmod(scratch.file(file), 0o644)
        }
        // The next command on a disk that can be written finishes what is open.
        try Records(of: scratch).expectTruth()
    }

    @Test func `a file that is not a database stays unchanged`() throws {
        let file = try scratch.write(String(repeating: "no database, only words\n", count: 99), to: "words")
        try expectRefusal(file, 65, "not_a_database")
        #expect(try scratch.text("words").hasPrefix("no database"))
    }

    @Test func `another program's database stays unchanged`() throws {
        try Program.run(["pay", "5", "--database", scratch.database], in: scratch).expectStatus(0)
        let good = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        // The application ID of the file format, 4 bytes at 68 (sqlite.org/fileformat.html §1.3).
        var foreign = good
        foreign.replaceSubrange(68..<72, with: [1, 2, 3, 4])
        try foreign.write(to: URL(fileURLWithPath: scratch.file("foreign")))
        try expectRefusal(scratch.file("foreign"), 65, "foreign_database")
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("foreign"))) == foreign)
    }

    @Test(arguments: [8, 80, 140])
    func `a full disk loses nothing: a payment that cannot be recorded is reversed`(kilobytes: Int) throws {
        var approved = 0
        for _ in 0..<4 {
            // A limit of the file size stands for the end of the disk: the write fails in the same place.
            let result = try Program.run(
                shell: "ulimit -f \(kilobytes); exec \"$0\" \"$@\"",
                ["pay", "5", "--database", scratch.database, "--json"], in: scratch)
            let object = try result.object()
            switch result.status {
            case 0: approved += 1
            case 4:
                #expect(object["outcome"] as? String == "unknown")
                let fix = try #require((object["error"] as? [String: Any])?["fix"] as? String)
                #expect(fix.contains("do not charge again"))
            case 69: #expect(object["outcome"] as? String == "failed")
            default: Issue.record("exit code \(String(describing: result.status)): \(result.error)")
            }
        }
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect(records.captured == approved * 500)
    }

    @Test func `output that cannot be written does not affect the payment`() throws {
        let pay = ["pay", "5", "--database", scratch.database]
        let list = ["payments", "list", "--database", scratch.database]
        let full = try Program.run(shell: "exec \"$0\" \"$@\" >/dev/full", pay, in: scratch)
        #expect(full.status == 0)
        #expect(full.error.contains("cannot write the result: No space left on device"))
        #expect(try Program.run(shell: "exec \"$0\" \"$@\" >/dev/full", list, in: scratch).status == 69)
        for redirection in [">&-", "2>&-", "<&- >&- 2>&-"] {
            #expect(try Program.run(shell: "exec \"$0\" \"$@\" \(redirection)", pay, in: scratch).status == 0)
        }
        // `true` reads nothing and is gone long before the program writes.
        #expect(try Program.run(shell: "set -o pipefail; \"$0\" \"$@\" | true", pay, in: scratch).status == 0)
        let records = try Records(of: scratch)
        #expect(records.captured == 5 * 500)
        records.expectTruth()
    }

    @Test func `without --database the records are in the XDG folder`() throws {
        try Program.run(["pay", "5"], in: scratch).expectStatus(0)
        #expect(FileManager.default.fileExists(atPath: scratch.file(".local/share/cardpresent/cardpresent.sqlite")))
        try Program.run(["pay", "5"], in: scratch, environment: ["XDG_DATA_HOME": scratch.file("data")]).expectStatus(0)
        #expect(FileManager.default.fileExists(atPath: scratch.file("data/cardpresent/cardpresent.sqlite")))
        let homeless = try Program.run(shell: "unset HOME; exec \"$0\" \"$@\"", ["payments", "list"], in: scratch)
        #expect(homeless.status == 78)
    }
}
