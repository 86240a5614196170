public import Determinism
import Simulator

/// A simulated session that stays open between calls, for a caller that drives it from outside, such as a server.
///
/// Between calls nothing happens in the session and its clock stands still. During a call all its tasks run, and its
/// clock moves as far as the call allows. Calls run one at a time, in order of arrival, on threads that may block; the
/// caller suspends.
public final class KeptSession: Sendable {
    /// The session. Change it only in a ``turn(until:_:)``; read it at any time.
    public let session: SimulatedSession
    private let clock: SimulationClock
    private let queue: RunQueue

    private init(_ session: SimulatedSession, _ clock: SimulationClock, _ queue: RunQueue) {
        (self.session, self.clock, self.queue) = (session, clock, queue)
    }

    /// Opens a session; no step has run yet.
    ///
    /// - Parameter plan: the state in which it begins.
    /// - Returns: the session.
    /// - Throws: ``SimulatedSessionError``
    public static func open(_ plan: SessionPlan) async throws(SimulatedSessionError) -> KeptSession {
        let clock = SimulationClock(VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        let queue = RunQueue()
        queue.add(clock)
        let limit = plan.start.advanced(by: plan.longestStep)
        let opened = await queue.turn {
            $0 ? nil : limit
        } _: {
            () async -> Result<SimulatedSession, SimulatedSessionError> in
            do throws(SimulatedSessionError) {
                let world = try SessionWorld(plan, clock: clock)
                try await world.site?.prepare()
                return .success(try SimulatedSession(world, SessionStep(at: plan.start)))
            } catch {
                return .failure(error)
            }
        }
        guard let opened else { throw .stuck(step: "begin") }
        return KeptSession(try opened.get(), clock, queue)
    }

    /// Runs `body` in the session, together with every other task that can run.
    ///
    /// - Parameters:
    ///   - limit: returns the latest moment to which the clock may move; nil to stop. It is called each time that no
    ///     task can run, with whether `body` has ended. See ``SimulatedSession/callerDeadline`` and
    ///     ``SimulatedSession/latestMoment``.
    ///   - onBegin: called when the turn begins, before anything else in it. Earlier turns have ended then.
    ///   - isPaused: whether to stop as soon as the running task waits; asked before each piece of a task. Neither
    ///     tasks nor the clock go on until a later call.
    ///   - mayHold: whether ``hold()`` may be called in this turn.
    ///   - body: the task to run. It must not wait for anything outside of the session. It never begins in a turn that
    ///     is paused when it begins.
    /// - Returns: the value of `body`; nil when it never began, and when it is still waiting. Then a later call
    ///   continues it.
    public func turn<Value: Sendable>(
        until limit: @escaping @Sendable (_ isOver: Bool) -> Timestamp?,
        onBegin: @escaping @Sendable () -> Void = {},
        pausedBy isPaused: @escaping @Sendable () -> Bool = { false },
        mayHold: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        await queue.turn(until: limit, onBegin: onBegin, pausedBy: isPaused, mayHold: mayHold) { [session] in
            await body(session)
        }
    }

    /// Stops the session where its running task is, in the middle of it, until the next turn that is not paused. An
    /// observer of the session's events calls it. During the event ``SessionEventKind/saving`` the till's records
    /// cannot be read.
    public static func hold() { RunQueue.hold() }

    /// Ends the session and releases what its process holds.
    public func close() async {
        let limit = session.latestMoment
        _ = await turn { isOver in
            isOver ? nil : limit
        } _: {
            await $0.close()
        }
        clock.forgetSchedule()
    }
}
