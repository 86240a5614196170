import Determinism
import Foundation
import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

/// Dice that fall the same way every time.
func dice(_ seed: UInt64) -> Dice { Dice(SeededRandomSource(seed: seed)) }

/// What a session with these keys and steps comes to.
func record(_ setup: [DraftEntry] = [], _ steps: DraftNode...) throws -> SessionRecord {
    let draft = SessionDraft(setup: setup, steps: steps)
    let scenarios = try ScenarioFile.scenarios(text: draft.text(seed: 1, description: "a test"), path: "test.yaml")
    let record = SessionPlayer(folder: nil).play(try #require(scenarios.first), seed: 1)
    #expect(record.refusal == nil)
    return record
}

/// A folder that is not there yet, for sessions that keep files.
func scratchFolder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "explorer-\(UUID().uuidString)").path
}
