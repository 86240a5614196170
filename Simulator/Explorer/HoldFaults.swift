import Text

/// Puts pre-authorizations into a finished draft: payments that only hold their amount, and what a clerk does with a
/// hold, with faults in the middle of it.
///
/// It draws from a random stream of its own, so that the draft itself does not depend on it.
struct HoldFaults: Sendable {
    let choices: RandomChoices

    /// The moments of an increment, a capture, and a cancellation.
    private static let points = [
        "saving created", "journal created", "saving authorizing", "journal authorizing", "host increment sent",
        "host increment answered", "saving authorizedOnly", "journal authorizedOnly", "saving authorized",
        "journal authorized", "saving captured", "journal captured", "host advise sent", "host advise answered",
        "saving reversing", "journal reversing", "host reverse sent", "host reverse answered", "saving reversed",
        "host inquire sent", "receipt",
    ]

    /// Returns the draft with one hold or more; as it is when it has no payment of an amount. Most often nothing
    /// disturbs the payment itself, so that there is a hold to do something with.
    func added(to draft: SessionDraft) -> SessionDraft {
        let isCalm = choices.happens(70)
        var draft = draft
        if isCalm { calm(&draft) }
        var steps: [DraftNode] = []
        for step in draft.steps {
            guard var payment = step["pay"], payment["amount"] != nil, isCalm || choices.happens(70) else {
                steps.append(step)
                continue
            }
            var step = step
            payment["authorizeOnly"] = "true"
            if choices.happens(20) { payment["allowPartial"] = "true" }
            if isCalm {
                for key in ["card", "cardholder", "presents", "timeout"] { payment[key] = nil }
                step["during"] = nil
            }
            step["pay"] = payment
            steps.append(step)
            steps += acts(upon: payment, digits(of: payment, in: draft))
        }
        draft.steps = steps
        return draft
    }

    /// Lets payments of the draft succeed: with a card that is approved, and without faults at the start.
    private func calm(_ draft: inout SessionDraft) {
        draft.setup.removeAll { ["card", "cardholder", "issuer", "disk", "reader", "readers"].contains($0.key) }
        draft.setup.append(DraftEntry("card", .text(choices.pick("visa-credit", "mastercard-credit", "amex-cda"))))
        draft.steps = draft.steps.filter { $0["connect"] == nil && $0.stepWord != "connect" }
        draft.steps.insert("connect", at: 0)
    }

    /// The decimal places of a payment's amount.
    private func digits(of payment: DraftNode, in draft: SessionDraft) -> Int {
        guard case .text(let code) = payment["currency"] else { return FaultModel.digits(of: draft) }
        return FaultModel.digits(of: code)
    }

    /// Returns what the clerk does with a hold: raises it, ends it, and sometimes goes on.
    private func acts(upon payment: DraftNode, _ digits: Int) -> [DraftNode] {
        var acts: [DraftNode] = []
        for _ in 0..<choices.number(0...3) {
            acts.append(choices.happens(85) ? increment(of: payment, digits) : ["do": "recover"])
        }
        if choices.happens(85) { acts.append(end(of: payment, digits)) }
        if choices.happens(40) {
            acts.append(choices.happens(50) ? end(of: payment, digits) : ["do": .text(choices.pick("retry", "refund"))])
        }
        return acts.flatMap(disturbed)
    }

    private func increment(of payment: DraftNode, _ digits: Int) -> DraftNode {
        var entries = [DraftEntry("amount", .text(amount(digits)))]
        if let currency = payment["currency"] { entries.append(DraftEntry("currency", currency)) }
        if choices.happens(20) { entries.append(DraftEntry("payment", .number(choices.number(1...2)))) }
        return ["increment": .mapping(entries)]
    }

    /// A capture or a cancellation of this hold, or of an older one.
    private func end(of payment: DraftNode, _ digits: Int) -> DraftNode {
        guard choices.happens(70) else {
            return choices.happens(80)
                ? ["do": "cancelPayment"] : ["cancelPayment": .number(choices.number(1...2))]
        }
        return choices.happens(50) ? ["do": "capture"] : ["capture": capture(of: payment, digits)]
    }

    /// Returns a step with something in the middle of it, and the start of the program after its death.
    private func disturbed(_ step: DraftNode) -> [DraftNode] {
        guard choices.happens(60) else { return [step] }
        var step = step
        var dies = false
        var interruptions: [DraftNode] = []
        for _ in 0..<choices.number(1...2) {
            let change = change()
            dies = dies || change.value == "crash"
            var interruption: DraftNode = ["on": .text(choices.pick(of: Self.points) ?? "receipt")]
            interruption[change.key] = change.value
            interruptions.append(interruption)
        }
        step["during"] = .list(interruptions)
        return dies && choices.happens(90) ? [step, "restart", "connect"] : [step]
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
        if choices.happens(15) { entries.append(DraftEntry("payment", .number(choices.number(1...2)))) }
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
