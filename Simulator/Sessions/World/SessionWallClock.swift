import Determinism
import Simulator
import Synchronization

/// The clock on the wall of the tills. Someone can set it; the time that passes stays that of the session.
final class SessionWallClock: TimeSource {
    private let clock: SimulationClock
    private let shift = Mutex(Duration.zero)

    init(_ clock: SimulationClock) { self.clock = clock }

    /// Sets the clock forward, or back by a negative duration.
    func jump(by duration: Duration) { shift.withLock { $0 += duration } }

    func now() -> Timestamp { clock.now().advanced(by: shift.withLock { $0 }) }

    func reading() -> Duration { clock.reading() }

    func offsetSeconds(at moment: Timestamp) -> Int { clock.offsetSeconds(at: moment) }

    func timeAsleep() -> Duration { clock.timeAsleep() }

    func sleep(for duration: Duration) async throws(CancellationError) { try await clock.sleep(for: duration) }
}
