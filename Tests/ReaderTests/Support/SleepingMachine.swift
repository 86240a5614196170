import Determinism
import Synchronization

/// The time of a machine that goes to sleep when a test says so.
final class SleepingMachine: TimeSource {
    private let time = SystemTimeSource()
    private let asleep = Mutex(Duration.zero)

    func now() -> Timestamp { time.now() }
    func reading() -> Duration { time.reading() }
    func offsetSeconds(at moment: Timestamp) -> Int { time.offsetSeconds(at: moment) }
    func sleep(for duration: Duration) async throws(CancellationError) { try await time.sleep(for: duration) }
    func timeAsleep() -> Duration { asleep.withLock { $0 } }

    func wakeUp(after duration: Duration) { asleep.withLock { $0 += duration } }
}
