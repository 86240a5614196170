internal import Sessions
internal import Synchronization

/// Something in a session that may wait for a person, from one request to another.
final class Operation: Sendable {
    enum Kind: String, Sendable, CaseIterable { case payment, refund }

    private struct State {
        var isRunning = true
        var failure: SimulatedSessionError?
        var payment: Int64?
    }

    let kind: Kind
    private let state: Mutex<State>

    /// - Parameter payment: its number, where it is known already.
    init(_ kind: Kind, payment: Int64? = nil) {
        self.kind = kind
        state = Mutex(State(payment: payment))
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Why it has no result; nil while it runs, and when it has one.
    var failure: SimulatedSessionError? { state.withLock { $0.failure } }

    /// The number of its payment, once it is known.
    var payment: Int64? {
        get { state.withLock { $0.payment } }
        set { state.withLock { $0.payment = newValue } }
    }

    func end(_ failure: SimulatedSessionError?) {
        state.withLock { ($0.isRunning, $0.failure) = (false, failure) }
    }
}
