import Foundation
import Testing

@Suite("A database that was restored from a backup")
struct RestoredBackupTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    /// Copies the database file and its log, without the issuer's ledger.
    private func copy(from old: String, to new: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: new + suffix)
            guard suffix != "-shm", FileManager.default.fileExists(atPath: old + suffix) else { continue }
            try FileManager.default.copyItem(atPath: old + suffix, toPath: new + suffix)
        }
    }

    /// Puts a backup of one payment back after two more.
    private func restore() throws {
        #expect(try run("pay", "12.50").status == 0)
        try copy(from: scratch.database, to: scratch.file("backup"))
        for amount in ["3", "4"] { #expect(try run("pay", amount).status == 0) }
        try copy(from: scratch.file("backup"), to: scratch.database)
    }

    @Test func `a missing backup is named as one`() throws {
        let result = try Program.run(
            ["restore", scratch.file("nobackup.sqlite"), "--database", scratch.database, "--json"], in: scratch)
        #expect(result.status == 66)
        #expect(result.error.contains("the backup '\(scratch.file("nobackup.sqlite"))' does not exist\n"))
        #expect(result.error.contains("'cardpresent backup FILE' writes a backup") && !result.error.contains("login"))
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "database_missing")
        #expect(try scratch.everything().isEmpty)
    }

    @Test func `it takes a new identity, and reconciling names what it lost`() throws {
        try restore()
        let stopped = try run("pay", "5", "--json")
        #expect(stopped.status == 75)
        #expect((try stopped.object()["error"] as? [String: Any])?["code"] as? String == "database_restored")
        #expect(stopped.error.contains("cardpresent: this database was restored from a backup: it has 1 attempt of "))
        #expect(stopped.error.contains("cardpresent issuer reconcile"))
        #expect(try run("issuer", "ledger", "--json").list().count == 3)
        let paid = try run("pay", "5", "--json")
        #expect(paid.status == 0)
        #expect((try paid.object()["payment"] as? [String: Any])?["id"] as? String == "P000004")
        let keys = try run("issuer", "ledger", "--json").list().compactMap { $0["key"] as? String }
        #expect(keys.count == 4)
        #expect(Set(keys).count == 4)

        let result = try run("issuer", "reconcile", "--json")
        #expect(result.status == 7)
        // It is said when it is found, and stays in the records.
        #expect(!result.error.contains("restored"))
        let told = try result.object()
        let differences = try #require(told["differences"] as? [[String: Any]])
        #expect(differences.map { $0["kind"] as? String } == ["unknownToTill", "unknownToTill"])
        #expect(differences.map { $0["key"] as? String } == [keys[1], keys[2]])
        let totals = try #require(told["totals"] as? [[String: Any]])
        #expect(totals.map { $0["till"] as? Int } == [1750])
        #expect(totals.map { $0["issuer"] as? Int } == [2450])
        let restored = try #require((told["restored"] as? [[String: Any]])?.first)
        #expect(restored["lastNumber"] as? Int == 1)
        #expect(restored["hostNumber"] as? Int == 3)
        #expect(keys[0] == "\(restored["identity"] as? String ?? "")-1")
        #expect(keys[3] == "\(restored["newIdentity"] as? String ?? "")-4")
        let shown = try run("issuer", "reconcile")
        #expect(shown.output.hasPrefix("restored from a backup, found "))
        #expect(shown.output.contains("till had 1, issuer had 3\n"))
        #expect(shown.output.hasSuffix("2 attempts, 0 still open: 2 differences\n"))
    }

    @Test func `a refund that the backup does not have is not made again by the command that finds it`() throws {
        #expect(try run("pay", "10").status == 0)
        try copy(from: scratch.database, to: scratch.file("backup"))
        #expect(try run("refund", "P000001", "--amount", "5").status == 0)
        try copy(from: scratch.file("backup"), to: scratch.database)
        let stopped = try run("refund", "P000001", "--amount", "5")
        #expect(stopped.status == 75)
        #expect(stopped.error.contains("nothing was done"))
        #expect(try run("issuer", "ledger", "--json").list().count == 2)
    }

    @Test func `what it lost can be accepted with a reason, once, and stays in the report`() throws {
        try restore()
        // Losses that no report has listed can't be accepted.
        let early = try run("issuer", "reconcile", "--accept-lost", "--reason", "booked by hand")
        #expect(early.status == 75)
        #expect(try run("issuer", "reconcile").status == 7)
        let done = try run(
            "issuer", "reconcile", "--accept-lost", "--reason", "booked by hand, card 4761739001010010", "--json")
        #expect(done.status == 0)
        let told = try done.object()
        #expect(told["agree"] as? Bool == true)
        #expect((told["differences"] as? [Any])?.isEmpty == true)
        let accepted = try #require(told["accepted"] as? [[String: Any]])
        #expect(accepted.map { $0["amount"] as? Int } == [300, 400])
        #expect(accepted.map { $0["direction"] as? String } == ["sale", "sale"])
        #expect(accepted.first?["reason"] as? String == "booked by hand, card ************0010")
        #expect((told["restored"] as? [Any])?.count == 1)

        // Again, it changes nothing.
        let again = try run("issuer", "reconcile", "--accept-lost", "--reason", "another reason", "--json")
        #expect((again.status, again.output) == (0, done.output))
        let shown = try run("issuer", "reconcile")
        #expect(shown.status == 0)
        #expect(shown.output.contains("3.00 USD  booked by hand, card ************0010\n"))
        #expect(shown.output.hasSuffix("1 attempt, 0 still open: ledger and journal agree, but for 2 accepted\n"))

        // Only what was listed is accepted.
        let backup = scratch.file("second backup")
        try copy(from: scratch.database, to: backup)
        #expect(try run("pay", "6").status == 0)
        try copy(from: backup, to: scratch.database)
        let next = try run("issuer", "reconcile", "--json")
        #expect(next.status == 7)
        let rest = try #require(try next.object()["differences"] as? [[String: Any]])
        #expect(rest.compactMap { ($0["issuer"] as? [String: Any])?["amount"] as? Int } == [600])
    }

    @Test(arguments: [
        ["--accept-lost"], ["--reason", "booked by hand"], ["--accept-lost", "--reason", " "],
        ["--accept-lost", "--reason", "two\nlines"],
    ])
    func `a loss is accepted with a reason of one line only`(_ arguments: [String]) throws {
        try scratch.makeDatabase()
        let result = try Program.run(
            ["issuer", "reconcile"] + arguments + ["--database", scratch.database], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("--reason"))
    }

    @Test func `without a restored backup nothing is accepted`() throws {
        #expect(try run("pay", "10").status == 0)
        // Another till's database beside this issuer's ledger.
        let other = scratch.file("other")
        try FileManager.default.copyItem(atPath: scratch.database + ".issuer", toPath: other + ".issuer")
        #expect(try Program.run(["pay", "5", "--database", other], in: scratch).status == 0)
        let result = try Program.run(
            ["issuer", "reconcile", "--accept-lost", "--reason", "booked by hand", "--json", "--database", other],
            in: scratch)
        #expect(result.status == 64)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "never_restored")
    }

    @Test func `recovery reports it`() throws {
        try restore()
        let result = try run("payments", "recover", "--json")
        #expect(result.status == 0)
        let restored = try #require(try result.object()["restored"] as? [[String: Any]])
        #expect(restored.map { $0["hostNumber"] as? Int } == [3])
        #expect(try run("payments", "recover", "--json").object()["restored"] == nil)
    }

    @Test func `while the issuer is silent, no number is used twice`() throws {
        try restore()
        let silent = try scratch.write(
            "rules: [{ when: { messages: [inquire] }, answer: { lost: request } }]", to: "silent.yaml")
        let paid = try run("pay", "5", "--json", "--issuer-rules", silent)
        #expect(paid.status == 0)
        #expect(!paid.error.contains("restored"))
        let keys = try run("issuer", "ledger", "--json").list().compactMap { $0["key"] as? String }
        #expect(Set(keys).count == 4)
        let told = try run("payments", "recover")
        #expect(told.error.contains("restored from a backup"))
        #expect(try run("issuer", "reconcile").status == 7)
    }
}
