internal import Sessions
internal import Synchronization

/// Something in a session that may wait for a person, from one request to another.
final class Operation: Sendable {
    enum Kind: String, Sendable, CaseIterable { case payment, refund }

    private struct State {
        var isRunning = true
        var failure: SimulatedSessionError?
        var payment: Int64?
        var hasBegun = false
        /// The newest payment when it began.
        var previous: Int64?
    }

    let kind: Kind
    private let state: Mutex<State>

    /// - Parameters:
    ///   - kind: what it is.
    ///   - payment: its number, where it is known already.
    init(_ kind: Kind, payment: Int64? = nil) {
        self.kind = kind
        state = Mutex(State(payment: payment))
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Why it has no result; nil while it runs, and when it has one.
    var failure: SimulatedSessionError? { state.withLock { $0.failure } }

    /// The number of its payment, once it is known.
    var payment: Int64? { state.withLock { $0.payment } }

    /// It begins now.
    ///
    /// - Parameter previous: the newest payment until now.
    func begin(after previous: Int64?) { state.withLock { ($0.hasBegun, $0.previous) = (true, previous) } }

    /// The newest payment is its own, when it was not there before it began.
    func adopt(_ newest: () -> Int64?) {
        guard state.withLock({ $0.hasBegun && $0.payment == nil }) else { return }
        let newest = newest()
        state.withLock { if newest != $0.previous { $0.payment = newest } }
    }

    func end(_ failure: SimulatedSessionError?) {
        state.withLock { ($0.isRunning, $0.failure) = (false, failure) }
    }
}
