public import Determinism
internal import Dispatch
internal import Simulator

/// A simulated session that is kept between calls, for somebody who steers it from outside, such as a server.
///
/// Nothing happens in it between calls, and its clock stands. In a call everything goes on that can, and time goes by
/// as far as the call lets it. Calls are carried out one after the other, in the order in which they came, on threads
/// that may be blocked; the caller waits without one.
public final class KeptSession: Sendable {
    /// The session. What changes it must be done in a ``turn(until:_:)``; what only reads may be done at any time.
    public let session: SimulatedSession
    private let clock: SimulationClock
    private let queue: RunQueue
    private let turns: DispatchQueue

    private init(
        _ session: SimulatedSession, _ clock: SimulationClock, _ queue: RunQueue, _ turns: DispatchQueue
    ) {
        (self.session, self.clock, self.queue, self.turns) = (session, clock, queue, turns)
    }

    /// Begins a session.
    ///
    /// - Parameter plan: what it begins with.
    /// - Returns: the session, in which nothing has happened yet.
    /// - Throws: ``SimulatedSessionError``
    public static func open(_ plan: SessionPlan) async throws(SimulatedSessionError) -> KeptSession {
        // Threads of the common pool: as many as there are processors, however many sessions there are.
        let turns = DispatchQueue(label: "cardpresent.session", target: .global())
        let opened = await withCheckedContinuation { continuation in
            turns.async { @Sendable in continuation.resume(returning: open(plan, turns)) }
        }
        return try opened.get()
    }

    private static func open(
        _ plan: SessionPlan, _ turns: DispatchQueue
    ) -> Result<KeptSession, SimulatedSessionError> {
        let clock = SimulationClock(
            movedByRunner: VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        guard let queue = RunQueue() else { return .failure(.plan("there is no memory for another session")) }
        let limit = plan.start.advanced(by: plan.longestStep)
        let begun = queue.run(clock) {
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
        switch begun {
        case .success(let session): return .success(KeptSession(session, clock, queue, turns))
        case .failure(let error): return .failure(error)
        case nil: return .failure(.stuck(step: "begin"))
        }
    }

    /// Does something in the session, and lets everything else go on.
    ///
    /// - Parameters:
    ///   - limit: how far time may go by, asked each time that everybody waits, with whether `body` has ended; nil for
    ///     no further. See ``SimulatedSession/patience`` and
    ///     ``SimulatedSession/latestMoment``.
    ///   - body: what is done. It must wait for nothing outside of the session.
    /// - Returns: what `body` returned; nil when it still waits. Then it goes on in a later call.
    public func turn<Value: Sendable>(
        until limit: @escaping @Sendable (_ isOver: Bool) -> Timestamp?,
        _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            turns.async { @Sendable [self] in
                let value = queue.run(clock, until: limit) { [session] in await body(session) }
                // Not before the thread has left the queue: the caller is none of the session's tasks.
                continuation.resume(returning: value)
            }
        }
    }

    /// Ends the session: its process lets go of everything.
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
