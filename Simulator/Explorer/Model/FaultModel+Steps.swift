internal import Amounts

extension FaultModel {
    /// A new session. What is in `coverage` has been seen, so that something else is tried.
    func draft(_ coverage: Coverage) -> SessionDraft {
        var draft = SessionDraft(setup: setup())
        if dice.happens(96) { draft.steps.append(step("connect", in: draft, coverage)) }
        for _ in 0..<dice.number(1...6) { draft.steps += steps(in: draft, coverage) }
        return draft
    }

    /// A session that is another one with something else in it, and perhaps with steps of `other`.
    func variation(of draft: SessionDraft, with other: SessionDraft, _ coverage: Coverage) -> SessionDraft {
        var draft = draft
        for _ in 0..<dice.number(1...2) {
            switch dice.number(1...10) {
            case 1, 2, 3, 4:
                if let place = dice.pick(of: Array(draft.steps.indices)) {
                    draft.steps[place] = interrupted(draft.steps[place], coverage)
                }
            case 5, 6:
                let place = dice.number(0...draft.steps.count)
                draft.steps.insert(contentsOf: steps(in: draft, coverage), at: place)
            case 7, 8:
                guard let entry = dice.pick(of: Self.freshKeys).flatMap({ setupEntry($0) }) else { continue }
                // The steps may name the readers that there are.
                guard entry.key != "reader" || !draft.hasTwoReaders else { continue }
                draft.setup.removeAll { $0.key == entry.key }
                draft.setup.append(entry)
            case 9:
                if let place = dice.pick(of: Array(draft.steps.indices)) { draft.steps.remove(at: place) }
            default:
                // Its readers have the same names, and its amounts the same digits.
                guard draft.hasTwoReaders == other.hasTwoReaders, digits(of: draft) == digits(of: other) else {
                    continue
                }
                draft.steps += other.steps.suffix(dice.number(1...3))
            }
        }
        draft.steps = Array(draft.steps.prefix(Self.mostSteps))
        if draft.steps.isEmpty { draft.steps = [step("connect", in: draft, coverage)] }
        return draft
    }

    /// Steps that a session has at most, before its ending.
    private static let mostSteps = 24

    // MARK: Steps

    /// One thing that a clerk does, with what belongs to it.
    private func steps(in draft: SessionDraft, _ coverage: Coverage) -> [DraftNode] {
        let hasStore = draft.setup.contains { $0.key == "site" }
        let kinds: [(Int, String)] = [
            (40, "pay"), (hasStore ? 30 : 1, "order"), (9, "retry"), (14, "refund"), (6, "print"), (3, "reprint"),
            (5, "restart"), (3, "recover"), (4, "settle"), (3, "disconnect"), (3, "wait"), (3, "sleep"), (3, "unplug"),
            (5, "set"), (1, "cancel"), (3, "crash"), (1, "update"), (1, "insertCard"), (1, "swipeCard"),
            (1, "removeCard"),
        ]
        let kind = dice.pick(weighted: kinds) ?? "pay"
        let first = step(kind, in: draft, coverage)
        switch kind {
        case "disconnect": return [first, step("connect", in: draft, coverage)]
        case "unplug": return [first] + (dice.happens(80) ? ["plug", step("connect", in: draft, coverage)] : [])
        case "crash", "restart":
            let again = kind == "crash" ? [step("restart", in: draft, coverage)] : []
            return [first] + again + [step("connect", in: draft, coverage)]
        default:
            guard first.mayCrash, dice.happens(90) else { return [first] }
            return [first, step("restart", in: draft, coverage), step("connect", in: draft, coverage)]
        }
    }

    private func step(_ kind: String, in draft: SessionDraft, _ coverage: Coverage) -> DraftNode {
        var node = plain(kind, in: draft)
        for _ in 0..<(dice.pick(weighted: [(30, 0), (42, 1), (20, 2), (8, 3)]) ?? 0) where kind != "wait" {
            node = interrupted(node, coverage)
        }
        return node
    }

    private func plain(_ kind: String, in draft: SessionDraft) -> DraftNode {
        switch kind {
        case "connect":
            return draft.hasTwoReaders && dice.happens(50) ? ["connect": .text(dice.pick("one", "two"))] : "connect"
        case "pay": return ["pay": payment(in: draft)]
        case "order":
            var entries = [DraftEntry("order", .number(dice.pick(1, 1, 2, 3)))]
            entries += person(isForOrder: true)
            return ["pay": .mapping(entries)]
        case "refund":
            if dice.happens(40) { return "refund" }
            var entries: [DraftEntry] = []
            if dice.happens(60) { entries.append(DraftEntry("amount", .text(amount(digits: digits(of: draft))))) }
            if dice.happens(50) { entries.append(DraftEntry("payment", .number(dice.number(1...3)))) }
            return entries.isEmpty ? "refund" : ["refund": .mapping(entries)]
        case "print", "reprint":
            return dice.happens(60)
                ? .text(kind) : .mapping([DraftEntry(kind, ["copy": .text(dice.pick("customer", "merchant"))])])
        case "wait": return ["wait": .text(dice.pick("1ms", "1s", "30s", "10min"))]
        case "sleep":
            return [
                "sleep": [
                    "duration": .text(dice.pick("1s", "5min", "8h")), "keepsDevices": .text(dice.pick("true", "false")),
                ]
            ]
        case "set":
            let act = worldAct()
            return .mapping(act.entries)
        default: return .text(kind)
        }
    }

    private func payment(in draft: SessionDraft) -> DraftNode {
        var entries = [DraftEntry("amount", .text(dice.happens(2) ? "0" : amount(digits: digits(of: draft))))]
        if dice.happens(10) {
            let code = dice.pick("USD", "EUR", "JPY", "BHD")
            entries = [
                DraftEntry("amount", .text(amount(digits: Self.digits(of: code)))), DraftEntry("currency", .text(code)),
            ]
        }
        entries += person(isForOrder: false)
        return .mapping(entries)
    }

    private func person(isForOrder: Bool) -> [DraftEntry] {
        var entries: [DraftEntry] = []
        // A card of another name is another piece of plastic.
        if dice.happens(isForOrder ? 6 : 12) {
            entries.append(
                DraftEntry("card", .text(dice.pick("mastercard-debit", "amex-cda", "stripe-only", "declined"))))
        }
        if dice.happens(15) { entries.append(DraftEntry("cardholder", cardholder())) }
        if dice.happens(5) { entries.append(DraftEntry("presents", "false")) }
        if dice.happens(8) { entries.append(DraftEntry("timeout", .text(dice.pick("1s", "10s", "5min")))) }
        if dice.happens(15) { entries.append(DraftEntry("forceOnline", "true")) }
        return entries
    }

    private func digits(of draft: SessionDraft) -> Int {
        let configuration = draft.setup.first { $0.key == "configuration" }?.value
        guard case .text(let code) = configuration?["currency"] else { return 2 }
        return Self.digits(of: code)
    }

    private static func digits(of code: String) -> Int { (try? Currency(code: code))?.exponent ?? 2 }

    // MARK: What happens in the middle of a step

    /// The step with one more thing that happens while it is carried out: of several that come to mind, the one that
    /// has
    /// happened least often so far.
    private func interrupted(_ step: DraftNode, _ coverage: Coverage) -> DraftNode {
        var best: (node: [DraftEntry], count: Int)?
        for _ in 0..<4 {
            let act = act()
            guard let point = dice.pick(of: coverage.points) else { continue }
            let count = coverage.count(act.name, at: point)
            if best.map({ count < $0.count }) ?? true {
                best = (moment(at: point, coverage) + act.entries, count)
            }
        }
        guard var entries = best?.node else { return step }
        if dice.happens(12) {
            entries =
                [DraftEntry("after", .text("\(dice.pick(1, 50, 700, 3000, 20_000, 70_000))ms"))]
                + entries.filter { !["on", "count", "after"].contains($0.key) }
        }
        var step = step
        if case .text(let word) = step { step = ["do": .text(word)] }
        var interruptions: [DraftNode] = []
        if case .list(let list) = step["during"] { interruptions = list }
        interruptions.append(.mapping(entries))
        if entries.contains(where: { $0.key == "do" && $0.value == "unplug" }), dice.happens(70) {
            interruptions.append(["on": "unplugged", "after": .text(dice.pick("1ms", "1s", "8s", "40s")), "do": "plug"])
        }
        step["during"] = .list(Array(interruptions.prefix(Self.mostInterruptions)))
        return step
    }

    private static let mostInterruptions = 8

    private func moment(at point: InjectionPoint, _ coverage: Coverage) -> [DraftEntry] {
        var entries = [DraftEntry("on", .text(point.words))]
        let most = coverage.mostOften(point)
        if most > 1, dice.happens(point.words == "apdu" ? 95 : 40) {
            entries.append(DraftEntry("count", .number(dice.number(1...min(most, 100)))))
        }
        if dice.happens(20) { entries.append(DraftEntry("after", .text(dice.pick("1ms", "40ms", "1s", "6s")))) }
        return entries
    }

    private func act() -> DraftedAct {
        switch dice.number(1...14) {
        case 1, 2: DraftedAct("cancel", word: "cancel")
        case 3, 4, 5: DraftedAct("crash", word: "crash")
        case 6: DraftedAct("unplug", word: "unplug")
        case 7, 8: DraftedAct("remove_card", word: "removeCard")
        case 9: DraftedAct("insert", word: "insertCard")
        case 10:
            DraftedAct(
                "suspend", "sleep",
                ["duration": .text(dice.pick("1s", "2min")), "keepsDevices": .text(dice.pick("true", "false"))])
        default: worldAct()
        }
    }

    /// A change of the world around the till.
    private func worldAct() -> DraftedAct {
        switch dice.number(1...10) {
        case 1, 2: return DraftedAct("issuer_rules", "set", ["issuer": issuer()])
        case 3, 4: return DraftedAct("site_fault", "set", ["site": ["faults": [.text(siteFault())]]])
        case 5:
            let printer = printer()
            return DraftedAct("printer", "set", ["printer": .text(printer)])
        case 6, 7:
            let disk = dice.pick("full", "readOnly", "failing", "slow", "working")
            return DraftedAct("disk", "set", ["disk": .text(disk)])
        case 8: return DraftedAct("battery", "set", ["battery": .number(dice.pick(0, 5, 30, 100))])
        case 9: return DraftedAct("reader_fault", "set", ["readerFaults": [readerFault()]])
        default: return DraftedAct("mend", word: "mend")
        }
    }
}

extension SessionDraft {
    /// Whether its readers have names.
    fileprivate var hasTwoReaders: Bool { setup.contains { $0.key == "readers" } }
}

extension DraftNode {
    /// Whether the process may die in the step.
    fileprivate var mayCrash: Bool {
        guard case .list(let interruptions) = self["during"] else { return false }
        return interruptions.contains { $0["do"] == "crash" }
    }
}
