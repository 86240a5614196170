/// The rules that are in force, with how often each has fitted. The first one whose turn it is decides.
struct FaultPlan: Sendable {
    private struct Entry {
        var rule: FaultRule
        var fitted = 0
        var met = 0
    }

    private var entries: [Entry] = []

    mutating func add(_ rule: FaultRule) { entries.append(Entry(rule: rule)) }

    mutating func removeAll() { entries = [] }

    /// `chance`: decides what happens in some cases only.
    mutating func fault(method: String, paths: [String], chance: Chance) -> Fault? {
        var found: Fault?
        for index in entries.indices where entries[index].rule.fits(method: method, paths: paths) {
            entries[index].fitted += 1
            let count = entries[index].fitted
            let isDue =
                switch entries[index].rule.occurrence {
                case .always: true
                case .number(let number): count == number
                case .first(let number): count <= number
                case .from(let number): count >= number
                case .every(let number): count % number == 0
                // Drawn even when another rule has decided, so that rules do not change each other's luck.
                case .chance(let percent): chance.happens(percent)
                }
            guard isDue, found == nil else { continue }
            entries[index].met += 1
            found = entries[index].rule.fault
        }
        return found
    }

    var node: JSONNode {
        .list(
            entries.map { entry in
                [
                    "rule": .text(entry.rule.description), "fitted": .integer(entry.fitted),
                    "met": .integer(entry.met),
                ]
            })
    }
}
