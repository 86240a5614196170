import Foundation
import Testing

@Suite("The trace of a payment host")
struct HostTraceTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var trace: String { scratch.file("host.jsonl") }

    private func start(_ profile: String) throws -> (child: Child, configuration: String) {
        let child = try Child(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", profile, "--seed", "1"], in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        let configuration = try scratch.write(
            "host: { kind: iso8583, address: \"\(address)\", profile: \(profile) }\n", to: "till.yaml")
        return (child, configuration)
    }

    private func run(_ words: [String], _ configuration: String, to file: String? = nil) throws -> ProgramResult {
        try Program.run(
            words + ["--config", configuration, "--database", scratch.database, "--host-trace", file ?? trace],
            in: scratch)
    }

    private func lines() throws -> [[String: Any]] {
        try scratch.text("host.jsonl").split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Directions, types, and kinds of the lines.
    private func order() throws -> [String] {
        try lines().map { line in
            ["direction", "type", "kind"].map { line[$0] as? String ?? "none" }.joined(separator: " ")
        }
    }

    @Test func `each command writes its messages in both directions, for the user's eyes only`() throws {
        let (child, configuration) = try start("iso87-ascii")
        let signOn = ["sent 0800 signOn", "received 0810 signOn"]
        #expect(try run(["pay", "12.50", "--card", "visa-dda"], configuration).status == 0)
        #expect(try order() == signOn + ["sent 0200 sale", "received 0210 sale"])
        let mode = try FileManager.default.attributesOfItem(atPath: trace)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try run(["refund", "P000001", "--amount", "1.00"], configuration).status == 0)
        #expect(try order() == signOn + ["sent 0200 refund", "received 0210 refund"])
        #expect(try run(["host", "settle"], configuration).status == 0)
        #expect(try order() == signOn + ["sent 0500 settlement", "received 0510 settlement"])
        #expect(try run(["payments", "recover"], configuration).status == 0)
        #expect(try order().isEmpty)
        let check = try Program.run(
            ["host", "check", "--config", configuration, "--host-trace", trace], in: scratch)
        #expect(check.status == 0)
        #expect(try order() == signOn + ["sent 0800 echo", "received 0810 echo"])
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
    func `a trace has nothing of the card, in fields and frames`(profile: String) throws {
        let (child, configuration) = try start(profile)
        for card in ["stripe-only", "visa-dda"] {
            let reader = card == "stripe-only" ? "simulated:combo" : "simulated"
            _ = try run(["pay", "12.50", "--card", card, "--reader", reader], configuration)
            let text = try scratch.text("host.jsonl")
            let pan = card == "stripe-only" ? "4761739001027014" : "4761739001017015"
            let (ascii, ebcdic) = (pan.map { "3\($0)" }.joined(), pan.map { "F\($0)" }.joined())
            for secret in [pan, ascii, ebcdic] { #expect(!text.contains(secret), "\(profile) \(card)") }
            let sale = try #require(try lines().first { $0["kind"] as? String == "sale" })
            let frame = try #require(sale["frame"] as? String)
            #expect(frame.contains("****************") && frame.count > 2 * (sale["bytes"] as? Int ?? .max))
        }
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `a file that can't be written ends the command before anything is sent`() throws {
        let (child, configuration) = try start("iso87-ascii")
        let places = [
            "/dev/full", scratch.file("missing/host.jsonl"), try scratch.write("my notes\n", to: "notes.txt"),
        ]
        for (file, code) in zip(places, ["trace_not_writable", "trace_not_writable", "trace_not_a_trace"]) {
            let result = try run(["pay", "12.50", "--card", "visa-dda", "--json"], configuration, to: file)
            #expect(result.status == (code == "trace_not_writable" ? 69 : 64), "\(file)")
            #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == code, "\(result.output)")
        }
        #expect(try scratch.text("notes.txt") == "my notes\n")
        child.send(SIGTERM)
        #expect(try child.result().output.split(separator: "\n").count == 1)
    }

    @Test func `a host in this process has no messages to trace`() throws {
        let result = try Program.run(
            ["pay", "12.50", "--database", scratch.database, "--host-trace", trace, "--json"], in: scratch)
        #expect(result.status == 64)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "no_host")
        #expect(!FileManager.default.fileExists(atPath: trace))
    }
}
