import Determinism

/// Time that never goes on: who sleeps does so until the task is cancelled.
struct StoppedTimeSource: TimeSource {
    func now() -> Timestamp { VirtualTimeSource.standardStart }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        do { try await Task.sleep(for: .seconds(86_400)) } catch { throw CancellationError() }
    }
}
