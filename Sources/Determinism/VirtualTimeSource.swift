internal import Synchronization

/// A clock that moves only when somebody waits on it: waiting costs no real time and is repeatable.
public final class VirtualTimeSource: TimeSource {
    private let start: Timestamp
    // Not a Timestamp, so that waits of less than a millisecond add up.
    private let elapsed = Mutex(Duration.zero)
    private let offset: Int

    /// 2026-01-02T12:00:00Z, the moment at which a repeatable run begins.
    public static let standardStart = Timestamp(milliseconds: 1_767_355_200_000)

    /// - Parameters:
    ///   - start: the moment at which the clock stands at first.
    ///   - offsetSeconds: seconds east of UTC of the clock on the wall.
    public init(start: Timestamp = VirtualTimeSource.standardStart, offsetSeconds: Int = 0) {
        self.start = start
        offset = offsetSeconds
    }

    public func now() -> Timestamp { start.advanced(by: elapsed.withLock { $0 }) }

    public func offsetSeconds(at moment: Timestamp) -> Int { offset }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        advance(by: duration)
        // Others may have been waiting for this moment: let them run before the caller goes on.
        await Task.yield()
    }

    /// Moves the clock forward. A negative duration does not move it.
    public func advance(by duration: Duration) {
        guard duration > .zero else { return }
        elapsed.withLock { $0 += duration }
    }

    /// Moves the clock forward to `moment`; a moment in the past does not move it.
    public func advance(to moment: Timestamp) {
        elapsed.withLock { elapsed in
            guard start.advanced(by: elapsed) < moment else { return }
            elapsed = .milliseconds(moment.milliseconds) - .milliseconds(start.milliseconds)
        }
    }
}
