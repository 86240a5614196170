/// Shrinks a session that shows a failure: fewer steps, fewer faults, simpler values.
struct Shrinker {
    /// The number of sessions that it may still play.
    var tries: Int
    /// Returns whether a session still shows the failure.
    let shows: (SessionDraft) -> Bool

    init(tries: Int = 600, shows: @escaping (SessionDraft) -> Bool) { (self.tries, self.shows) = (tries, shows) }

    /// - Returns: the smallest session found that shows the failure within the number of tries.
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

    /// Removes runs of steps by delta debugging (Zeller, Hildebrandt 2002), starting with half of them.
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

    /// Simplifies the values of the setup and the steps, one by one.
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

    /// Replaces a value with simpler ones, the simplest first, until none is accepted.
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
    /// Returns variants that are simpler in one place, in a deterministic order.
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
            // A mapping may be reducible to a single word, such as the name of a card or reader.
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

    /// Returns simpler values for a key.
    private static func plainer(_ text: String, key: String) -> [String] {
        switch key {
        case "card", "profile": return text == "visa-credit" ? [] : ["visa-credit"]
        case "model", "reader": return text == "tpdu" ? [] : ["tpdu"]
        case "currency": return text == "USD" ? [] : ["USD"]
        case "amount", "unpaid", "neighborPays": return text == "10.00" || text == "10" ? [] : ["10.00", "10"]
        case "count", "command", "xfrBlock", "unpluggedAfter", "times", "delayMilliseconds":
            guard let number = Int(text), number > 1 else { return [] }
            return [1, number / 2, number - 1].filter { $0 < number && $0 > 0 }.map { String($0) }
        case "after", "wait", "insertAfter", "removeAfter", "duration", "timeout":
            return text == "1s" || text == "1ms" ? [] : ["1ms", "1s"]
        default: return []
        }
    }
}
