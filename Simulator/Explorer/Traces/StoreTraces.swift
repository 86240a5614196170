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
        /// Whether that request has failed, so that the same process may repeat it.
        var mayRepeat = false

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
        for id in payments.keys { payments[id]?.mayRepeat = false }
        for place in drafts.indices {
            drafts[place].addCrash(till: 0, event)
            drafts[place].addCrash(till: 1, event)
        }
    }

    // MARK: Payments

    private mutating func captured(_ event: TracedEvent) {
        guard let number = event.attempt, let attempt = attempts[number], let id = attempt.payment,
            let payment = payments[id], payment.state != nil
        else { return }
        if attempt.detail == "refund" {
            let (refunded, isTooLarge) = payment.refunded.addingReportingOverflow(attempt.amount ?? 0)
            payments[id]?.refunded = isTooLarge ? .max : refunded
            guard let place = payment.place, let amount = payment.amount, isTooLarge || refunded >= amount else {
                return
            }
            return drafts[place.draft].add("payment_refunded", till: place.number, place.number, event)
        }
        guard payment.place == nil, let place = place(id) else { return }
        drafts[place.draft].add("payment_taken", till: place.number, place.number, event)
    }

    /// Returns the place of a payment, and gives it one; nil for a payment without an order.
    private mutating func place(_ id: Int64) -> (draft: Int, number: Int)? {
        if let place = payments[id]?.place { return place }
        guard let order = payments[id]?.order else { return nil }
        let draft = draft(of: order)
        let number = counts[draft, default: 0]
        counts[draft] = number + 1
        if number >= Self.mostPayments { drafts[draft].cut("more than \(Self.mostPayments) payments for an order") }
        payments[id]?.place = (draft, number)
        return (draft, number)
    }

    /// Returns the trace of an order, which it begins when there is none.
    private mutating func draft(of order: Int64) -> Int {
        if let draft = draftOfOrder[order] { return draft }
        draftOfOrder[order] = drafts.count
        drafts.append(TraceDraft(.store, "order-\(order)"))
        return drafts.count - 1
    }

    // MARK: Notifications

    private mutating func commit(_ event: TracedEvent) {
        guard let id = event.payment else { return }
        let state = event.state
        // The model has no step of a notification before the payment is taken.
        if payments[id]?.place == nil, state != "planned", state != "due" { _ = place(id) }
        let before = payments[id, default: Payment()]
        add(event, before)
        if state == "sent" { payments[id, default: Payment()].claimed = before.state }
        payments[id, default: Payment()].state = state
        payments[id]?.lease = event.lease
        // The first request after this commit is the one that it was made for.
        if state == "sent", before.lease == event.lease || before.state != state {
            payments[id]?.isAsked = false
            payments[id]?.mayRepeat = false
        }
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
        let words = event.detail.split(separator: " ")
        guard let status = words.last, let route = words.dropLast().last, route.hasSuffix("/capture_terminal_payment"),
            let order = route.split(separator: "/").dropLast().last.flatMap({ Int64($0) })
        else { return }
        let ofOrder = payments.filter { $0.value.order == order }.sorted { $0.key < $1.key }
        let sent = ofOrder.filter { $0.value.state == "sent" && $0.value.place != nil }
        guard status == "sent" else {
            if status.first == "2" { return }
            for (id, payment) in sent where payment.isAsked { payments[id]?.mayRepeat = true }
            return
        }
        if let (id, payment) = sent.first(where: { !$0.value.isAsked }), let place = payment.place {
            payments[id]?.isAsked = true
            // Only what follows tells whether it had an effect.
            drafts[place.draft].add("send_capture|capture_not_sent", till: place.number, place.number, event)
        } else if let (id, _) = sent.first(where: { $0.value.mayRepeat }) {
            payments[id]?.mayRepeat = false
        } else if let id = (ofOrder.last { $0.value.place != nil } ?? ofOrder.last)?.key, let place = place(id) {
            // No `sent` was committed for it: the model has no such step.
            drafts[place.draft].add("send_capture", till: place.number, place.number, event)
        } else {
            drafts[draft(of: order)].add("send_capture", 0, event)
        }
    }
}

extension TracedEvent {
    /// The state in the detail of a notification's commit.
    fileprivate var state: String { detail.split(separator: " ").first.map(String.init) ?? "" }
}
