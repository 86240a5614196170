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
        ["settings", "list"], ["settings", "get", "x"], ["notifications", "list"], ["logout"],
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

    @Test func `credentials without their database are revoked and deleted, and no database is made`() throws {
        let store = try SimulatedStore(in: scratch)
        for ending in ["", "-wal", "-shm"] { unlink(scratch.database + ending) }
        let out = try store.run("logout", "--json")
        #expect(out.status == 0, "\(out.error)")
        #expect(try out.object()["passwordRevoked"] as? Bool == true)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.folder)
        #expect(!left.contains("till.sqlite") && !left.contains("till.sqlite.credentials"), "\(left)")
        #expect(try store.run("logout").status == 66)
        // Those that can't be read are deleted, too.
        _ = try scratch.write("no credentials", to: "till.sqlite.credentials")
        chmod(scratch.file("till.sqlite.credentials"), 0o600)
        #expect(try store.run("logout").status == 0)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("till.sqlite.credentials")))
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }

    @Test(arguments: [["orders", "sync"], ["orders", "watch"], ["sites"], ["stats"], ["customers", "sync"]])
    func `a command that needs a session creates no database without one`(command: [String]) throws {
        let result = try Program.run(command + ["--database", scratch.database], in: scratch)
        #expect(result.status == 78)
        #expect(try scratch.everything().isEmpty)
    }

    /// Runs a command whose folder can be read but not written, also for root.
    private func onReadOnlyDisk(_ command: [String]) throws -> ProgramResult {
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.folder)
        // Only the owner may read: anything else is refused for credentials.
        for file in files { chmod(scratch.file(file), 0o400) }
        chmod(scratch.folder, 0o500)
        defer {
            chmod(scratch.folder, 0o755)
            for file in files { chmod(scratch.file(file), 0o600) }
        }
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
        // The next command on a disk that can be written finishes what is open.
        try Records(of: scratch).expectTruth()
    }

    /// All commands that show what the store answers or what is stored of it, for order `order`.
    private static func showing(order: String) -> [[String]] {
        [
            ["sites", "list"], ["sites", "gateway"], ["orders", "list"], ["orders", "show", order],
            ["orders", "show", order, "--refresh"], ["orders", "search", "a"], ["orders", "status"],
            ["orders", "status", order], ["orders", "notes", order], ["orders", "notes", order, "--stored"],
            ["orders", "refunds", order], ["customers", "list"], ["customers", "search", "a"],
            ["customers", "show", "1"], ["settings", "list"], ["settings", "get", "woocommerce_currency"], ["stats"],
            ["taxes", "list"], ["taxes", "classes"], ["taxes", "show", "1"], ["shipments", "list", order],
            ["shipments", "providers"], ["payments", "list"], ["payments", "show", "1"], ["receipts", "list"],
            ["receipts", "show", "1"], ["receipts", "render", "1"], ["receipts", "preview", "1"],
            ["receipts", "check", "1"], ["receipts", "jobs"], ["issuer", "ledger"], ["exceptions", "list"],
            ["readers", "list", "--remembered"],
            ["notifications", "list"], ["metrics"],
        ]
    }

    @Test func `on a read-only disk each command shows what it shows elsewhere, and nothing is written`() throws {
        let store = try SimulatedStore(in: scratch)
        try store.run("orders", "sync").expectStatus(0)
        try store.run("settings", "sync").expectStatus(0)
        try store.run("pay", "5", "--seed", "1").expectStatus(0)
        let order = String(try #require(try store.run("orders", "list", "--json").list().first?["id"] as? Int))
        for command in Self.showing(order: order) {
            let elsewhere = try Program.run(command + ["--database", scratch.database], in: scratch)
            let before = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
            let shown = try onReadOnlyDisk(command)
            #expect(shown.status == elsewhere.status, "\(command): \(shown.error)")
            if command != ["metrics"] { #expect(shown.output == elsewhere.output, "\(command): \(shown.error)") }
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == before, "\(command)")
        }
        let notes = try onReadOnlyDisk(["orders", "notes", order])
        #expect(notes.error.contains("what the store answers is not kept"), "\(notes.error)")
    }

    @Test func `a command that changes something fails on a read-only disk before it asks the store`() throws {
        let store = try SimulatedStore(in: scratch)
        try store.run("orders", "sync").expectStatus(0)
        let order = String(try #require(try store.run("orders", "list", "--json").list().first?["id"] as? Int))
        for command in [["orders", "note", order, "hello"], ["orders", "sync"], ["customers", "sync"]] {
            let failed = try onReadOnlyDisk(command + ["--json"])
            #expect(failed.status == 69, "\(command): \(failed.error)")
            #expect((try failed.object()["error"] as? [String: Any])?["code"] as? String == "database_not_writable")
        }
        #expect(!(try store.run("orders", "notes", order).output.contains("hello")))
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
