import Sessions
import Synchronization

/// Stops a session after an event, so that a client can look at it there.
///
/// The task that reported the event is held there, in the middle of what it does. In a turn that began before a client
/// asked for a pause it is not: then it goes on until it waits, and may report more events.
final class EventGate: Sendable {
    private struct State {
        /// The beginnings of the events after which to stop.
        var breakpoints: [String] = []
        /// The number of the event after which to stop; nil for none.
        var target: Int?
        /// The number of the event after which the session stopped; nil while it is not paused.
        var stopped: Int?
    }

    private let state: Mutex<State>

    /// - Parameter target: the number of the event after which to stop; nil for none.
    init(stoppingAfter target: Int? = nil) { state = Mutex(State(target: target)) }

    /// The number of the event after which the session stopped; nil while it is not paused.
    var pausedAfter: Int? { state.withLock { $0.stopped } }

    var isClosed: Bool { pausedAfter != nil }

    /// Whether the session may stop after one of the next events.
    var isArmed: Bool { state.withLock { $0.target != nil || !$0.breakpoints.isEmpty } }

    /// The beginnings of the events after which to stop.
    var breakpoints: [String] {
        get { state.withLock { $0.breakpoints } }
        set { state.withLock { $0.breakpoints = newValue } }
    }

    /// Handles an event on the session's thread.
    ///
    /// - Returns: whether the session stops after it.
    func note(_ event: SessionEvent) -> Bool {
        state.withLock { state in
            guard state.stopped == nil else { return false }
            let isTarget = state.target.map { event.number >= $0 } ?? false
            guard isTarget || state.breakpoints.contains(where: event.text.hasPrefix) else { return false }
            (state.stopped, state.target) = (event.number, nil)
            return true
        }
    }

    /// Lets the session continue, until an event with this number, if any, or a breakpoint.
    func open(until target: Int?) { state.withLock { ($0.stopped, $0.target) = (nil, target) } }
}

/// The work of a request in a session that may be paused before the work begins or ends.
final class PausableWork: Sendable {
    private enum State { case waiting, begun, ended, abandoned }

    private let state = Mutex(State.waiting)

    /// Whether it has begun and not ended.
    var isUnderWay: Bool { state.withLock { $0 == .begun } }

    /// Begins it.
    ///
    /// - Returns: false when it was abandoned before.
    func begin() -> Bool {
        state.withLock { state in
            guard state == .waiting else { return false }
            state = .begun
            return true
        }
    }

    func end() { state.withLock { $0 = .ended } }

    /// Prevents it from beginning, unless it has begun.
    func abandon() { state.withLock { if $0 == .waiting { $0 = .abandoned } } }
}

extension SessionEvent {
    /// Whether the task that reports the event is in the middle of a commit, with the till's records to itself.
    var isInCommit: Bool { kind == .saving || kind == .diskRefused }
}

/// The till's payments as they were at the last commit, for a pause in the middle of the next one, while its task has
/// the records to itself.
final class CommittedPayments: Sendable {
    private struct State {
        // The session holds its observer, and so this.
        weak var session: SimulatedSession?
        var payments: [SessionPayment] = []
    }

    private let state = Mutex(State())

    /// Reads the payments of a session from now on.
    func read(_ session: SimulatedSession) { state.withLock { $0.session = session } }

    /// Reads the payments again.
    func update() {
        guard let session = state.withLock({ $0.session }) else { return }
        do throws(SimulatedSessionError) {
            let payments = try session.payments()
            state.withLock { $0.payments = payments }
        } catch {
            // The session has ended.
            return
        }
    }

    var payments: [SessionPayment] { state.withLock { $0.payments } }
}
