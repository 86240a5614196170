import Foundation
import Glibc
import Testing

/// `simulate explore`
@Suite("Exploring at the command line")
struct SimulateExploreTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func explore(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["simulate", "explore", "--out", scratch.file("explored")] + arguments, in: scratch)
    }

    @Test
    func `sessions without violations exit with 0 and have the same coverage and JSON with any number of threads`()
        throws
    {
        let one = try explore("--sessions", "24", "--seed", "7", "--jobs", "1", "--json-file", scratch.file("one.json"))
        #expect(one.status == 0)
        #expect(one.output.hasPrefix("24 sessions in "))
        #expect(one.output.contains("seed 7\n"))
        #expect(one.output.contains(" states covered: faults at places "))
        #expect(one.output.hasSuffix("no failures\n"))
        #expect(one.error.isEmpty)
        let two = try explore("--sessions", "24", "--seed", "7", "--jobs", "2", "--json")
        #expect(two.status == 0)
        #expect(two.output == (try String(contentsOfFile: scratch.file("one.json"), encoding: .utf8)))
        #expect(two.error.contains("24 sessions in "))
    }

    @Test func `a saved scenario is checked again, and one that cannot start exits with 1`() throws {
        let sound = """
            template_version: 1
            description: The till dies when the issuer has answered
            steps:
              - connect
              - pay: 20.00
                during: [{ on: host authorize answered, do: crash }]

            """
        let right = try explore("--replay", try scratch.write(sound, to: "right.yaml"))
        #expect(right.status == 0)
        #expect(right.output == "1 session: no failures\n")
        let full = sound.replacing("steps:", with: "disk: full\nsteps:")
        let wrong = try explore("--replay", try scratch.write(full, to: "full.yaml"))
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("theTillRecovers: full: the session cannot begin: "))
        #expect(wrong.output.hasSuffix("1 session: 1 failed\n"))
    }

    @Test func `invalid arguments and files are rejected`() throws {
        #expect(try explore("--sessions", "0").status == 64)
        #expect(try explore("--time", "0").status == 64)
        #expect(try explore("--jobs", "0").status == 64)
        #expect(try explore("--replay", "x.yaml", "--time", "1").status == 64)
        let malformed = try explore("--replay", try scratch.write("template_version: 1\n", to: "bad.yaml"))
        #expect(malformed.status == 65)
        #expect(malformed.error.contains("bad.yaml"))
    }

    @Test func `Ctrl-C ends a search with the report so far`() throws {
        let traces = scratch.file("traces")
        let child = try Child(
            ["simulate", "explore", "--sessions", "1000000", "--jobs", "1", "--traces", traces, "--json"], in: scratch)
        #expect(child.wait { (try? FileManager.default.contentsOfDirectory(atPath: traces))?.isEmpty == false })
        child.send(SIGINT)
        let result = try child.result()
        #expect(result.status == 3)
        let sessions = try #require(try result.object()["sessions"] as? Int)
        #expect((1..<1_000_000).contains(sessions))
        #expect(result.error.contains("\(sessions) sessions in "))
        #expect(result.error.contains("no failures\n"))
    }

    @Test func `a folder that failures can't be written to is refused before the search`() throws {
        for more in [["--sessions", "1"], ["--crash-pairs"]] {
            let result = try Program.run(
                ["simulate", "explore", "--out", "/proc/nothing/explored"] + more, in: scratch)
            #expect(result.status == 69)
            #expect(result.error.contains("choose a writable folder with --out"))
        }
    }

    // MARK: Traces

    /// A log in which a sale is captured that was never sent.
    private static let log = """
        {"detail":"1","kind":"start","milliseconds":0,"number":1,"process":1}
        {"amount":1250,"detail":"","kind":"payment","milliseconds":0,"number":2,"payment":1,"process":1}
        {"amount":1250,"attempt":1,"detail":"sale","kind":"attempt","milliseconds":0,"number":3,"payment":1,"process":1}
        {"attempt":1,"detail":"created","kind":"journal","milliseconds":0,"number":4,"process":1}
        {"attempt":1,"detail":"captured","kind":"journal","milliseconds":0,"number":5,"process":1}

        """

    @Test func `sessions are written as traces, into a folder without older ones`() throws {
        let folder = scratch.file("traces")
        let first = try explore("--sessions", "12", "--seed", "7", "--traces", folder)
        #expect(first.status == 0)
        #expect(first.error.contains(" sessions in \(folder)"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.contains { $0.hasSuffix(".money.trace") })
        #expect(names.contains { $0.hasSuffix(".jsonl") })
        let second = try explore("--sessions", "12", "--seed", "7", "--traces", folder)
        #expect(second.status == 64)
        #expect(second.error.contains("has traces of an earlier run"))
    }

    @Test func `a log that a model has is accepted, and one that it does not have is located`() throws {
        let log = try scratch.write(Self.log, to: "log.jsonl")
        let right = try explore("--validate", log, "--models", try scratch.models("exit 0"))
        #expect(right.status == 0)
        #expect(right.output == "payment-1 in money.pml: accepted, 2 steps\n")
        let wrong = try explore("--validate", log, "--models", try scratch.models("echo 'REACHED 1 of 2'; exit 1"))
        #expect(wrong.status == 1)
        #expect(
            wrong.output == """
                payment-1 in money.pml: REJECTED at step 2 of 2
                  event 5: journal captured, attempt 1
                  not possible here: finish_captured

                """)
    }

    @Test func `a log is not validated without models, and no log is one of other lines`() throws {
        let log = try scratch.write(Self.log, to: "log.jsonl")
        let none = try explore("--validate", log, "--models", scratch.file("none"))
        #expect(none.status == 69)
        #expect(none.error.contains("Scripts/prove --traces"))
        let broken = try explore("--validate", log, "--models", try scratch.models("echo 'LOG line 1: no'; exit 3"))
        #expect(broken.status == 69)
        #expect(broken.error.contains("can't read the log: LOG line 1: no"))
        let malformed = try explore("--validate", try scratch.write(Self.log + "{}\n", to: "bad.jsonl"))
        #expect(malformed.status == 65)
        #expect(malformed.error.contains("bad.jsonl:6: not a traced event"))
        #expect(try explore("--validate", try scratch.write("", to: "empty.jsonl")).status == 65)
        #expect(try explore("--validate", scratch.file("missing.jsonl")).status == 66)
        #expect(try explore("--validate", log, "--time", "1").status == 64)
        #expect(try explore("--replay", "x.yaml", "--traces", scratch.file("traces")).status == 64)
    }
}
