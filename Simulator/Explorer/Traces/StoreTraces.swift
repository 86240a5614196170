import Sessions

/// Maps the events of a session to the actions of `Proof/store.pml`, for each order with a payment that was taken.
///
/// A session has one process at a time. In the trace, each payment of the order has a till of its own, and the end of
/// the process is the end of both: no step is about two payments.
struct StoreTraces {
    private struct Payment {
        var order: Int64?
        var amount: Int64?
        var refunded: Int64 = 0
        /// The trace, and the number of the payment in it, from 0; nil until the payment is taken.
        var place: (draft: Int, number: Int)?
        /// The state of the notification; nil without one.
        var state: String?
        var lease: Int64?
        /// The state before the last `sent`.
        var claimed: String?
        /// Whether the request to the store was made since `sent`.
        var isAsked = false

        /// Whether a step may follow.
        var isOpen: Bool { state != "confirmed" && state != "accepted" }
    }

    /// The most payments of an order that the model has.
    private static let mostPayments = 2

    private var drafts: [TraceDraft] = []
    private var draftOfOrder: [Int64: Int] = [:]
    private var counts: [Int: Int] = [:]
    private var payments: [Int64: Payment] = [:]
    private var attempts: [Int64: TracedEvent] = [:]
    private var isRunning = false

    /// The traces of orders with a payment that was taken.
    var traces: [ModelTrace] {
        drafts.map { draft in
            var draft = draft
            return draft.finish(hidden: [], hostCanBeAsked: true)
        }
    }

    /// Takes the next event.
    mutating func take(_ event: TracedEvent) {
        switch event.kind {
        case .start:
            if isRunning { addCrash(event) }
            isRunning = true
        case .crash:
            if isRunning { addCrash(event) }
            isRunning = false
        case .payment:
            guard let number = event.payment else { return }
            payments[number, default: Payment()].order = event.order
            payments[number]?.amount = event.amount
        case .attempt: if let number = event.attempt { attempts[number] = event }
        case .journal: if event.detail == "captured" { captured(event) }
        case .capture: commit(event)
        case .captureRefused: refuse(event)
        case .unreadable:
            for payment in payments.values {
                if let place = payment.place, payment.isOpen { drafts[place.draft].becomeBlind() }
            }
        case .site: request(event)
        case .till, .journalRefused, .host, .book: break
        }
    }

    /// Ends all traces: what follows is not in the model.
    mutating func cut(_ reason: String) {
        for place in drafts.indices { drafts[place].cut(reason) }
    }

    private mutating func addCrash(_ event: TracedEvent) {
        for place in drafts.indices {
            drafts[place].addCrash(till: 0, event)
            drafts[place].addCrash(till: 1, event)
        }
    }

    // MARK: Payments

    private mutating func captured(_ event: TracedEvent) {
        guard let number = event.attempt, let attempt = attempts[number], let id = attempt.payment,
            var payment = payments[id], payment.state != nil
        else { return }
        defer { payments[id] = payment }
        if attempt.detail == "refund" {
            payment.refunded += attempt.amount ?? 0
            guard let place = payment.place, let amount = payment.amount, payment.refunded >= amount else { return }
            return drafts[place.draft].add("payment_refunded", till: place.number, place.number, event)
        }
        guard payment.place == nil, let order = payment.order else { return }
        let draft = draftOfOrder[order] ?? drafts.count
        if draft == drafts.count {
            draftOfOrder[order] = draft
            drafts.append(TraceDraft(.store, "order-\(order)"))
        }
        let place = counts[draft, default: 0]
        counts[draft] = place + 1
        payment.place = (draft, place)
        if place >= Self.mostPayments { drafts[draft].cut("more than \(Self.mostPayments) payments for an order") }
        drafts[draft].add("payment_taken", till: place, place, event)
    }

    // MARK: Notifications

    private mutating func commit(_ event: TracedEvent) {
        guard let id = event.payment else { return }
        let before = payments[id, default: Payment()]
        add(event, before)
        let state = event.state
        if state == "sent" { payments[id, default: Payment()].claimed = before.state }
        payments[id, default: Payment()].state = state
        payments[id]?.lease = event.lease
        // The first request after this commit is the one that it was made for.
        if state == "sent", before.lease == event.lease || before.state != state { payments[id]?.isAsked = false }
    }

    private mutating func refuse(_ event: TracedEvent) {
        guard let id = event.payment, let payment = payments[id], add(event, payment), let place = payment.place else {
            return
        }
        drafts[place.draft].add("disk_refused", till: place.number, place.number, event)
    }

    /// Adds the step to the state that the event names, whether it is committed or refused.
    ///
    /// - Returns: whether it is a step of the model.
    @discardableResult
    private mutating func add(_ event: TracedEvent, _ payment: Payment) -> Bool {
        guard let place = payment.place else { return false }
        // Only the lease is another one: a process takes over what another one left.
        guard payment.state != event.state || payment.lease == event.lease else { return false }
        if event.detail.hasSuffix(" till") { drafts[place.draft].cut("an order that the till completes itself") }
        let action: String
        switch event.state {
        case "sent": action = "mark_sent"
        case "confirmed": action = "record_confirmed"
        case "conflict": action = "record_conflict"
        case "refused": action = "record_refused|refuse_refunded"
        // A try without an effect leaves what was due, or in review, as it was.
        case "unknown" where payment.state == "sent" && !["sent", "unknown"].contains(payment.claimed):
            action = "record_unknown"
        case "unknown": action = "record_unknown|record_silence"
        case "accepted": action = "accept"
        // With the payment that is taken, or after a try without an effect.
        case "due" where payment.state != "planned": action = "record_silence"
        default: return false
        }
        drafts[place.draft].add(action, till: place.number, place.number, event)
        return true
    }

    private mutating func request(_ event: TracedEvent) {
        guard event.detail.hasSuffix("/capture_terminal_payment sent"),
            let order = event.detail.split(separator: "/").dropLast().last.flatMap({ Int64($0) }),
            let (id, payment) = payments.first(where: {
                $0.value.order == order && $0.value.state == "sent" && !$0.value.isAsked
            }), let place = payment.place
        else { return }
        payments[id]?.isAsked = true
        // Only what follows tells whether it had an effect.
        drafts[place.draft].add("send_capture|capture_not_sent", till: place.number, place.number, event)
    }
}

extension TracedEvent {
    /// The state in the detail of a notification's commit.
    fileprivate var state: String { detail.split(separator: " ").first.map(String.init) ?? "" }
}
