import Determinism
import Synchronization

/// The time of a machine that can be put to sleep.
final class SleepingClock: TimeSource {
    private let base = VirtualTimeSource()
    private let asleep = Mutex(Duration.zero)

    func now() -> Timestamp { base.now() }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }
    func sleep(for duration: Duration) async throws(CancellationError) { try await base.sleep(for: duration) }
    func timeAsleep() -> Duration { asleep.withLock { $0 } }

    func suspend(for duration: Duration) {
        asleep.withLock { $0 += duration }
        base.advance(by: duration)
    }
}
