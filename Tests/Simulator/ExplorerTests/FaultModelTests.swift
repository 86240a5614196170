import Determinism
import Foundation
import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

/// RandomChoices that fall the same way every time.
func choices(_ seed: UInt64) -> RandomChoices { RandomChoices(SeededRandomSource(seed: seed)) }

/// What a session with these keys and steps comes to.
func record(_ setup: [DraftEntry] = [], _ steps: DraftNode...) throws -> SessionRecord { try record(setup, steps) }

/// Plays steps and the final ones.
func record(_ setup: [DraftEntry], _ steps: [DraftNode]) throws -> SessionRecord {
    let draft = SessionDraft(setup: setup, steps: steps)
    let scenarios = try ScenarioFile.scenarios(text: draft.text(seed: 1, description: "a test"), path: "test.yaml")
    let record = SessionPlayer().play(try #require(scenarios.first), seed: 1)
    #expect(record.refusal == nil)
    return record
}

/// A folder that is not there yet, for sessions that keep files.
func scratchFolder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "explorer-\(UUID().uuidString)").path
}

@Suite("The fault model")
struct FaultModelTests {
    @Test("creates valid scenarios, also as variations")
    func readable() throws {
        var other = SessionDraft()
        for seed in 1...400 {
            let model = FaultModel(choices: choices(UInt64(seed)))
            var draft = model.draft(Coverage())
            if seed.isMultiple(of: 2) { draft = model.variation(of: draft, with: other, Coverage()) }
            let text = draft.text(seed: 1, description: "a draft")
            #expect(throws: Never.self, "\(text)") { try ScenarioFile.scenarios(text: text, path: "draft.yaml") }
            other = draft
        }
    }

    @Test("creates faults in every layer")
    func layers() {
        let text = (1...400).map { seed in
            FaultModel(choices: choices(UInt64(seed))).draft(Coverage()).text(seed: 1, description: "a draft")
        }.joined()
        let words = [
            "crash", "cancel", "unplug", "removeCard", "insertCard", "sleep", "restart", "refund", "retry", "settle",
            "commandStalled", "wrongSequence", "unanswered", "hang", "unpluggedAfter", "lost", "delayMilliseconds",
            "responseCode", "arpc", "scripts", "reachable", "lost-answer", "429", "truncate", "latency", "cut",
            "outOfPaper", "full", "readOnly", "failing", "JPY", "BHD", "EUR", "saving captured", "pins", "bypass",
            "removeAfter", "insertAfter", "floorLimit", "occurrence",
        ]
        for word in words { #expect(text.contains(word), "\(word)") }
    }

    @Test("counts the coverage, so that something else is tried next")
    func novelty() throws {
        let seen = SessionObservation(
            try record(
                [], "connect", ["pay": ["amount": "1.00"], "during": [["on": "waiting", "do": "crash"]]], "restart"),
            violations: [])
        var coverage = Coverage()
        let point = InjectionPoint(words: "waiting")
        #expect(coverage.count("crash", at: point) == 0)
        #expect(coverage.add(seen) > 0)
        #expect(coverage.count("crash", at: point) == 1)
        #expect(coverage.count("cancel", at: point) == 0)
        #expect(coverage.add(seen) == 0)
        #expect(coverage.points.contains(point))
    }
}
