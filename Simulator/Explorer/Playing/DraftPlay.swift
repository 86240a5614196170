internal import FoundationEssentials
internal import ScenarioFormat
internal import SettingsFile

/// Plays scenario texts and judges them.
struct DraftPlay: Sendable {
    /// The folder in which sessions may make folders of their own.
    var folder: String

    /// Plays a draft. `seed` is what chance in the session is made of, `number` names its folder. What comes back has a
    /// refusal when the draft makes no scenario.
    func record(_ draft: SessionDraft, seed: UInt64, number: Int, keepsFiles: Bool) -> SessionRecord {
        let text = draft.text(seed: seed, description: "explored")
        do throws(ScenarioFileError) {
            guard let scenario = try ScenarioFile.scenarios(text: text, path: "explored.yaml").first else {
                return SessionRecord(refusal: "no scenario")
            }
            return record(scenario, seed: seed, name: "\(number)", keepsFiles: keepsFiles)
        } catch {
            return SessionRecord(refusal: "\(error)", isUnreadable: true)
        }
    }

    /// Plays a scenario that ends as every explored session does.
    func record(_ scenario: Scenario, seed: UInt64, name: String, keepsFiles: Bool) -> SessionRecord {
        guard keepsFiles else { return SessionPlayer(folder: nil).play(scenario, seed: seed) }
        let place = "\(folder)/\(name)"
        let files = FileManager.default
        do { try files.createDirectory(atPath: place, withIntermediateDirectories: true) } catch {
            return SessionRecord(refusal: "\(place): \(error)")
        }
        defer { try? files.removeItem(atPath: place) }
        return SessionPlayer(folder: place).play(scenario, seed: seed)
    }

    /// A scenario of anybody's, with the steps at its end that every explored session has.
    static func ended(_ scenario: Scenario) -> Scenario {
        let words = SessionDraft.ending.map(\.stepWord)
        guard scenario.steps.suffix(words.count).map(\.action.word) != words else { return scenario }
        var scenario = scenario
        let text = SessionDraft().text(seed: 0, description: "the ending")
        scenario.steps += (try? ScenarioFile.scenarios(text: text, path: "ending.yaml").first?.steps) ?? []
        return scenario
    }
}

extension DraftNode {
    /// The word of a step.
    var stepWord: String {
        switch self {
        case .text(let word): word
        case .mapping(let entries):
            self["do"].map(\.stepWord) ?? entries.first { !["during", "expect"].contains($0.key) }?.key ?? ""
        case .list: ""
        }
    }
}
