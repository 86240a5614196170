import ScenarioFormat
import Settings

extension SessionDraft {
    private static let path = "explored.yaml"

    /// Returns the scenario of the draft, the same one that its text is read as, without the way through the text.
    ///
    /// - Throws: `ScenarioFileError` of the text when the draft is not a valid scenario.
    func scenarios(seed: UInt64, description: String) throws(ScenarioFileError) -> [Scenario] {
        if let root = node(seed: seed, description: description),
            let scenarios = try? ScenarioFile.scenarios(root, path: Self.path)
        {
            return scenarios
        }
        return try ScenarioFile.scenarios(text: text(seed: seed, description: description), path: Self.path)
    }

    /// Returns what the text is read as, without expectations; nil for the few drafts that the text says in another
    /// way: with a key twice in a mapping, a word that YAML reads as nothing, or an empty step or `during`.
    func node(seed: UInt64, description: String) -> SettingsNode? {
        for case .mapping(let entries) in steps {
            guard !entries.isEmpty, !entries.contains(DraftEntry("during", .list([]))) else { return nil }
        }
        var entries = [
            DraftEntry("template_version", "1"), DraftEntry("description", .text(description)),
            DraftEntry("seed", .text(String(seed))),
        ]
        entries += setup
        entries.append(DraftEntry("steps", .list(steps + Self.ending)))
        return DraftNode.mapping(entries).settings
    }
}

extension DraftNode {
    /// The value as a settings file has it; nil when that is for the text to say.
    fileprivate var settings: SettingsNode? {
        switch self {
        case .text(let text):
            return ["null", "Null", "NULL"].contains(text) ? nil : .text(text)
        case .list(let elements):
            var nodes: [SettingsNode] = []
            for element in elements {
                guard let node = element.settings else { return nil }
                nodes.append(node)
            }
            return .list(nodes)
        case .mapping(let entries):
            var nodes: [(key: String, value: SettingsNode)] = []
            for entry in entries {
                guard let node = entry.value.settings, !nodes.contains(where: { $0.key == entry.key }) else {
                    return nil
                }
                nodes.append((key: entry.key, value: node))
            }
            return .mapping(nodes)
        }
    }
}
