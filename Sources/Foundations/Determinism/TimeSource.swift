import Glibc
import Synchronization

/// The source of time and waits. Code reads the clock and sleeps only through it.
public protocol TimeSource: Sendable {
    /// Returns the current moment.
    func now() -> Timestamp

    /// Returns the reading of a monotonic clock. Only the difference between two readings is meaningful.
    func reading() -> Duration

    /// Returns the offset of local time at `moment`, in seconds east of UTC.
    func offsetSeconds(at moment: Timestamp) -> Int

    /// Waits for `duration`.
    ///
    /// - Throws: `CancellationError` when the task is canceled.
    func sleep(for duration: Duration) async throws(CancellationError)

    /// Returns how long the machine has been suspended since it started. The value never decreases.
    func timeAsleep() -> Duration
}

extension TimeSource {
    /// The current time, for a source whose clock is never set.
    public func reading() -> Duration { .milliseconds(now().milliseconds) }

    /// Zero, for a source without a machine.
    public func timeAsleep() -> Duration { .zero }

    /// Returns the time since a ``reading()``.
    public func elapsed(since start: Duration) -> Duration { max(.zero, reading() - start) }

    /// Returns the current local date and time.
    public func localDate() -> CivilDate {
        let moment = now()
        return moment.civil(offsetSeconds: offsetSeconds(at: moment))
    }
}

/// The machine's clock and time zone.
public struct SystemTimeSource: TimeSource {
    /// Reads the clock and the zone anew for each call.
    public init() {}

    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Returns the time since the machine started, including suspension.
    public func reading() -> Duration {
        Self.reading(CLOCK_BOOTTIME)
    }

    /// Returns the difference between CLOCK_BOOTTIME and CLOCK_MONOTONIC (clock_gettime(2)).
    public func timeAsleep() -> Duration {
        var asleep = Duration.zero
        // The clocks are read one after the other: a pause of the thread in between makes the difference too large.
        for _ in 0..<3 {
            let before = Self.reading(CLOCK_MONOTONIC)
            let boottime = Self.reading(CLOCK_BOOTTIME)
            let after = Self.reading(CLOCK_MONOTONIC)
            asleep = max(.zero, boottime - after)
            if after - before < .milliseconds(1) { break }
        }
        return asleep
    }

    private static func reading(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    public func offsetSeconds(at moment: Timestamp) -> Int {
        var seconds = time_t(moment.milliseconds / 1000)
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        do { try await Task.sleep(for: duration) } catch { throw CancellationError() }
    }
}

/// A clock that moves only when code waits on it: waits take no real time and are repeatable.
public final class VirtualTimeSource: TimeSource {
    private let start: Timestamp
    // Not a Timestamp, so that waits of less than a millisecond add up.
    private let elapsed = Mutex(Duration.zero)
    private let offset: Int

    /// 2026-01-02T12:00:00Z, the start of a repeatable run.
    public static let standardStart = Timestamp(milliseconds: 1_767_355_200_000)

    /// - Parameters:
    ///   - start: the first moment of the clock.
    ///   - offsetSeconds: the offset of local time, in seconds east of UTC.
    public init(start: Timestamp = VirtualTimeSource.standardStart, offsetSeconds: Int = 0) {
        self.start = start
        offset = offsetSeconds
    }

    public func now() -> Timestamp { start.advanced(by: elapsed.withLock { $0 }) }

    public func offsetSeconds(at moment: Timestamp) -> Int { offset }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        advance(by: duration)
        // Other tasks may wait for this moment: let them run before the caller continues.
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
