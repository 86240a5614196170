internal import Determinism

/// The system's clock, set to another moment.
struct ShiftedTimeSource: TimeSource {
    private let system = SystemTimeSource()
    private let shift: Duration

    /// Shows `moment` now, and goes on from there.
    init(startingAt moment: Timestamp) {
        shift = .milliseconds(moment.milliseconds - SystemTimeSource().now().milliseconds)
    }

    func now() -> Timestamp { system.now().advanced(by: shift) }

    func reading() -> Duration { system.reading() }

    func offsetSeconds(at moment: Timestamp) -> Int { system.offsetSeconds(at: moment) }

    func sleep(for duration: Duration) async throws(CancellationError) { try await system.sleep(for: duration) }
}
