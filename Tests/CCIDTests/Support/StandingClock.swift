import Determinism

/// A clock that stands still: who waits on it waits until he is cancelled.
struct StandingClock: TimeSource {
    func now() -> Timestamp { VirtualTimeSource.standardStart }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw CancellationError()
    }
}
