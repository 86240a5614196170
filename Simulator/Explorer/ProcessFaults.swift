import Simulator

/// Puts faults between the processes of a session into a finished draft: late and doubled requests, servers that die,
/// clocks that are set, leases that are lost, commits that fail once, and a second till.
///
/// It draws from a random stream of its own, so that the draft itself does not depend on it.
struct ProcessFaults: Sendable {
    let choices: RandomChoices
    /// Whether there is a wire, which has faults of its own.
    var hasWire = false

    /// The steps in which something can happen between processes.
    private static let steps: Set<String> = ["pay", "retry", "refund", "restart", "recover", "settle", "connect"]
    /// The most faults of a session.
    private static let most = 3

    /// The moments of a step that matter to another process.
    private static let points = [
        "saving authorizing", "journal authorizing", "journal created", "host authorize sent",
        "host authorize answered", "authorizing", "saving captured", "journal captured", "saving reversing",
        "journal reversing", "host reverse sent", "host reverse answered", "saving unknown", "journal unknown",
        "host refund sent", "host advise sent", "host inquire sent", "capture due", "capture sent", "site", "receipt",
        "apdu",
    ]

    /// Returns the draft with some faults.
    func added(to draft: SessionDraft) -> SessionDraft {
        var draft = draft
        let places = draft.steps.indices.filter { Self.steps.contains(draft.steps[$0].stepWord) }
        for _ in 0..<choices.number(1...Self.most) {
            guard let place = choices.pick(of: places) else { break }
            draft.steps[place] = interrupted(draft.steps[place])
        }
        // More than was paid: refused before anything is sent.
        if choices.happens(20) { draft.steps.append(["refund": ["amount": "9999999"]]) }
        return draft
    }

    private func interrupted(_ step: DraftNode) -> DraftNode {
        var step = step
        if case .text(let word) = step { step = ["do": .text(word)] }
        var interruptions: [DraftNode] = []
        if case .list(let list) = step["during"] { interruptions = list }
        let point: DraftNode = .text(choices.pick(of: Self.points) ?? "site")
        if choices.happens(25) {
            // One commit fails, and the next one works.
            let disk: DraftNode = .text(choices.pick("full", "readOnly", "failing"))
            interruptions.append(["on": point, "set": ["disk": disk]])
            interruptions.append(["on": point, "after": "1ms", "set": ["disk": "working"]])
        } else {
            interruptions.append(["on": point, "set": .mapping(change())])
        }
        step["during"] = .list(interruptions)
        return step
    }

    private func change() -> [DraftEntry] {
        let time: DraftNode = .text(choices.pick("1s", "44s", "46s", "90s", "5min"))
        switch choices.number(1...(hasWire ? 7 : 11)) {
        case 1: return [DraftEntry("siteDown", time)]
        case 2: return [DraftEntry("clockForward", .text(choices.pick("1s", "1h", "24h")))]
        case 3: return [DraftEntry("clockBack", .text(choices.pick("1s", "1h", "24h")))]
        case 4: return [DraftEntry("loseLease", "true"), DraftEntry("neighbor", "recover")]
        case 5, 6, 7:
            return [
                DraftEntry(
                    "neighbor",
                    .text(choices.pick("start", "recover", "recover", "settle", "refund", "refund", "crash")))
            ]
        case 8: return [DraftEntry("issuerDown", time)]
        default:
            var fault: DraftNode = ["request": .text(choices.pick("delayed", "delayed", "doubled")), "by": time]
            if choices.happens(60) {
                fault["message"] = .text(choices.pick(of: IssuerMessageKind.allCases)?.rawValue ?? "authorize")
            }
            if choices.happens(30) { fault["times"] = .number(choices.number(2...3)) }
            return [DraftEntry("link", [fault])]
        }
    }
}
