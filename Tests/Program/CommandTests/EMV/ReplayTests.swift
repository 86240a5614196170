import Foundation
import Testing

@Suite("emv replay, emv oda")
struct ReplayTests {
    /// A test card of an invented payment system that others recorded.
    private static let traces = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Card/EMVReplayTests/Traces")
    private static let trace = traces.appending(path: "invented-scheme-dda.jsonl").path
    private static let signatures = traces.appending(path: "invented-scheme-dda.yaml").path

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["emv"] + arguments, in: scratch)
    }

    @Test func `replay reports the first difference between kernel and recorded terminal, and exits with 7`() throws {
        let result = try run("replay", Self.trace, "--json")

        #expect(result.status == 7)
        let told = try result.object()
        #expect(told["agrees"] as? Bool == false)
        #expect(told["oda"] as? String == "dda")
        // The key of the invented payment system was not given.
        #expect(told["odaResult"] as? String == "failed")
        let differences = try #require(told["differences"] as? [[String: Any]])
        #expect(differences.contains { $0["kind"] as? String == "onlyRecorded" && $0["line"] as? Int == 22 })
    }

    @Test func `a simulated card's trace is replayed when it is clear, and a real card's never is`() throws {
        let trace = scratch.file("clear.jsonl")
        func pay(_ more: String...) throws -> ProgramResult {
            try Program.run(["pay", "12.50", "--database", scratch.database, "--json"] + more, in: scratch)
        }
        try pay("--trace", trace, "--trace-clear", "--card", "pin-required", "--pin", "1234").expectStatus(0)
        let text = try scratch.text("clear.jsonl")
        #expect(!text.contains("*"))
        // The PIN is left out.
        #expect(!text.contains("241234"))
        let told = try run("replay", trace, "--json").object()
        #expect(told["decision"] as? String == "approvedOnline")
        #expect(told["amount"] as? String == "12.50 USD")
        for reader in ["usb", "pcsc"] {
            let result = try pay("--trace", scratch.file("real.jsonl"), "--trace-clear", "--reader", reader)
            #expect(result.status == 64)
            #expect(result.output.contains("trace_clear_with_real_reader"))
            #expect(!FileManager.default.fileExists(atPath: scratch.file("real.jsonl")))
        }
        #expect(try pay("--trace-clear").status == 64)
    }

    @Test func `keys on elliptic curves verify the signature of a recorded card`() throws {
        let trace = scratch.file("curve.jsonl")
        let till = try scratch.write(
            "terminal: { capabilities: [contactChip, signature, noCVM, xda] }\n", to: "till.yaml")
        let paid = try Program.run(
            [
                "pay", "12.50", "--database", scratch.database, "--config", till, "--trace", trace, "--trace-clear",
                "--card", "visa-xda", "--seed", "7",
            ], in: scratch)
        paid.expectStatus(0)
        func replayed(_ more: String...) throws -> [String: Any] {
            let told = try Program.run(["emv", "replay", trace, "--json"] + more, in: scratch).object()
            #expect(told["oda"] as? String == "xda" && told["decision"] as? String == "approvedOnline")
            return told
        }
        // The public key of ca-p256 in Simulator/Resources/Keys/test-ec-keys.txt, computed by another program.
        let x = "8883FA20E6D57BD935A4830D25FADE012B7CCB89F0A6F52438D8101C7D55C3BA"
        let keys = try scratch.write(
            "- { rid: A000000003, index: \"01\", suite: \"10\", x: \"\(x)\" }\n", to: "keys.yaml")
        #expect(try replayed("--capks", keys)["odaResult"] as? String == "passed")
        #expect(try replayed("--capks", keys)["agrees"] as? Bool == true)
        #expect(try replayed("--card", "visa-xda", "--seed", "7")["odaResult"] as? String == "passed")
        #expect(try replayed()["odaResult"] as? String == "failed")
    }

    @Test func `a tap is replayed with the seed of its payment, and refused without it`() throws {
        let trace = scratch.file("tap.jsonl")
        func pay(_ amount: String, _ reader: String, _ card: String) throws {
            try Program.run(
                [
                    "pay", amount, "--database", scratch.database, "--trace", trace, "--trace-clear", "--reader",
                    "simulated:" + reader, "--card", card, "--seed", "7",
                ], in: scratch
            ).expectStatus(0)
        }
        try pay("12.50", "contactless", "k8-credit")
        let played = try run("replay", trace, "--card", "k8-credit", "--seed", "7", "--json")
        #expect(played.status == 0, "\(played.output)")
        let told = try played.object()
        #expect(told["interface"] as? String == "contactless" && told["agrees"] as? Bool == true)
        #expect(told["decision"] as? String == "onlineRequest" && told["last4"] as? String == "0015")
        #expect(told["oda"] as? String == "local" && told["odaResult"] as? String == "passed")
        #expect((told["differences"] as? [Any])?.isEmpty == true && told["chip"] is NSNull)
        for (more, code) in [([], "kernel_key_unknown"), (["--seed", "8"], "kernel_key_unknown")] {
            let refused = try Program.run(["emv", "replay", trace, "--json"] + more, in: scratch)
            #expect(refused.status == 65)
            #expect(refused.output.contains(code))
        }
        #expect(try run("replay", trace, "--kernel-key", "12").status == 64)

        // The chip follows the tap in the same trace.
        try FileManager.default.removeItem(atPath: trace)
        try pay("120", "dual-interface", "k8-wants-chip")
        let both = try run("replay", trace, "--card", "k8-wants-chip", "--seed", "7", "--json").object()
        #expect(both["decision"] as? String == "tryAnotherInterface")
        #expect((both["chip"] as? [String: Any])?["decision"] as? String == "approvedOnline")
    }

    @Test func `a tap that had to go online is replayed with the same demand, which the report names`() throws {
        let trace = scratch.file("tap.jsonl")
        let terminal = try scratch.write("terminal: { contactless: { floorLimit: 20.00 } }\n", to: "till.yaml")
        try Program.run(
            [
                "pay", "12.50", "--tap", "--card", "k8-offline", "--force-online", "--config", terminal, "--seed", "7",
                "--database", scratch.database, "--trace", trace, "--trace-clear",
            ], in: scratch
        ).expectStatus(0)
        let options = [trace, "--card", "k8-offline", "--seed", "7", "--terminal", terminal]
        let without = try Program.run(["emv", "replay"] + options, in: scratch)
        #expect(without.status == 7)
        #expect(without.output.contains("The payment may have had to go online: give --force-online."))
        let replayed = try Program.run(["emv", "replay", "--force-online", "--json"] + options, in: scratch)
        #expect(replayed.status == 0)
        #expect(try replayed.object()["decision"] as? String == "onlineRequest")
    }

    @Test func `other limits than the recorded ones are no demand to go online`() throws {
        let trace = scratch.file("tap.jsonl")
        let terminal = try scratch.write("terminal: { contactless: { floorLimit: 20.00 } }\n", to: "till.yaml")
        try Program.run(
            [
                "pay", "12.50", "--tap", "--card", "k8-offline", "--seed", "7", "--database", scratch.database,
                "--trace", trace, "--trace-clear",
            ], in: scratch
        ).expectStatus(0)
        let options = [trace, "--card", "k8-offline", "--seed", "7"]
        #expect(try Program.run(["emv", "replay"] + options, in: scratch).status == 0)
        let other = try Program.run(["emv", "replay", "--terminal", terminal] + options, in: scratch)
        #expect(other.status == 7 && !other.output.contains("--force-online"))
    }

    @Test func `a trace that cannot be read is reported with its line`() throws {
        let trace = try scratch.write("{\"c\":\"00A40400\",\"r\":\"9000\"}\n{\"c\":\"00\"}\n", to: "trace.jsonl")
        let result = try run("replay", trace)

        #expect(result.status == 65)
        #expect(result.error.contains("trace.jsonl:2"))
        #expect(try run("replay", scratch.file("none.jsonl")).status == 65)
    }

    @Test func `oda checks given certificates step by step`() throws {
        let result = try run("oda", Self.signatures)

        #expect(result.status == 0)
        #expect(
            result.output == """
                issuerCertificate   passed
                iccCertificate      passed
                dynamicData         passed
                9F4C                002C
                passed

                """)
    }

    @Test func `an unexpected result exits with 7 and names the step`() throws {
        let text = try String(contentsOfFile: Self.signatures, encoding: .utf8)
            .replacingOccurrences(of: #"terminalData: "01234567""#, with: #"terminalData: "01234568""#)
        let result = try run("oda", try scratch.write(text, to: "case.yaml"), "--json")

        #expect(result.status == 7)
        let told = try result.object()
        #expect(told["result"] as? String == "failed")
        let steps = try #require(told["steps"] as? [[String: Any]])
        #expect(steps.last?["step"] as? String == "dynamicData")
        #expect(steps.last?["reason"] as? String != nil)
    }

    @Test func `the help of oda describes its file`() throws {
        let help = try run("oda", "--help").output

        for key in ["authority", "issuer", "icc", "staticData", "terminalData", "transactionData", "expected"] {
            #expect(help.contains(key))
        }
    }
}
