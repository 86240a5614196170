internal import SettingsFile
internal import Simulator

extension ScenarioWriter {
    /// `card`, and `cards` and `cardholder` where they are needed.
    func cardEntries() throws(ScenarioWritingError) -> [Entry] {
        // Who holds a recorded card cannot be laid over it.
        let isAlone = cards.count == 1 && !namesItsCard || cards.contains { $0.profile.recording != nil }
        var table: [Entry] = []
        for card in cards {
            let node = try self.card(card, withPerson: !isAlone)
            // A profile as it is needs no name of its own.
            if node.kind == .text, (try? node.text()) == card.name { continue }
            table.append((card.name, node))
        }
        let own = scenario.card
        var entries: [Entry] = []
        if table.isEmpty {
            if own.name != "visa-credit" { entries.append(("card", .text(own.name))) }
        } else if isAlone, own.name == "card", let only = table.first {
            entries.append(("card", only.value))
        } else {
            entries += [("cards", .mapping(table)), ("card", .text(own.name))]
        }
        if isAlone, let person = own.person { entries.append(("cardholder", try Self.cardholder(person))) }
        return entries
    }

    /// Whether a step names the scenario's own card, or somebody else holds it there.
    private var namesItsCard: Bool {
        scenario.steps.flatMap { [$0.action] + $0.interruptions.map(\.action) }.contains { action in
            switch action {
            case .pay(let pay): pay.card != nil
            case .insertCard(let card), .swipeCard(let card): card != nil
            default: false
            }
        }
    }

    /// A profile's name, or a mapping with what is laid over it.
    private func card(_ card: CardSetup, withPerson: Bool) throws(ScenarioWritingError) -> SettingsNode {
        if let recording = card.profile.recording { return .mapping([("recorded", recording.source)]) }
        guard let origin = card.profile.origin else { throw .unnamedProfile(card: card.name) }
        let changes = withPerson ? origin.changes : origin.changes?.without(keys: ["cardholder"])
        guard let changes, (try? changes.entries().isEmpty) == false else { return .text(origin.nameOrPath) }
        return .mapping([("profile", .text(origin.nameOrPath)), ("override", changes)])
    }

    /// The keys of `pay` that say who pays with what.
    func cardEntries(of card: CardSetup) throws(ScenarioWritingError) -> [Entry] {
        var entries: [Entry] = []
        if card.name != scenario.card.name { entries.append(("card", .text(card.name))) }
        let first = cards.first { $0.name == card.name }
        if let person = card.person, person.yaml != first?.person?.yaml {
            entries.append(("cardholder", try Self.cardholder(person)))
        } else if entries.isEmpty {
            entries.append(("card", .text(card.name)))
        }
        return entries
    }

    /// What a profile's `cardholder` section says, as a scenario says it.
    private static func cardholder(_ section: SettingsNode) throws(ScenarioWritingError) -> SettingsNode {
        let names = [
            "pinEntries": "pins", "choosesApplication": "choose", "swipesFirst": "swipeFirst",
            "insertsAfter": "insertAfter", "removesAfter": "removeAfter",
        ]
        var entries: [Entry] = []
        for entry in (try? section.entries()) ?? [] {
            let isTime = ["insertsAfter", "removesAfter"].contains(entry.key)
            let value = isTime ? try duration(.milliseconds((try? entry.value.int()) ?? 0)) : entry.value
            entries.append((names[entry.key] ?? entry.key, value))
        }
        return .mapping(entries)
    }
}

extension CardSetup {
    /// What is said of the person who holds it beyond what its profile says, in the profile's words.
    fileprivate var person: SettingsNode? { try? profile.origin?.changes?.optional("cardholder") }
}
