import Determinism
import Simulator
import Synchronization

/// Whether a server of the session runs: it can die, and starts again after a time. What it had recorded stays, what it
/// had not answered yet is lost.
final class ServerLife: Sendable {
    private struct State {
        var deaths = 0
        var isDownUntil: Timestamp?
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    init(time: any TimeSource) { self.time = time }

    /// The number of deaths so far: an answer to a request from before one is lost.
    var deaths: Int { state.withLock { $0.deaths } }

    var isDown: Bool {
        let now = time.now()
        return state.withLock { $0.isDownUntil.map { now < $0 } ?? false }
    }

    /// Kills the server, which starts again after a time.
    func die(for duration: Duration) {
        let end = time.now().advanced(by: duration)
        state.withLock { state in
            state.deaths += 1
            state.isDownUntil = end
        }
    }

    /// Starts the server again.
    func recover() { state.withLock { $0.isDownUntil = nil } }
}

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
