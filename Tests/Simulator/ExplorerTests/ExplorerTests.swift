import Foundation
import ScenarioFormat
import ScenarioRunner
import Synchronization
import Testing

@testable import Explorer

@Suite("The explorer")
struct ExplorerTests {
    private func encoded(_ report: ExplorationReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    @Test("finds no violations, and the same with any number of threads")
    func repeatable() async throws {
        let one = await Explorer(seed: 3, sessions: 96, jobs: 1, folder: scratchFolder()).run()
        let three = await Explorer(seed: 3, sessions: 96, jobs: 3, folder: scratchFolder()).run()
        #expect(try encoded(one) == (try encoded(three)))
        #expect(one.failures == [])
        #expect((one.sessions, one.unreadable) == (96, 0))
        #expect(one.stateCount > 200)
        #expect(one.coverage.allSatisfy { $0.states > 0 })
        #expect(one.growth.map(\.sessions) == [64, 96])
        #expect(one.growth[1].states > one.growth[0].states)
        let other = await Explorer(seed: 4, sessions: 32, jobs: 2, folder: scratchFolder()).run()
        #expect(other.states != one.states)
    }

    @Test("ends on request")
    func ends() async {
        let report = await Explorer(seed: 1, jobs: 1, folder: scratchFolder()).run(goesOn: { false })
        #expect(report.sessions == 0)
    }

    /// As if a payment that was reversed were forbidden.
    private static func judge(_ record: SessionRecord) -> [Violation] {
        record.attempts.contains { $0.state == "reversed" } ? [Violation(.booksAgree, "payment 7 was reversed")] : []
    }

    @Test("each failure has a file of its own, also when a session breaks an invariant in two ways")
    func names() async throws {
        var explorer = Explorer(seed: 5, sessions: 128, jobs: 2, stopsAtFailure: true, folder: scratchFolder())
        explorer.judge = { record in
            Self.judge(record).flatMap { [$0, Violation(.booksAgree, "a reversal"), Violation(.oneCharge, "twice")] }
        }
        let names = await explorer.run().failures.map { $0.fileName.split(separator: "-").last ?? "" }
        #expect(names.count >= 3)
        #expect(names[1] == "2.yaml" && names[0] != "2.yaml" && names[2] == names[0])
    }

    @Test("shrinks a failing session and writes it as a scenario that fails again")
    func shrinks() async throws {
        var explorer = Explorer(seed: 5, sessions: 128, jobs: 2, stopsAtFailure: true, folder: scratchFolder())
        explorer.judge = Self.judge
        let told = Mutex<[FoundFailure]>([])
        explorer.onFailure = { failure in told.withLock { $0.append(failure) } }
        let report = await explorer.run()
        let failure = try #require(report.failures.first)
        #expect(report.failures.count == 1)
        #expect(told.withLock { $0 } == report.failures)
        #expect(failure.steps <= 3)
        #expect(failure.steps <= failure.stepsBefore)
        #expect(failure.fileName.hasPrefix("booksAgree-5-"))
        let folder = scratchFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/" + failure.fileName
        try failure.text.write(toFile: path, atomically: true, encoding: .utf8)
        let again = try await explorer.replay(path)
        #expect(again.cases == 1)
        #expect(again.failures.map(\.invariant) == [.booksAgree])
        #expect(try await Explorer(folder: folder).replay(path).failures == [])
        // Its page shows the broken invariant and the session.
        let shown = try await report.runReport(folder: folder)
        #expect(shown.failures.map(\.name) == [failure.fileName])
        let result = try #require(shown.failures.first)
        #expect(result.mismatches.first?.sentence.contains("payment 7 was reversed") == true)
        #expect(result.replay == "cardpresent simulate explore --replay \(path)")
        #expect(HTMLReport.pages(shown)[1].text.contains("journal reversed"))
        // What the steps came to stands in the file, so that a run of it shows nothing else.
        let scenarios = try ScenarioFile.scenarios(path: path)
        let runs = ScenarioSelection().runs(of: scenarios.map { ScenarioFinder.Found(name: $0.name, scenario: $0) })
        let results = await ScenarioRunner().run(runs, seed: 1).scenarios
        // But for an act that happened after its step.
        #expect(results.flatMap(\.mismatches).allSatisfy { $0.key == "during" }, "\(results)")
    }

    @Test("checks any scenario, with the final steps of every explored session")
    func replaysOthers() async throws {
        let folder = scratchFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = """
            template_version: 1
            description: The till dies when the issuer has answered
            steps:
              - connect
              - pay: 20.00
                during: [{ on: host authorize answered, do: crash }]
            """
        try text.write(toFile: folder + "/crash.yaml", atomically: true, encoding: .utf8)
        #expect(try await Explorer(folder: folder).replay(folder + "/crash.yaml").failures == [])
        try text.replacing("steps:", with: "disk: full\nsteps:").write(
            toFile: folder + "/full.yaml", atomically: true, encoding: .utf8)
        let full = try await Explorer(folder: folder).replay(folder + "/full.yaml")
        #expect(full.failures.first?.detail.contains("cannot begin") == true)
        await #expect(throws: ScenarioFileError.self) {
            try await Explorer(folder: folder).replay(folder + "/none.yaml")
        }
    }
}
