import Foundation
import Testing

@Suite("Backup, restore, and metrics") struct BackupCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    @Test func `a restored backup takes a new identity, and stops the first payment once`() throws {
        #expect(try run("pay", "12.50").status == 0)
        let backup = try run("backup", scratch.file("backup"), "--json")
        #expect(backup.status == 0, "\(backup.error)")
        let facts = try backup.object()
        #expect(facts["payments"] as? Int == 1)
        #expect(facts["openAttempts"] as? Int == 0)
        #expect(facts["file"] as? String == scratch.file("backup"))
        let identity = try #require(facts["identity"] as? String)
        for amount in ["3", "4"] { #expect(try run("pay", amount).status == 0) }

        let refused = try run("restore", scratch.file("backup"), "--json")
        #expect(refused.status == 64)
        #expect(try code(refused) == "file_exists")
        let restored = try run("restore", scratch.file("backup"), "--force", "--json")
        #expect(restored.status == 0, "\(restored.error)")
        let told = try restored.object()
        #expect(told["formerIdentity"] as? String == identity)
        #expect(told["identity"] as? String != identity)
        #expect(told["next"] as? [String] == ["cardpresent payments recover", "cardpresent issuer reconcile"])
        let kept = try #require(told["kept"] as? String)
        let before = try Program.run(["payments", "list", "--json", "--database", kept], in: scratch).list()
        #expect(before.count == 3)

        let stopped = try run("pay", "5", "--json")
        #expect(stopped.status == 75)
        #expect(try code(stopped) == "database_restored")
        #expect(try run("pay", "5").status == 0)
        let keys = try run("issuer", "ledger", "--json").list().compactMap { $0["key"] as? String }
        #expect(Set(keys).count == 4)
        #expect(try run("issuer", "reconcile").status == 7)
    }

    @Test func `a backup makes no folder, which may be that of a disk that is not mounted`() throws {
        #expect(try run("pay", "12.50").status == 0)
        let refused = try run("backup", scratch.file("disk/till.sqlite"), "--json")
        #expect(refused.status == 78)
        #expect(try code(refused) == "no_directory")
        #expect(!FileManager.default.fileExists(atPath: scratch.file("disk")))
    }

    @Test func `a backup of the last moment is a restored one, too`() throws {
        #expect(try run("pay", "12.50").status == 0)
        #expect(try run("backup", scratch.file("backup")).output.hasPrefix("backed up 1 payment (0 unfinished, "))
        let restored = try run("restore", "--force", scratch.file("backup"))
        #expect(restored.status == 0)
        #expect(restored.output.contains("next: run 'cardpresent payments recover'"))
        let recovered = try run("payments", "recover", "--json").object()
        let found = try #require(recovered["restored"] as? [[String: Any]])
        #expect(found.map { $0["lastNumber"] as? Int } == [1])
        #expect(found.map { $0["hostNumber"] as? Int } == [1])
        #expect(try run("pay", "5").status == 0)
        let reconciled = try run("issuer", "reconcile")
        #expect(reconciled.status == 0, "\(reconciled.output)")
    }

    @Test func `a backup needs a database, and --force for a file that exists`() throws {
        let missing = try run("backup", scratch.file("backup"), "--json")
        #expect(missing.status == 66)
        #expect(try code(missing) == "database_missing")
        try scratch.makeDatabase()
        _ = try scratch.write("mine", to: "backup")
        let refused = try run("backup", scratch.file("backup"))
        #expect(refused.status == 64)
        #expect(refused.error.contains("--force"))
        #expect(try scratch.text("backup") == "mine")
        #expect(try run("backup", "--force", scratch.file("backup")).status == 0)
        let own = try run("backup", "--force", scratch.database, "--json")
        #expect(try code(own) == "same_file")
    }

    @Test func `what is no backup is not restored`() throws {
        let text = try scratch.write("no backup, but a text of some length\n", to: "text")
        let refused = try run("restore", text, "--json")
        #expect(refused.status == 65)
        #expect(try code(refused) == "not_a_database")
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
        #expect(try run("restore", scratch.file("missing")).status == 66)
    }

    @Test func `metrics count the records`() throws {
        #expect(try run("metrics").status == 66)
        #expect(try run("pay", "12.50").status == 0)
        let lines = try run("metrics").output.split(separator: "\n")
        #expect(lines.contains(#"cardpresent_payments{state="captured"} 1"#))
        #expect(lines.contains(#"cardpresent_payments{state="unknown"} 0"#))
        #expect(lines.contains(#"cardpresent_waiting{queue="unknown_payments"} 0"#))
        #expect(!lines.contains { $0.hasPrefix("cardpresent_waiting_since_timestamp_seconds{") })
        #expect(lines.contains(#"cardpresent_attempts_total{kind="sale",outcome="captured"} 1"#))
        #expect(lines.contains(#"cardpresent_attempts_total{kind="sale",outcome="unknown"} 0"#))
        #expect(lines.contains(#"cardpresent_attempts_total{kind="refund",outcome="declined"} 0"#))
        #expect(lines.contains(#"cardpresent_attempt_seconds_count{kind="sale",outcome="captured"} 1"#))
        #expect(lines.contains(#"cardpresent_host_seconds_count{kind="sale",state="captured"} 1"#))
        let attempts = try #require(try run("metrics", "--json").object()["attempts"] as? [String: [String: Int]])
        #expect(attempts["sale"]?["captured"] == 1 && attempts["refund"]?["unknown"] == 0)
        let open = try run("metrics", "--format", "openmetrics").output
        #expect(open.hasSuffix("# EOF\n"))
    }

    @Test func `metrics are written to a file that others can read`() throws {
        try scratch.makeDatabase()
        let file = scratch.file("till.prom")
        let result = try run("metrics", "--output", file)
        #expect((result.status, result.output) == (0, ""))
        #expect(try scratch.text("till.prom").hasPrefix("# HELP cardpresent_attempt_seconds "))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode.map { $0 & 0o444 } == 0o444)
    }

    @Test(.enabled(if: Promtool.path != nil, "promtool is not installed: the Debian package is prometheus"))
    func `Prometheus accepts the metrics of the records`() throws {
        #expect(try run("pay", "12.50").status == 0)
        let file = scratch.file("till.prom")
        #expect(try run("metrics", "--output", file).status == 0)
        let checked = try Child(
            program: "/bin/sh", ["-c", "exec \"$0\" check metrics <\"$1\"", try #require(Promtool.path), file],
            in: scratch
        ).result()
        #expect(checked.status == 0, "\(checked.error)")
    }
}

/// The program of Prometheus that checks metrics.
private enum Promtool {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/promtool" }.first(where: FileManager.default.isExecutableFile)
}
