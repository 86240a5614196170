import Simulator

/// Puts a contactless reader and a card for it into a finished draft, and what people do wrong in the field: cards that
/// are moved away, come late, or come in twos, devices that are locked, and cards that are inserted in the middle of a
/// tap.
///
/// It draws from a random stream of its own, so that the draft itself does not depend on it.
struct TapFaults: Sendable {
    let choices: RandomChoices

    /// The steps that can ask for a card.
    private static let steps: Set<String> = ["pay", "retry"]
    /// The most acts of a session.
    private static let most = 4

    /// The moments of a tap.
    private static let points = [
        "waiting", "card_tapped", "card_tapped", "apdu", "apdu", "apdu", "display", "card_in", "card_out",
        "kernel entering_pin", "saving authorizing", "host authorize sent", "host authorize answered", "authorizing",
    ]

    /// Returns the draft with a tap.
    func added(to draft: SessionDraft) -> SessionDraft {
        var draft = draft
        setReader(of: &draft)
        if choices.happens(85) {
            let name = choices.pick(of: CardProfileLibrary.contactlessNames) ?? "k8-credit"
            set("card", FaultModel(choices: choices).card(named: name), in: &draft)
        }
        if choices.happens(70) { setPerson(of: &draft) }
        let places = draft.steps.indices.filter { Self.steps.contains(draft.steps[$0].stepWord) }
        for _ in 0..<choices.number(0...Self.most) {
            guard let place = choices.pick(of: places) else { break }
            draft.steps[place] = interrupted(draft.steps[place])
        }
        return draft
    }

    private func set(_ key: String, _ value: DraftNode, in draft: inout SessionDraft) {
        draft.setup.removeAll { $0.key == key }
        draft.setup.append(DraftEntry(key, value))
    }

    /// Gives the session, or the first of its two readers, a field. The faults of a reader stay.
    private func setReader(of draft: inout SessionDraft) {
        let model: DraftNode = .text(choices.pick("contactless", "dual-interface", "dual-interface"))
        func tapped(_ reader: DraftNode?) -> DraftNode {
            guard let faults = reader?["faults"] else { return model }
            return ["model": model, "faults": faults]
        }
        if let place = draft.setup.firstIndex(where: { $0.key == "readers" }) {
            draft.setup[place].value["one"] = tapped(draft.setup[place].value["one"])
        } else {
            set("reader", tapped(draft.setup.first { $0.key == "reader" }?.value), in: &draft)
        }
    }

    /// Lets the cardholder hold the card badly, beside what they do anyway.
    private func setPerson(of draft: inout SessionDraft) {
        var entries: [DraftEntry] = []
        if case .mapping(let others) = draft.setup.first(where: { $0.key == "cardholder" })?.value { entries = others }
        if choices.happens(50) {
            entries.append(DraftEntry("present", .text(choices.pick("tap", "tap", "insert", "asTheCardAllows"))))
        }
        if choices.happens(55) {
            entries.append(DraftEntry("moveAwayAt", .number(choices.number(1...12))))
            if choices.happens(75) {
                entries.append(DraftEntry("moveBackAfter", .text(choices.pick("100ms", "1s", "3s", "20s", "61s"))))
            }
        }
        if choices.happens(25) {
            entries.append(DraftEntry("secondCardFor", .text(choices.pick("100ms", "2s", "10s", "70s"))))
        }
        if !entries.isEmpty { set("cardholder", .mapping(entries), in: &draft) }
    }

    private func interrupted(_ step: DraftNode) -> DraftNode {
        var step = step
        if case .text(let word) = step { step = ["do": .text(word)] }
        var interruptions: [DraftNode] = []
        if case .list(let list) = step["during"] { interruptions = list }
        var act: [DraftEntry] = []
        let point = choices.pick(of: Self.points) ?? "apdu"
        act.append(DraftEntry("on", .text(point)))
        if point == "apdu" { act.append(DraftEntry("count", .number(choices.number(1...14)))) }
        if choices.happens(30) { act.append(DraftEntry("after", .text(choices.pick("1ms", "40ms", "900ms", "5s")))) }
        act.append(
            DraftEntry(
                "do",
                .text(choices.pick("moveAway", "moveAway", "moveAway", "tapCard", "tapCard", "insertCard", "unlock"))))
        interruptions.append(.mapping(act))
        step["during"] = .list(interruptions)
        return step
    }
}
