import ScenarioFormat
import Settings
import Testing

@testable import Explorer

@Suite("Reading a draft without its text")
struct DraftReadingTests {
    /// Drafts of the fault model, every other one a variation.
    private func drafts(_ seeds: ClosedRange<Int>) -> [SessionDraft] {
        var drafts: [SessionDraft] = []
        for seed in seeds {
            let model = FaultModel(choices: choices(UInt64(seed)))
            let draft = model.draft(Coverage())
            guard let other = drafts.last, seed.isMultiple(of: 2) else {
                drafts.append(draft)
                continue
            }
            drafts.append(model.variation(of: draft, with: other, Coverage()))
        }
        return drafts
    }

    @Test("gives the values that the text is read as")
    func values() throws {
        var count = 0
        for draft in drafts(1...300) {
            guard let node = draft.node(seed: 7, description: "a draft") else { continue }
            let text = draft.text(seed: 7, description: "a draft")
            let read = try SettingsDocument(text: text, file: "draft.yaml").root
            #expect(node.yaml == read.yaml)
            count += 1
        }
        #expect(count > 270)
    }

    @Test("gives a scenario that plays event by event like that of the text")
    func sessions() throws {
        for draft in drafts(301...312) {
            let text = draft.text(seed: 7, description: "explored")
            let read = try #require(try ScenarioFile.scenarios(text: text, path: "explored.yaml").first)
            let made = try #require(try draft.scenarios(seed: 7, description: "explored").first)
            #expect(made.name == read.name && made.seed == read.seed && made.steps.count == read.steps.count)
            let player = SessionPlayer()
            #expect(player.play(made, seed: 7).events == player.play(read, seed: 7).events)
        }
    }

    @Test("leaves to the text what the text says in another way")
    func exceptions() {
        let steps: [DraftNode] = [
            .mapping([DraftEntry("pay", "1.00"), DraftEntry("pay", "2.00")]), .mapping([DraftEntry("pay", "null")]),
            .mapping([]), .mapping([DraftEntry("wait", "1s"), DraftEntry("during", .list([]))]),
        ]
        for step in steps {
            #expect(SessionDraft(steps: [step]).node(seed: 1, description: "a draft") == nil, "\(step)")
        }
    }

    @Test("reports a draft that is no scenario as its text does")
    func errors() throws {
        let draft = SessionDraft(steps: [["pay": ["amuont": "1.00"]]])
        let text = draft.text(seed: 1, description: "explored")
        let expected = #expect(throws: ScenarioFileError.self) {
            try ScenarioFile.scenarios(text: text, path: "explored.yaml")
        }
        let found = #expect(throws: ScenarioFileError.self) {
            try draft.scenarios(seed: 1, description: "explored")
        }
        #expect(found == expected && expected != nil)
    }
}
