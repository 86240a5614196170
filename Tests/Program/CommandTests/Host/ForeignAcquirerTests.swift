import Foundation
import Testing

/// An acquirer of others: iso8583sim, as a program of its own. `Scripts/test` installs it, and names the interpreter
/// beside it in `CARDPRESENT_ISO8583SIM`.
@Suite("An acquirer of others")
struct ForeignAcquirerTests {
    private static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583SIM"]

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ words: [String], _ configuration: String) throws -> ProgramResult {
        try Program.run(words + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func outcome(_ amount: String, _ configuration: String) throws -> [String: Any] {
        try run(["pay", amount, "--card", "visa-dda", "--json"], configuration).object()
    }

    @Test(.enabled(if: python != nil))
    func `takes a sign-on, an echo, a sale, a decline, and a reversal`() throws {
        let rules = """
            { "rules": [
                { "match": { "mti": "0200", "fields": { "4": "000000001051" } }, "respond": "51" },
                { "match": { "mti": "0200", "fields": { "4": "000000000700" } }, "action": "close" },
                { "respond": "00" }
            ] }
            """
        let program = URL(filePath: try #require(Self.python)).deletingLastPathComponent().appending(path: "iso8583sim")
        let child = try Child(
            program: program.path,
            ["serve", "--port", "0", "--format", "ascii-hex", "--rules", try scratch.write(rules, to: "rules.json")],
            in: scratch, environment: ["COLUMNS": "200", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"], takesSignals: true)
        defer { child.send(SIGKILL) }
        #expect(child.wait { child.output.contains("127.0.0.1:") }, "\(child.errorOutput)")
        let address = try #require(child.output.split(separator: " ").first { $0.hasPrefix("127.0.0.1:") })
        let configuration = try scratch.write(
            "host: { kind: iso8583, address: \"\(address)\", profile: iso87-ascii }\n", to: "till.yaml")

        let check = try Program.run(["host", "check", "--config", configuration], in: scratch)
        #expect(check.status == 0, "\(check.error)")
        #expect(check.output.contains("sign-on") && check.output.contains("echo"))
        #expect(try outcome("12.50", configuration)["outcome"] as? String == "approved")
        let declined = try outcome("10.51", configuration)
        #expect(declined["outcome"] as? String == "declined", "\(declined)")
        // No answer: the reversal takes the payment back, and is confirmed.
        let reversed = try outcome("7.00", configuration)
        #expect(reversed["outcome"] as? String == "failed", "\(reversed)")
        let states = try run(["payments", "list", "--json"], configuration).list().compactMap { $0["state"] as? String }
        #expect(Set(states) == ["captured", "declined", "reversed"], "\(states)")
        let status = try Program.run(
            ["host", "status", "--config", configuration, "--database", scratch.database], in: scratch)
        #expect(status.status == 0, "\(status.output)")
    }
}
