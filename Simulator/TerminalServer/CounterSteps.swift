import Sessions
import Synchronization
import Terminal

/// Collects the steps of a payment that a till can be shown, from the events of the session.
final class CounterSteps: Sendable {
    private let steps = Mutex<[TerminalProgress]>([])

    /// Takes an event.
    func note(_ event: SessionEvent) {
        let new = event.terminalSteps
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
