import Foundation
import Testing

/// `simulate run` and `simulate schema`
@Suite("Scenarios at the command line")
struct SimulateRunTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func scenario(_ outcome: String, amount: String = "12.50", to name: String) throws -> String {
        try scratch.write(
            """
            template_version: 1
            description: A payment that ends as \(outcome)
            tags: [\(outcome)]
            steps:
              - connect
              - pay: \(amount)
                expect: { outcome: \(outcome) }

            """, to: name)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(["simulate", "run"] + arguments, in: scratch, environment: environment)
    }

    @Test func `what is as expected ends with 0 and one line`() throws {
        let result = try run(try scenario("approved", to: "right.yaml"))
        #expect(result.status == 0)
        #expect(result.output == "1 scenario: 1 passed\n")
        #expect(result.error.isEmpty)
    }

    @Test func `what is not ends with 1, both sides and the command that does it again`() throws {
        let path = try scenario("declined", to: "wrong.yaml")
        let result = try run(path, "--seed", "7")
        #expect(result.status == 1)
        #expect(result.output == "1 scenario: 0 passed, 1 failed\n")
        let sentence = "\(path):7: step 2, pay 12.50 USD: outcome: expected 'declined', seen 'approved'"
        #expect(result.error.contains(sentence))
        #expect(result.error.contains("    - declined\n    + approved\n"))
        #expect(result.error.contains("again: cardpresent simulate run \(path) --seed 7\n"))
        let again = try run(path, "--seed", "7")
        #expect(again.status == 1 && again.error == result.error)
    }

    @Test func `nothing chosen, and nothing there, end with 64`() throws {
        let path = try scenario("approved", to: "right.yaml")
        for arguments in [[path, "--tag", "none"], [path, "--filter", "none"], [path, "--shard", "2/2"]] {
            let result = try Program.run(["simulate", "run"] + arguments, in: scratch)
            #expect(result.status == 64)
            #expect(result.error.contains("none of 1 scenarios is chosen"))
        }
        #expect(try run(scratch.file("gone.yaml")).status == 64)
        #expect(try run(path, "--shard", "3/2").status == 64)
        #expect(try run(path, "--jobs", "0").status == 64)
        #expect(try run(path, "--tap", "--junit", "-").status == 64)
        #expect(try run().status == 64)
    }

    @Test func `a wrong file ends with 65, with all of its mistakes, and nothing is run`() throws {
        let right = try scenario("approved", to: "right.yaml")
        let wrong = try scratch.write("template_version: 1\nstep: []\nsteps: [conect]\n", to: "wrong.yaml")
        let result = try run(right, wrong)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("\(wrong):1:1: the key 'description' is missing"))
        #expect(result.error.contains("\(wrong):2:1: unknown key 'step'; did you mean 'steps'?"))
        #expect(result.error.contains("\(wrong):3:9: steps[0]: 'conect' is not known here; did you mean 'connect'?"))
        #expect(result.error.contains("nothing was run: 3 mistakes in 1 file"))
    }

    @Test func `every report is written, and the same whatever --jobs says`() throws {
        let good = try scenario("approved", to: "good.yaml")
        let bad = try scenario("declined", to: "bad.yaml")
        for jobs in ["1", "3"] {
            let result = try run(
                good, bad, "--jobs", jobs, "--junit", scratch.file("\(jobs).xml"), "--json",
                scratch.file("\(jobs).json"), "--html", scratch.file("html\(jobs)"), "--tap")
            #expect(result.status == 1)
            #expect(result.output.hasPrefix("TAP version 14\n1..2\nok 1 - "))
        }
        for name in [".xml", ".json"] {
            let first = try Data(contentsOf: URL(fileURLWithPath: scratch.file("1\(name)")))
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("3\(name)"))) == first)
        }
        let pages = try FileManager.default.contentsOfDirectory(atPath: scratch.file("html1")).sorted()
        #expect(pages == ["index.html", "scenario-1.html", "scenario-2.html"])
        #expect(try run(good, "--json", scratch.file("no/such.json")).status == 69)
    }

    @Test func `GitHub gets annotations at the lines, and a summary behind what is there`() throws {
        let path = try scenario("declined", to: "wrong.yaml")
        let summary = try scratch.write("before\n", to: "summary.md")
        let result = try run(path, environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary])
        #expect(result.output.contains("::error file=\(path),line=7,title="))
        let text = try String(contentsOfFile: summary, encoding: .utf8)
        #expect(text.hasPrefix("before\n### ❌ 1 scenario: 0 passed, 1 failed\n"))
    }

    @Test func `the schema is JSON and names every key of the file`() throws {
        let result = try Program.run(["simulate", "schema"], in: scratch)
        #expect(result.status == 0)
        let schema = try result.object()
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(result.output.contains("\"template_version\""))
    }
}
