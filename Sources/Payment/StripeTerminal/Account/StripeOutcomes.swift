import Determinism
import Money
import Payments
import Terminal
import Text

// What the end of a terminal's request changes, and the events that it makes.
extension StripeTerminal {
    mutating func end(_ task: StripeTask, _ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        switch task.purpose {
        case .process(let intent): endProcess(intent, task, key, outcome)
        case .capture(let intent, let amount): endCapture(intent, amount, outcome)
        case .release(let intent): if outcome.transaction != nil { release(intent) }
        case .refund(let refund):
            endRefund(refund, outcome)
            // A refund without a reader has no action.
            if outcome.transaction != nil {
                endAction(task.reader, key) { $0.state = .succeeded }
            } else {
                fail(task.reader, key, "processing_error", "The refund was not made.")
            }
        case .display: endDisplay(task.reader, key, outcome)
        case .input: endInput(task.reader, key, outcome)
        }
        books.readers[task.reader]?.seen = now.milliseconds
    }

    /// Ends the action of a reader that belongs to a request. A later action stays.
    mutating func endAction(
        _ reader: String, _ key: IdempotencyKey, _ change: (inout StripeAction) -> Void
    ) {
        guard var action = books.readers[reader]?.action, action.key == key else { return }
        change(&action)
        books.readers[reader]?.action = action
        guard let json = books.readers[reader]?.json else { return }
        emit("terminal.reader.action_\(action.state.rawValue)", json)
    }

    mutating func fail(_ reader: String, _ key: IdempotencyKey, _ code: String, _ message: String) {
        endAction(reader, key) { ($0.state, $0.failureCode, $0.failureMessage) = (.failed, code, message) }
    }

    private mutating func endProcess(
        _ intent: String, _ task: StripeTask, _ key: IdempotencyKey, _ outcome: TerminalOutcome
    ) {
        let reader = task.reader
        if books.intents[intent]?.state == .processing { books.intents[intent]?.state = .requiresPaymentMethod }
        switch outcome {
        case .approved(let transaction): approve(intent, task, key, transaction)
        case .declined(let decline): self.decline(intent, task, key, decline)
        case .canceled(.byTill):
            // The till asked for it, and no event tells it again.
            if books.readers[reader]?.action?.key == key { books.readers[reader]?.action = nil }
        case .canceled(.byCardholder): fail(reader, key, "customer_canceled", "The customer canceled the payment.")
        case .canceled(.timedOut): fail(reader, key, "customer_canceled", "No card was presented in time.")
        case .failed(.hostUnreachable):
            fail(reader, key, "connection_error", "The reader lost its connection while it authorized the payment.")
        case .failed, .done:
            fail(reader, key, "processing_error", "An error occurred while the reader processed the card.")
        }
    }

    private mutating func charge(
        _ intent: StripeIntent, _ reader: String, _ key: IdempotencyKey, _ card: CardDetails?,
        tip: Int64 = 0
    ) -> StripeCharge {
        StripeCharge(
            id: keptNames?.charge ?? names.next("ch_"), intent: intent.id,
            paymentMethod: keptNames?.paymentMethod ?? names.next("pm_"), reader: reader,
            location: books.readers[reader]?.location, key: key, amount: intent.amount + tip,
            currency: intent.currency, created: seconds, card: card, description: intent.words["description"],
            metadata: intent.metadata)
    }

    private mutating func approve(
        _ id: String, _ task: StripeTask, _ key: IdempotencyKey, _ transaction: TerminalTransaction
    ) {
        guard var intent = books.intents[id] else { return }
        let reader = task.reader
        if task.tip > 0 {
            // What was charged counts.
            intent.tip = max(0, transaction.amount.minorUnits - intent.amount)
            intent.amount = transaction.amount.minorUnits
        }
        var charge = charge(intent, reader, key, transaction.card)
        if !intent.isManual { charge.captured = charge.amount }
        (intent.charge, intent.paymentMethod, intent.lastError) = (charge.id, charge.paymentMethod, nil)
        intent.state = intent.isManual ? .requiresCapture : .succeeded
        intent.received = intent.isManual ? 0 : intent.amount
        (books.charges[charge.id], books.intents[id]) = (charge, intent)
        emit("charge.succeeded", books.json(of: charge))
        emit(intent.isManual ? "payment_intent.amount_capturable_updated" : "payment_intent.succeeded", intent.json)
        endAction(reader, key) { $0.state = .succeeded }
    }

    private mutating func decline(
        _ id: String, _ task: StripeTask, _ key: IdempotencyKey, _ decline: TerminalDecline
    ) {
        guard var intent = books.intents[id] else { return }
        let reason = StripeDecline(decline)
        var charge = charge(intent, task.reader, key, decline.card, tip: task.tip)
        charge.decline = reason
        (intent.charge, intent.lastError) = (charge.id, reason.error(charge: charge))
        (books.charges[charge.id], books.intents[id]) = (charge, intent)
        emit("charge.failed", books.json(of: charge))
        emit("payment_intent.payment_failed", intent.json)
        fail(task.reader, key, reason.code, reason.message)
    }

    private mutating func endCapture(_ id: String, _ amount: Int64, _ outcome: TerminalOutcome) {
        guard outcome.transaction != nil, var intent = books.intents[id],
            var charge = intent.charge.flatMap({ books.charges[$0] })
        else { return }
        (intent.state, intent.received) = (.succeeded, amount)
        // The rest is released, and shown as refunded.
        (charge.captured, charge.refunded) = (amount, charge.amount - amount)
        (books.charges[charge.id], books.intents[id]) = (charge, intent)
        emit("charge.captured", books.json(of: charge))
        emit("payment_intent.succeeded", intent.json)
    }

    /// Marks the charge of a canceled intent as given back.
    private mutating func release(_ id: String) {
        guard var charge = books.intents[id]?.charge.flatMap({ books.charges[$0] }) else { return }
        charge.refunded = charge.amount
        books.charges[charge.id] = charge
        emit("charge.refunded", books.json(of: charge))
    }

    private mutating func endRefund(_ id: String, _ outcome: TerminalOutcome) {
        guard var refund = books.refunds[id], var charge = books.charges[refund.charge] else { return }
        guard outcome.transaction != nil else {
            (refund.status, refund.failureReason) = ("failed", outcome.isDecline ? "declined" : "unknown")
            books.refunds[id] = refund
            emit("refund.failed", refund.json)
            return
        }
        refund.status = "succeeded"
        charge.refunded += refund.amount
        (books.refunds[id], books.charges[charge.id]) = (refund, charge)
        emit("refund.created", refund.json)
        emit("charge.refunded", books.json(of: charge))
    }

    /// No event tells of a display.
    private mutating func endDisplay(_ reader: String, _ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        guard var action = books.readers[reader]?.action, action.key == key else { return }
        if case .done = outcome { action.state = .succeeded } else { action.state = .failed }
        books.readers[reader]?.action = action
    }
}

extension TerminalOutcome {
    fileprivate var isDecline: Bool { if case .declined = self { true } else { false } }
}
