import Determinism
import Sessions
import Synchronization
import Terminal

/// The result of a request at a counter.
struct CounterResult: Sendable {
    /// Nil when it is not known, even after it was asked for again: the request does not end.
    let outcome: TerminalOutcome?
    /// The time of the counter's session afterward.
    let now: Timestamp
    /// What the cardholder and the terminal did before, in order.
    var steps: [TerminalProgress] = []
}

/// Collects the steps of a payment that a till can be shown, from the events of the session.
final class CounterSteps: Sendable {
    private let steps = Mutex<[TerminalProgress]>([])

    /// Takes an event.
    func note(_ event: SessionEvent) {
        let new: [TerminalProgress] =
            switch (event.kind, event.detail) {
            case (.cardInserted, _), (.cardSwiped, _): [.cardPresented]
            case (.kernel, "choosing_application"): [.choosingApplication]
            case (.kernel, "entering_pin"): [.enteringPIN]
            case (.kernel, "entering_pin again"): [.wrongPIN, .enteringPIN]
            case (.authorizing, _): [.authorizing]
            case (.host, "authorize unanswered"): [.recovering]
            case (.removeCard, _): [.removingCard]
            default: []
            }
        guard !new.isEmpty else { return }
        steps.withLock { $0 += new }
    }

    /// Returns the steps since the last call.
    func take() -> [TerminalProgress] {
        steps.withLock { steps in
            defer { steps = [] }
            return steps
        }
    }
}
