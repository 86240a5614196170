import Foundation
import ScenarioFormat
import ScenarioRunner
import Settings
import Testing

@Suite("The library of scenarios")
struct LibraryTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test("every scenario passes")
    func passes() async throws {
        let found = try ScenarioFinder.scenarios(at: [repository.appending(path: "Simulator/Resources/Scenarios").path])
        #expect(Set(found.map(\.scenario.location.file)).count >= 120)
        let report = await ScenarioRunner(jobs: 2).run(ScenarioSelection().runs(of: found), seed: 1)
        // Compares texts, because a failed expectation prints its operands.
        #expect(report.failures.map { FailureText.text($0) }.joined(separator: "\n") == "")
        #expect(report.counts.passed == found.count)
    }

    /// `Frozen` has scenarios of version 0.1.0, which must not change.
    @Test("scenarios of version 0.1.0 pass")
    func frozen() async throws {
        let frozen = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Frozen")
        let found = try ScenarioFinder.scenarios(at: [frozen.path])
        #expect(Set(found.map(\.scenario.location.file)).count == 26)
        let report = await ScenarioRunner(jobs: 2).run(ScenarioSelection().runs(of: found), seed: 1)
        #expect(report.failures.map { FailureText.text($0) }.joined(separator: "\n") == "")
        #expect(report.counts.passed == found.count)
    }

    @Test("every group exists, and no two files have the same description")
    func groups() throws {
        let found = try ScenarioFinder.scenarios(at: [repository.appending(path: "Simulator/Resources/Scenarios").path])
        let groups = Set(found.map { String($0.name.prefix { $0 != "/" }) })
        #expect(
            groups.isSuperset(of: [
                "approve", "cancel", "capture", "crash", "currencies", "cvm", "decline", "disk", "host", "oda", "pin",
                "preauthorization", "print", "promises", "reader-faults", "reconnect", "referral", "refund", "removal",
                "reversal", "risk",
                "scripts", "swipe", "tills", "timeouts", "updates",
            ]))
        var files: [String: String] = [:]
        for entry in found where !entry.name.contains("[") {
            let other = files.updateValue(entry.scenario.location.file, forKey: entry.scenario.summary)
            #expect(other == nil, "\(entry.name) and \(other ?? "") say the same")
        }
        for entry in found { #expect(entry.scenario.tags.first == String(entry.name.prefix { $0 != "/" })) }
    }

    @Test("every scenario of the document runs")
    func document() async throws {
        let path = repository.appending(path: "docs/scenarios.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let blocks = text.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count >= 15)
        for block in blocks {
            // The golden files of the document's examples are nowhere.
            let hasGolden = block.contains("golden:")
            let place = hasGolden ? folder.path + "/example.yaml" : path.path
            if hasGolden { _ = try await results(block, path: place, runner: ScenarioRunner(updatesGolden: true)) }
            for result in try await results(block, path: place) {
                #expect(!result.isFailure, "\(FailureText.text(result))")
            }
        }
    }

    @Test("the documentation lists every key, and an example uses it")
    func everyKey() throws {
        let text = try String(contentsOf: repository.appending(path: "docs/scenarios.md"), encoding: .utf8)
        let examples = text.components(separatedBy: "```yaml\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }.joined()
        for name in ScenarioKeys.allNames {
            #expect(text.contains("`\(name)") || text.contains("\(name): "), "no word of \(name)")
            #expect(examples.contains("\(name):") || examples.contains("- \(name)\n"), "no example of \(name)")
        }
    }
}

@Suite("Scenarios that are written and read again")
struct WrittenScenarioTests {
    @Test("every scenario of the library survives a round trip, with the same events")
    func library() async throws {
        let found = try ScenarioFinder.scenarios(at: [repository.appending(path: "Simulator/Resources/Scenarios").path])
        var (played, written): ([ScenarioFinder.Found], [ScenarioFinder.Found]) = ([], [])
        for entry in found {
            // Golden files stand beside the file that names them.
            var scenario = entry.scenario
            scenario.golden = []
            let text = try scenario.yaml()
            let again = try #require(try ScenarioFile.scenarios(text: text, path: "written.yaml").first)
            #expect(try again.yaml() == text, "\(entry.name)")
            played.append(ScenarioFinder.Found(name: entry.name, scenario: scenario))
            written.append(ScenarioFinder.Found(name: entry.name, scenario: again))
        }
        let runner = ScenarioRunner(jobs: 2, keepsEvents: true)
        let (first, second) = (
            await runner.run(ScenarioSelection().runs(of: played), seed: 1),
            await runner.run(ScenarioSelection().runs(of: written), seed: 1)
        )
        try #require(first.scenarios.count == found.count && second.scenarios.count == found.count)
        for (own, other) in zip(first.scenarios, second.scenarios) {
            #expect(own.status == other.status, "\(own.name)")
            #expect(own.events == other.events, "\(own.name)")
        }
    }
}
