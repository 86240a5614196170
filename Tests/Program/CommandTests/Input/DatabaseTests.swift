import Foundation
import Glibc
import Testing

@Suite("A database that cannot be used")
struct DatabaseTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func expectRefusal(
        _ database: String, _ status: Int32, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for command in [["pay", "5"], ["payments", "list"]] {
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
        try expectRefusal("/proc/nowhere/till.sqlite", 69, "database_not_writable")
        try expectRefusal("", 78, "no_database")
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
