import Determinism
import Money

extension FaultModel {
    /// Generates a new session. Prefers points and acts that `coverage` has not seen often.
    func draft(_ coverage: Coverage) -> SessionDraft {
        var draft = SessionDraft(setup: setup())
        if choices.happens(96) { draft.steps.append(step("connect", in: draft, coverage)) }
        for _ in 0..<choices.number(1...6) { draft.steps += steps(in: draft, coverage) }
        return draft
    }

    /// Generates a variation of a session, possibly with steps of `other`.
    func variation(of draft: SessionDraft, with other: SessionDraft, _ coverage: Coverage) -> SessionDraft {
        var draft = draft
        for _ in 0..<choices.number(1...2) {
            switch choices.number(1...10) {
            case 1, 2, 3, 4:
                if let place = choices.pick(of: Array(draft.steps.indices)) {
                    draft.steps[place] = interrupted(draft.steps[place], coverage)
                }
            case 5, 6:
                let place = choices.number(0...draft.steps.count)
                draft.steps.insert(contentsOf: steps(in: draft, coverage), at: place)
            case 7, 8:
                guard let entry = choices.pick(of: Self.freshKeys).flatMap({ setupEntry($0) }) else { continue }
                // Steps may refer to readers by name.
                guard entry.key != "reader" || !draft.hasTwoReaders else { continue }
                draft.setup.removeAll { $0.key == entry.key }
                draft.setup.append(entry)
            case 9:
                if let place = choices.pick(of: Array(draft.steps.indices)) { draft.steps.remove(at: place) }
            default:
                // Steps can be mixed only if reader names and decimal places match.
                guard draft.hasTwoReaders == other.hasTwoReaders, Self.digits(of: draft) == Self.digits(of: other)
                else {
                    continue
                }
                draft.steps += other.steps.suffix(choices.number(1...3))
            }
        }
        draft.steps = Array(draft.steps.prefix(Self.mostSteps))
        if draft.steps.isEmpty { draft.steps = [step("connect", in: draft, coverage)] }
        return draft
    }

    /// The most steps of a session, without the final ones.
    private static let mostSteps = 24

    // MARK: Steps

    /// Generates one action of a clerk, with the steps that belong to it.
    private func steps(in draft: SessionDraft, _ coverage: Coverage) -> [DraftNode] {
        let hasStore = draft.setup.contains { $0.key == "site" }
        let kinds: [(Int, String)] = [
            (40, "pay"), (hasStore ? 30 : 1, "order"), (9, "retry"), (14, "refund"), (6, "print"), (3, "reprint"),
            (5, "restart"), (3, "recover"), (4, "settle"), (3, "disconnect"), (3, "wait"), (3, "sleep"), (3, "unplug"),
            (5, "set"), (1, "cancel"), (3, "crash"), (1, "update"), (1, "insertCard"), (1, "swipeCard"),
            (1, "removeCard"),
        ]
        let kind = choices.pick(weighted: kinds) ?? "pay"
        let first = step(kind, in: draft, coverage)
        switch kind {
        case "disconnect": return [first, step("connect", in: draft, coverage)]
        case "unplug": return [first] + (choices.happens(80) ? ["plug", step("connect", in: draft, coverage)] : [])
        case "crash", "restart":
            let again = kind == "crash" ? [step("restart", in: draft, coverage)] : []
            return [first] + again + [step("connect", in: draft, coverage)]
        default:
            guard first.mayCrash, choices.happens(90) else { return [first] }
            return [first, step("restart", in: draft, coverage), step("connect", in: draft, coverage)]
        }
    }

    private func step(_ kind: String, in draft: SessionDraft, _ coverage: Coverage) -> DraftNode {
        var node = plain(kind, in: draft)
        for _ in 0..<(choices.pick(weighted: [(30, 0), (42, 1), (20, 2), (8, 3)]) ?? 0) where kind != "wait" {
            node = interrupted(node, coverage)
        }
        return node
    }

    private func plain(_ kind: String, in draft: SessionDraft) -> DraftNode {
        switch kind {
        case "connect":
            return draft.hasTwoReaders && choices.happens(50)
                ? ["connect": .text(choices.pick("one", "two"))] : "connect"
        case "pay": return ["pay": payment(in: draft)]
        case "order":
            var entries = [DraftEntry("order", .number(choices.pick(1, 1, 2, 3)))]
            entries += person(isForOrder: true)
            return ["pay": .mapping(entries)]
        case "refund":
            if choices.happens(40) { return "refund" }
            var entries: [DraftEntry] = []
            if choices.happens(60) {
                entries.append(DraftEntry("amount", .text(amount(digits: Self.digits(of: draft)))))
            }
            if choices.happens(50) { entries.append(DraftEntry("payment", .number(choices.number(1...3)))) }
            return entries.isEmpty ? "refund" : ["refund": .mapping(entries)]
        case "print", "reprint":
            return choices.happens(60)
                ? .text(kind) : .mapping([DraftEntry(kind, ["copy": .text(choices.pick("customer", "merchant"))])])
        case "wait": return ["wait": .text(choices.pick("1ms", "1s", "30s", "10min"))]
        case "sleep":
            return [
                "sleep": [
                    "duration": .text(choices.pick("1s", "5min", "8h")),
                    "keepsDevices": .text(choices.pick("true", "false")),
                ]
            ]
        case "set":
            let act = worldAct()
            return .mapping(act.entries)
        default: return .text(kind)
        }
    }

    private func payment(in draft: SessionDraft) -> DraftNode {
        var entries = [DraftEntry("amount", .text(choices.happens(2) ? "0" : amount(digits: Self.digits(of: draft))))]
        if choices.happens(10) {
            let code = choices.pick("USD", "EUR", "JPY", "BHD")
            entries = [
                DraftEntry("amount", .text(amount(digits: Self.digits(of: code)))), DraftEntry("currency", .text(code)),
            ]
        }
        entries += person(isForOrder: false)
        return .mapping(entries)
    }

    private func person(isForOrder: Bool) -> [DraftEntry] {
        var entries: [DraftEntry] = []
        // A card with another name is another physical card.
        if choices.happens(isForOrder ? 6 : 12) {
            entries.append(
                DraftEntry("card", .text(choices.pick("mastercard-debit", "amex-cda", "stripe-only", "declined"))))
        }
        if choices.happens(15) { entries.append(DraftEntry("cardholder", cardholder())) }
        if choices.happens(5) { entries.append(DraftEntry("presents", "false")) }
        if choices.happens(8) { entries.append(DraftEntry("timeout", .text(choices.pick("1s", "10s", "5min")))) }
        if choices.happens(15) { entries.append(DraftEntry("forceOnline", "true")) }
        return entries
    }

    /// The decimal places of amounts without a currency.
    static func digits(of draft: SessionDraft) -> Int {
        let configuration = draft.setup.first { $0.key == "configuration" }?.value
        guard case .text(let code) = configuration?["currency"] else { return 2 }
        return digits(of: code)
    }

    static func digits(of code: String) -> Int { (try? Currency(code: code))?.exponent ?? 2 }

    // MARK: Acts during a step

    /// Returns the step with one more act during it: of several candidates, the one that has happened least often.
    private func interrupted(_ step: DraftNode, _ coverage: Coverage) -> DraftNode {
        var best: (node: [DraftEntry], count: Int)?
        for _ in 0..<4 {
            let act = act()
            guard let point = choices.pick(of: coverage.points) else { continue }
            let count = coverage.count(act.name, at: point)
            if best.map({ count < $0.count }) ?? true {
                best = (moment(at: point, coverage) + act.entries, count)
            }
        }
        guard var entries = best?.node else { return step }
        if choices.happens(12) {
            entries =
                [DraftEntry("after", .text("\(choices.pick(1, 50, 700, 3000, 20_000, 70_000))ms"))]
                + entries.filter { !["on", "count", "after"].contains($0.key) }
        }
        var step = step
        if case .text(let word) = step { step = ["do": .text(word)] }
        var interruptions: [DraftNode] = []
        if case .list(let list) = step["during"] { interruptions = list }
        interruptions.append(.mapping(entries))
        if entries.contains(where: { $0.key == "do" && $0.value == "unplug" }), choices.happens(70) {
            interruptions.append([
                "on": "unplugged", "after": .text(choices.pick("1ms", "1s", "8s", "40s")), "do": "plug",
            ])
        }
        step["during"] = .list(Array(interruptions.prefix(Self.mostInterruptions)))
        return step
    }

    private static let mostInterruptions = 8

    private func moment(at point: InjectionPoint, _ coverage: Coverage) -> [DraftEntry] {
        var entries = [DraftEntry("on", .text(point.words))]
        let most = coverage.mostOften(point)
        if most > 1, choices.happens(point.words == "apdu" ? 95 : 40) {
            entries.append(DraftEntry("count", .number(choices.number(1...min(most, 100)))))
        }
        if choices.happens(20) { entries.append(DraftEntry("after", .text(choices.pick("1ms", "40ms", "1s", "6s")))) }
        return entries
    }

    private func act() -> DraftedAct {
        switch choices.number(1...14) {
        case 1, 2: DraftedAct("cancel", word: "cancel")
        case 3, 4, 5: DraftedAct("crash", word: "crash")
        case 6: DraftedAct("unplug", word: "unplug")
        case 7, 8: DraftedAct("remove_card", word: "removeCard")
        case 9: DraftedAct("insert", word: "insertCard")
        case 10:
            DraftedAct(
                "suspend", "sleep",
                ["duration": .text(choices.pick("1s", "2min")), "keepsDevices": .text(choices.pick("true", "false"))])
        default: worldAct()
        }
    }

    /// Generates a change of the world around the till.
    private func worldAct() -> DraftedAct {
        switch choices.number(1...10) {
        case 1, 2: return DraftedAct("issuer_rules", "set", ["issuer": issuer()])
        case 3, 4: return DraftedAct("site_fault", "set", ["site": ["faults": [.text(siteFault())]]])
        case 5:
            let printer = printer()
            return DraftedAct("printer", "set", ["printer": .text(printer)])
        case 6, 7:
            let disk = choices.pick("full", "readOnly", "failing", "slow", "working")
            return DraftedAct("disk", "set", ["disk": .text(disk)])
        case 8: return DraftedAct("battery", "set", ["battery": .number(choices.pick(0, 5, 30, 100))])
        case 9: return DraftedAct("reader_fault", "set", ["readerFaults": [readerFault()]])
        default: return DraftedAct("mend", word: "mend")
        }
    }
}

extension SessionDraft {
    /// Whether the session has two readers, with names.
    fileprivate var hasTwoReaders: Bool { setup.contains { $0.key == "readers" } }
}

extension DraftNode {
    /// Whether the process may die in the step.
    fileprivate var mayCrash: Bool {
        guard case .list(let interruptions) = self["during"] else { return false }
        return interruptions.contains { $0["do"] == "crash" }
    }
}

/// The random choices of the fault model.
struct RandomChoices: Sendable {
    private let source: any RandomSource

    init(_ source: any RandomSource) { self.source = source }

    /// Returns a whole number from a range, uniformly.
    func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(source.number(in: 0...UInt32(clamping: range.upperBound - range.lowerBound)))
    }

    /// Returns true with a probability in percent.
    func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// Returns one of the values, uniformly.
    func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let place = number(0...others.count)
        return place == 0 ? first : others[place - 1]
    }

    /// Returns one of a list, uniformly; nil for an empty list.
    func pick<Value>(of values: [Value]) -> Value? {
        values.isEmpty ? nil : values[number(0...values.count - 1)]
    }

    /// Returns one of the values with a probability by weight; weights are at least 1.
    func pick<Value>(weighted values: [(Int, Value)]) -> Value? {
        let sum = values.reduce(0) { $0 + max(1, $1.0) }
        guard sum > 0 else { return nil }
        var rest = number(1...sum)
        for (weight, value) in values {
            rest -= max(1, weight)
            if rest <= 0 { return value }
        }
        return nil
    }
}
