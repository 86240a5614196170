import Foundation
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
}
