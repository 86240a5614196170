import Payments
import Sessions

/// Maps the events of a session to the actions of `Proof/money.pml`, for each order, or payment without an order.
///
/// The model has one till here, because a session has one process at a time.
struct MoneyTraces {
    private struct Attempt {
        var draft: Int
        /// The number in its trace, from 0.
        var place: Int
        var isRefund: Bool
        /// The state that was committed last; nil before the first one.
        var state: AttemptState?
        /// The host has answered and moved nothing.
        var isDeclined = false
        /// The message under way is no part of the model: an advice that moves no money.
        var isNotice = false

        /// Whether a step may follow.
        var isOpen: Bool { state?.isFinal != true }
    }

    /// The most attempts of an order that the model has.
    private static let mostAttempts = 4
    /// What the issuer books is not seen behind an acquirer, which has a book of its own.
    private static let bookActions = ["host_advise", "host_authorize", "host_reverse"]

    private var drafts: [TraceDraft] = []
    private var draftOfOrder: [Int64: Int] = [:]
    private var draftOfPayment: [Int64: Int] = [:]
    private var attemptCounts: [Int: Int] = [:]
    private var attempts: [Int64: Attempt] = [:]
    private var amountOfPayment: [Int64: Int64] = [:]
    private var announced: [Int64: TracedEvent] = [:]
    private var isRunning = false
    private var isWired = false
    private var hostCanBeAsked = true
    /// The places of requests that certainly did not leave the till.
    private let unsent: Set<Int>

    /// Looks for what only a later event tells.
    init(_ events: [TracedEvent]) {
        var (pending, unsent): ([Int64: Int], Set<Int>) = ([:], [])
        for (place, event) in events.enumerated() {
            if event.kind == .crash || event.kind == .start { pending = [:] }
            guard event.kind == .host, let attempt = event.attempt else { continue }
            let words = event.detail.split(separator: " ")
            if words.dropFirst().first == "sent" {
                pending[attempt] = place
            } else if let sent = pending.removeValue(forKey: attempt), words.dropFirst().first == "not_sent" {
                unsent.insert(sent)
            }
        }
        self.unsent = unsent
    }

    /// The traces of all orders and payments, in the order in which they began.
    var traces: [ModelTrace] {
        drafts.map { draft in
            var draft = draft
            return draft.finish(hidden: isWired ? Self.bookActions : [], hostCanBeAsked: hostCanBeAsked)
        }
    }

    /// Takes the next event. `place` is its place among all of them.
    mutating func take(_ event: TracedEvent, at place: Int) {
        switch event.kind {
        case .start:
            if isRunning { everywhere { $0.addCrash(event) } }
            isRunning = true
        case .crash:
            if isRunning { everywhere { $0.addCrash(event) } }
            isRunning = false
        case .till:
            isWired = event.detail.hasPrefix("wire")
            hostCanBeAsked = !event.detail.hasSuffix("never_asked")
        case .payment: note(payment: event)
        case .attempt: if let number = event.attempt { announced[number] = event }
        case .journal: commit(event)
        case .journalRefused:
            guard let number = event.attempt, let attempt = attempts[number] else { return }
            step(event, of: attempt)
            drafts[attempt.draft].add("disk_refused", attempt.place, event)
        case .unreadable:
            for attempt in attempts.values where attempt.isOpen { drafts[attempt.draft].becomeBlind() }
        case .host: message(event, isUnsent: unsent.contains(place))
        case .book: book(event)
        case .capture, .captureRefused, .site: break
        }
    }

    /// Ends all traces: what follows is not in the model.
    mutating func cut(_ reason: String) { everywhere { $0.cut(reason) } }

    private mutating func everywhere(_ change: (inout TraceDraft) -> Void) {
        for place in drafts.indices { change(&drafts[place]) }
    }

    // MARK: The journal

    private mutating func note(payment event: TracedEvent) {
        guard let payment = event.payment else { return }
        amountOfPayment[payment] = event.amount
        guard draftOfPayment[payment] == nil else { return }
        if let order = event.order, let draft = draftOfOrder[order] {
            draftOfPayment[payment] = draft
            return
        }
        let name = event.order.map { "order-\($0)" } ?? "payment-\(payment)"
        draftOfPayment[payment] = drafts.count
        if let order = event.order { draftOfOrder[order] = drafts.count }
        drafts.append(TraceDraft(.money, name))
    }

    private mutating func commit(_ event: TracedEvent) {
        guard let number = event.attempt, let attempt = attempt(number) else { return }
        step(event, of: attempt)
        attempts[number]?.state = AttemptState(rawValue: event.detail)
    }

    /// Returns an attempt, which is in its trace from its first event on, whatever that is: the model begins an attempt
    /// with its commit. Nil when the attempt was not announced.
    private mutating func attempt(_ number: Int64) -> Attempt? {
        if let known = attempts[number] { return known }
        guard let event = announced[number], let payment = event.payment, let draft = draftOfPayment[payment] else {
            return nil
        }
        let place = attemptCounts[draft, default: 0]
        attemptCounts[draft] = place + 1
        let attempt = Attempt(draft: draft, place: place, isRefund: event.detail == "refund")
        attempts[number] = attempt
        if place >= Self.mostAttempts { drafts[draft].cut("more than \(Self.mostAttempts) attempts for an order") }
        if attempt.isRefund, event.amount != amountOfPayment[payment] { drafts[draft].cut("a refund of a part") }
        if event.detail == "increment" { drafts[draft].cut("a pre-authorization") }
        return attempt
    }

    /// Adds the step to the state that the event names, whether it is committed or refused.
    private mutating func step(_ event: TracedEvent, of attempt: Attempt) {
        // A log that was read has no other words.
        guard let state = AttemptState(rawValue: event.detail) else {
            return drafts[attempt.draft].cut("an unknown state of an attempt")
        }
        let action =
            switch state {
            // Also for a second time, which the model does not have.
            case .created: attempt.isRefund ? "begin_refund" : "begin_sale"
            case .authorizing: "mark_authorizing"
            case .authorized: "approve_offline"
            case .captured: attempt.state == .authorized ? "finish_advised" : "finish_captured"
            // As far as here, a pre-authorization is a sale that the host approves.
            case .authorizedOnly: "finish_captured"
            case .reversing: "mark_reversing"
            case .reversed: "finish_reversed"
            case .unknown: "mark_unknown"
            case .declined, .canceled, .failed:
                attempt.isDeclined
                    ? "finish_declined" : attempt.state == .created ? "abort_sale|abandon" : "abort_sale"
            }
        drafts[attempt.draft].add(action, attempt.place, event)
        if state == .authorizedOnly { drafts[attempt.draft].cut("a pre-authorization") }
    }

    // MARK: The host

    private mutating func message(_ event: TracedEvent, isUnsent: Bool) {
        guard let number = event.attempt, let attempt = attempt(number) else { return }
        let words = event.detail.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return }
        let isRequest = words[0] == "authorize" || words[0] == "refund"
        if words[1] == "sent" {
            attempts[number]?.isNotice = words[0] == "advise" && words.dropFirst(2).first != "offlineApproval"
            guard attempts[number]?.isNotice == false, !(isRequest && isUnsent) else { return }
            let sent = ["reverse": "send_reversal", "advise": "send_advice", "inquire": "send_inquiry"]
            return drafts[attempt.draft].add(sent[words[0]] ?? "send_request", attempt.place, event)
        }
        guard !attempt.isNotice else { return }
        let action: String
        switch (words[1], words[0], words.dropFirst(2).first) {
        case ("answered", "inquire", "approved"?): action = "take_approval"
        case ("answered", "inquire", "declined"?): action = "take_decline"
        case ("answered", "inquire", _): action = "take_not_found"
        case ("answered", "reverse", _), ("answered", "advise", _): action = "take_confirmation"
        case ("answered", _, let code):
            action = ["00", "10", "11"].contains(code) ? "take_approval" : "take_decline"
        case ("not_sent", _, _) where isRequest: action = "request_not_sent"
        default: action = "deadline"
        }
        attempts[number]?.isDeclined = action == "take_decline"
        drafts[attempt.draft].add(action, attempt.place, event)
    }

    private mutating func book(_ event: TracedEvent) {
        guard !isWired, let number = event.attempt, let attempt = attempt(number) else { return }
        let actions = [
            "authorisation": "host_authorize", "refund": "host_authorize", "reversal": "host_reverse",
            "advice": "host_advise",
        ]
        guard let action = actions[event.detail] else { return }
        drafts[attempt.draft].add(action, till: 2, attempt.place, event)
    }
}
