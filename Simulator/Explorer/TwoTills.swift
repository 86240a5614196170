/// Puts a second till that takes payments into a finished draft: on the database of the first one, or on its own, where
/// both may try to pay one order of the store.
///
/// It draws from a random stream of its own, so that the draft itself does not depend on it.
struct TwoTills: Sendable {
    let choices: RandomChoices
    /// Whether there is a wire: on it, two databases would be one terminal.
    var hasWire = false
    /// Whether the database is in a file, where both tills count as alive for each other.
    var keepsFiles = false

    /// The steps beside which a customer pays at the second till.
    private static let steps: Set<String> = ["pay", "retry", "refund", "settle", "connect", "wait", "recover"]
    /// The most payments of the second till.
    private static let most = 3
    /// Its cards, which no step of the fault model has at the first till.
    private static let cards = ["visa-debit", "mastercard-credit", "referral", "insufficient-funds"]

    /// The moments of a payment at which the other till begins, or dies.
    private static let points = [
        "waiting", "card_inserted", "saving created", "journal created", "saving authorizing", "host authorize sent",
        "host authorize answered", "authorizing", "saving captured", "journal captured", "capture due", "capture sent",
        "site", "receipt", "remove_card", "journal reversing", "host reverse sent",
    ]

    /// Returns the draft with a second till; as it is when it has one already.
    func added(to draft: SessionDraft) -> SessionDraft {
        var draft = draft
        guard !draft.setup.contains(where: { $0.key == "secondTill" }),
            let card = choices.pick(of: Self.freeCards(in: draft))
        else { return draft }
        let ownsDatabase = !hasWire && choices.happens(keepsFiles ? 35 : 60)
        draft.setup.append(
            DraftEntry(
                "secondTill",
                [
                    "database": ownsDatabase ? "own" : "shared",
                    "reader": .text(choices.pick("tpdu", "short-apdu", "extended-apdu")), "card": .text(card),
                ]))
        // One order for both is what only the store can tell them.
        let sharesOrder = choices.happens(ownsDatabase ? 70 : 30)
        if sharesOrder {
            if !draft.setup.contains(where: { $0.key == "site" }) {
                draft.setup.append(DraftEntry("site", ["orders": "0", "unpaid": ["25.00"]]))
            }
            draft.steps.append(["pay": ["order": "1"]])
        }
        for number in 0..<choices.number(1...Self.most) {
            let places = draft.steps.indices.filter { Self.steps.contains(draft.steps[$0].stepWord) }
            // The first payment is that of the order, beside the step that pays it.
            let last = sharesOrder && number == 0 ? draft.steps.indices.last : choices.pick(of: places)
            guard let place = last else { break }
            let bill: DraftNode = sharesOrder && number == 0 ? ["order": "1"] : self.bill
            draft.steps[place] = interrupted(draft.steps[place], bill)
        }
        // What has begun beside the last step has time to end, or not.
        if choices.happens(70) { draft.steps.append(["wait": .text(choices.pick("1s", "1min", "5min"))]) }
        return draft
    }

    /// Returns a variation whose second till fits again: with a card of its own, and without payments there when there
    /// is none.
    static func fitted(_ draft: SessionDraft) -> SessionDraft {
        var draft = draft
        guard let place = draft.setup.firstIndex(where: { $0.key == "secondTill" }) else {
            for index in draft.steps.indices {
                guard case .list(let list) = draft.steps[index]["during"] else { continue }
                let rest = list.filter { $0["set"]?["neighborPays"] == nil }
                guard rest.count < list.count else { continue }
                draft.steps[index]["during"] = rest.isEmpty ? nil : .list(rest)
            }
            return draft
        }
        let free = freeCards(in: draft)
        if case .text(let card) = draft.setup[place].value["card"], !free.contains(card), let other = free.first {
            draft.setup[place].value["card"] = .text(other)
        }
        return draft
    }

    /// The cards besides that of the first till.
    private static func freeCards(in draft: SessionDraft) -> [String] {
        let taken = draft.setup.first { $0.key == "card" }?.value.cardName
        return cards.filter { $0 != taken }
    }

    private var bill: DraftNode {
        choices.happens(40)
            ? ["order": .number(choices.pick(1, 1, 2))]
            : ["amount": .text(choices.pick("8.00", "1.01", "50.00")), "currency": "USD"]
    }

    /// Returns the step with a payment at the second till beside it, and sometimes with more that happens there.
    private func interrupted(_ step: DraftNode, _ bill: DraftNode) -> DraftNode {
        var step = step
        if case .text(let word) = step { step = ["do": .text(word)] }
        var interruptions: [DraftNode] = []
        if case .list(let list) = step["during"] { interruptions = list }
        var begin: DraftNode = choices.happens(45) ? ["after": .text(delay)] : ["on": .text(point)]
        begin["set"] = ["neighborPays": bill]
        interruptions.append(begin)
        if choices.happens(35) {
            // The events of both tills count.
            var change: DraftNode = ["on": .text(point), "count": .number(choices.number(1...3))]
            change["set"] = ["neighbor": .text(choices.pick("crash", "crash", "cancel", "recover", "settle", "refund"))]
            interruptions.append(change)
        }
        step["during"] = .list(interruptions)
        return step
    }

    private var point: String { choices.pick(of: Self.points) ?? "site" }

    private var delay: String { choices.pick("1ms", "1ms", "50ms", "500ms", "2s", "5s") }
}

extension DraftNode {
    /// The name of a card: a profile, or that of a changed one.
    fileprivate var cardName: String? {
        if case .text(let name) = self { return name }
        if case .text(let name) = self["profile"] { return name }
        return nil
    }
}
