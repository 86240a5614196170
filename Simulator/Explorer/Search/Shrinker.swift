/// Makes a session smaller as long as it shows the same: fewer steps, fewer faults, plainer values.
struct Shrinker {
    /// How many sessions it may play.
    var tries: Int
    /// Whether a session still shows it.
    let shows: (SessionDraft) -> Bool

    init(tries: Int = 600, shows: @escaping (SessionDraft) -> Bool) { (self.tries, self.shows) = (tries, shows) }

    /// - Returns: a session that shows the same, and from which nothing that was tried can be taken away; or, when the
    ///   tries are over, as far as it came.
    mutating func shrunk(_ draft: SessionDraft) -> SessionDraft {
        var draft = draft
        while tries > 0 {
            let before = draft
            dropSteps(&draft)
            dropSetup(&draft)
            simplify(&draft)
            if draft == before { break }
        }
        return draft
    }

    private mutating func accept(_ candidate: SessionDraft, _ draft: inout SessionDraft) -> Bool {
        guard tries > 0, candidate != draft else { return false }
        tries -= 1
        guard shows(candidate) else { return false }
        draft = candidate
        return true
    }

    /// Delta debugging (Zeller, Hildebrandt 2002): runs of steps, half of them first.
    private mutating func dropSteps(_ draft: inout SessionDraft) {
        var length = max(1, draft.steps.count / 2)
        while true {
            var start = 0
            while start < draft.steps.count, tries > 0 {
                var candidate = draft
                candidate.steps.removeSubrange(start..<min(start + length, draft.steps.count))
                if !accept(candidate, &draft) { start += length }
            }
            if length == 1 || tries == 0 { return }
            length /= 2
        }
    }

    private mutating func dropSetup(_ draft: inout SessionDraft) {
        for entry in draft.setup {
            var candidate = draft
            candidate.setup.removeAll { $0.key == entry.key }
            _ = accept(candidate, &draft)
        }
    }

    /// One value after the other, in the setup and in the steps.
    private mutating func simplify(_ draft: inout SessionDraft) {
        for place in draft.setup.indices {
            simplify(&draft, draft.setup[place].value, key: draft.setup[place].key) { draft, value in
                draft.setup[place].value = value
            }
        }
        for place in draft.steps.indices {
            simplify(&draft, draft.steps[place], key: "") { draft, value in draft.steps[place] = value }
        }
    }

    /// Tries what the value could be instead, the smallest first, until nothing of it is accepted any more.
    private mutating func simplify(
        _ draft: inout SessionDraft, _ value: DraftNode, key: String,
        _ put: (inout SessionDraft, DraftNode) -> Void
    ) {
        var value = value
        var goesOn = true
        while goesOn, tries > 0 {
            goesOn = false
            for simpler in value.simpler(key: key) {
                var candidate = draft
                put(&candidate, simpler)
                if accept(candidate, &draft) {
                    (value, goesOn) = (simpler, true)
                    break
                }
            }
        }
    }
}

extension DraftNode {
    /// Values that are smaller in one place, in an order that is always the same.
    fileprivate func simpler(key: String) -> [DraftNode] {
        switch self {
        case .text(let text): return Self.plainer(text, key: key).map(DraftNode.text)
        case .list(let elements):
            var found = elements.indices.map { place -> DraftNode in
                var rest = elements
                rest.remove(at: place)
                return .list(rest)
            }
            for (place, element) in elements.enumerated() {
                found += element.simpler(key: key).map { simpler in
                    var changed = elements
                    changed[place] = simpler
                    return .list(changed)
                }
            }
            return found
        case .mapping(let entries):
            var found: [DraftNode] = []
            for place in entries.indices where entries.count > 1 {
                var rest = entries
                rest.remove(at: place)
                found.append(.mapping(rest))
            }
            // A step that needs no mapping, a card or a reader that is nothing but its name.
            if let name = self["profile"] ?? self["model"] ?? self["do"] { found.insert(name, at: 0) }
            for (place, entry) in entries.enumerated() {
                found += entry.value.simpler(key: entry.key).map { simpler in
                    var changed = entries
                    changed[place].value = simpler
                    return .mapping(changed)
                }
            }
            return found
        }
    }

    /// Plainer words for the same thing.
    private static func plainer(_ text: String, key: String) -> [String] {
        switch key {
        case "card", "profile": return text == "visa-credit" ? [] : ["visa-credit"]
        case "model", "reader": return text == "tpdu" ? [] : ["tpdu"]
        case "currency": return text == "USD" ? [] : ["USD"]
        case "amount", "unpaid": return text == "10.00" || text == "10" ? [] : ["10.00", "10"]
        case "count", "command", "xfrBlock", "unpluggedAfter", "times", "delayMilliseconds":
            guard let number = Int(text), number > 1 else { return [] }
            return [1, number / 2, number - 1].filter { $0 < number && $0 > 0 }.map { String($0) }
        case "after", "wait", "insertAfter", "removeAfter", "duration", "timeout":
            return text == "1s" || text == "1ms" ? [] : ["1ms", "1s"]
        default: return []
        }
    }
}
