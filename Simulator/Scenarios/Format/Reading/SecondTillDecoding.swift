import Settings
import Simulator

extension ScenarioDecoder {
    /// Returns the second till; nil for none, and after an error.
    mutating func secondTill(_ node: SettingsNode) -> SecondTillSetup? {
        guard let entry = try? node.optional("secondTill") else { return nil }
        hasSecondTill = true
        let card = (try? entry.required("card")).flatMap { self.card($0, person: nil) }
        guard let card else { return nil }
        return note { () throws(SettingsError) in
            var till = SecondTillSetup(card: card)
            till.ownsDatabase = try entry.optional("database")?.choice(of: SecondTillSetup.databases) ?? false
            if let reader = try entry.optional("reader") {
                till.reader = try Self.reader(reader, name: SecondTillSetup.readerName)
            }
            return till
        }
    }

    /// Records what a second till can't share with the first one.
    mutating func checkSecondTill(of scenario: Scenario, _ node: SettingsNode) {
        guard let till = scenario.secondTill, let entry = try? node.optional("secondTill") else { return }
        if till.card.name == scenario.card.name || till.card.profile.name == scenario.card.profile.name {
            note(entry.error("'\(till.card.name)' is the card at the first till", fix: "give another card"))
        }
        if scenario.readers.contains(where: { $0.name == till.reader.name }) {
            note(entry.error("a reader of the first till has the name '\(till.reader.name)'"))
        }
        if till.ownsDatabase, scenario.wire != nil {
            note(
                entry.error("two tills with two databases would be one terminal on the wire", fix: "share the database")
            )
        }
    }
}
