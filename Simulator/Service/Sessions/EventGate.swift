internal import Sessions
internal import Synchronization

/// Stops a session after an event, so that a client can look at it there.
///
/// The session reports events while one of its tasks runs, and asks the gate before it continues a task. So it stops
/// behind the event, where the task that reported it waits; a task may report several events before it waits.
final class EventGate: Sendable {
    private struct State {
        /// The first words of the events after which to stop.
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

    /// The first words of the events after which to stop.
    var breakpoints: [String] {
        get { state.withLock { $0.breakpoints } }
        set { state.withLock { $0.breakpoints = newValue } }
    }

    /// Handles an event on the session's thread.
    func note(_ event: SessionEvent) {
        state.withLock { state in
            guard state.stopped == nil else { return }
            let isTarget = state.target.map { event.number >= $0 } ?? false
            guard isTarget || state.breakpoints.contains(where: event.matches) else { return }
            (state.stopped, state.target) = (event.number, nil)
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
