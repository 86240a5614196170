import Foundation
import ScenarioFormat
import ScenarioRunner
import Testing

@Suite("Scenarios that are written and read again")
struct WrittenScenarioTests {
    @Test("every scenario of the library is read as it was written, and plays the same session, event by event")
    func library() async throws {
        let found = try ScenarioFinder.scenarios(at: [repository.appending(path: "Simulator/Scenarios").path])
        var written: [ScenarioFinder.Found] = []
        for entry in found {
            // Golden files stand beside the file that names them.
            var scenario = entry.scenario
            scenario.golden = []
            let text = try scenario.yaml()
            let again = try #require(try ScenarioFile.scenarios(text: text, path: "written.yaml").first)
            #expect(try again.yaml() == text, "\(entry.name)")
            written.append(ScenarioFinder.Found(name: entry.name, scenario: again))
        }
        let runner = ScenarioRunner(jobs: 2, keepsEvents: true)
        let (first, second) = (
            await runner.run(ScenarioSelection().runs(of: found), seed: 1),
            await runner.run(ScenarioSelection().runs(of: written), seed: 1)
        )
        try #require(first.scenarios.count == found.count && second.scenarios.count == found.count)
        for (own, other) in zip(first.scenarios, second.scenarios) {
            #expect(own.status == other.status, "\(own.name)")
            #expect(own.events == other.events, "\(own.name)")
        }
    }
}
