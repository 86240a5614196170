import Text

/// Puts pre-authorizations into a finished draft: payments that only hold their amount, and what a clerk does with a
/// hold, with faults in the middle of it.
///
/// It draws from a random stream of its own, so that the draft itself does not depend on it.
struct HoldFaults: Sendable {
    let choices: RandomChoices

    /// The most acts upon one hold.
    private static let most = 4

    /// The moments of an increment, a capture, and a cancellation.
    private static let points = [
        "saving created", "journal created", "saving authorizing", "journal authorizing", "host increment sent",
        "host increment answered", "saving authorizedOnly", "journal authorizedOnly", "saving authorized",
        "journal authorized", "saving captured", "journal captured", "host advise sent", "host advise answered",
        "saving reversing", "journal reversing", "host reverse sent", "host reverse answered", "saving reversed",
        "host inquire sent", "receipt",
    ]

    /// Returns the draft with one hold or more; as it is when it has no payment of an amount.
    func added(to draft: SessionDraft) -> SessionDraft {
        var draft = draft
        var steps: [DraftNode] = []
        for step in draft.steps {
            guard var payment = step["pay"], payment["amount"] != nil, choices.happens(70) else {
                steps.append(step)
                continue
            }
            var step = step
            payment["authorizeOnly"] = "true"
            if choices.happens(20) { payment["allowPartial"] = "true" }
            step["pay"] = payment
            steps.append(step)
            let digits = digits(of: payment, in: draft)
            for _ in 0..<choices.number(0...Self.most) { steps += act(upon: payment, digits) }
        }
        draft.steps = steps
        return draft
    }

    /// The decimal places of a payment's amount.
    private func digits(of payment: DraftNode, in draft: SessionDraft) -> Int {
        guard case .text(let code) = payment["currency"] else { return FaultModel.digits(of: draft) }
        return FaultModel.digits(of: code)
    }

    /// Returns one act of the clerk, and the start of the program after its death.
    private func act(upon payment: DraftNode, _ digits: Int) -> [DraftNode] {
        var step: DraftNode
        switch choices.pick(weighted: [(35, "increment"), (40, "capture"), (15, "cancelPayment"), (10, "recover")]) {
        case "increment":
            var entries = [DraftEntry("amount", .text(amount(digits)))]
            if let currency = payment["currency"] { entries.append(DraftEntry("currency", currency)) }
            if choices.happens(20) { entries.append(DraftEntry("payment", .number(choices.number(1...2)))) }
            step = ["increment": .mapping(entries)]
        case "capture": step = choices.happens(50) ? ["do": "capture"] : ["capture": capture(of: payment, digits)]
        case "cancelPayment": step = ["do": "cancelPayment"]
        default: step = ["do": "recover"]
        }
        guard choices.happens(60) else { return [step] }
        var dies = false
        var interruptions: [DraftNode] = []
        for _ in 0..<choices.number(1...2) {
            let point: DraftNode = .text(choices.pick(of: Self.points) ?? "receipt")
            let change = change()
            dies = dies || change.value == "crash"
            var interruption: DraftNode = ["on": point]
            interruption[change.key] = change.value
            interruptions.append(interruption)
        }
        step["during"] = .list(interruptions)
        return dies && choices.happens(80) ? [step, "restart"] : [step]
    }

    /// All of the hold, a part of it, or more than it.
    private func capture(of payment: DraftNode, _ digits: Int) -> DraftNode {
        var entries: [DraftEntry] = []
        if choices.happens(40), let amount = payment["amount"] {
            entries.append(DraftEntry("amount", amount))
        } else {
            entries.append(DraftEntry("amount", .text(amount(digits))))
        }
        if let currency = payment["currency"] { entries.append(DraftEntry("currency", currency)) }
        return .mapping(entries)
    }

    /// Returns an amount from the smallest one to more than most holds.
    private func amount(_ digits: Int) -> String {
        choices.pick(1, 50, 1000, 5000, 200_000).decimalText(scale: digits)
    }

    private func change() -> DraftEntry {
        switch choices.number(1...10) {
        case 1, 2, 3, 4: DraftEntry("do", "crash")
        case 5, 6, 7: DraftEntry("set", ["issuer": [issuerRule]])
        case 8: DraftEntry("set", ["disk": .text(choices.pick("full", "readOnly", "failing", "working"))])
        case 9: DraftEntry("do", "cancel")
        default: DraftEntry("do", "mend")
        }
    }

    private var issuerRule: DraftNode {
        var answers: [DraftNode] = [
            ["lost": "request"], ["lost": "answer"], ["lost": "answer"], ["reachable": "false"],
            ["delayMilliseconds": .number(choices.pick(500, 44_999, 45_001, 90_000))],
        ]
        // Occurrences are counted by rule name, so names must be unique.
        var entries = [DraftEntry("name", .text("hold-\(choices.number(1...1_000_000))"))]
        if choices.happens(60) {
            entries.append(DraftEntry("when", ["messages": .text(choices.pick("reverse", "advise", "inquire"))]))
        } else {
            answers += [["responseCode": "51"], ["responseCode": "10"]]
        }
        entries.append(DraftEntry("times", .number(choices.number(1...3))))
        entries.append(DraftEntry("answer", choices.pick(of: answers) ?? ["lost": "answer"]))
        return .mapping(entries)
    }
}
