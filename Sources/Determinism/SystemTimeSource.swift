internal import Glibc

/// The machine's own clock and time zone.
public struct SystemTimeSource: TimeSource {
    public init() {}

    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Time since the machine was started, sleep included.
    public func reading() -> Duration {
        Self.reading(CLOCK_BOOTTIME)
    }

    /// What CLOCK_BOOTTIME counts and CLOCK_MONOTONIC does not (clock_gettime(2)).
    public func timeAsleep() -> Duration {
        var asleep = Duration.zero
        // They are read one after the other: when the thread had to wait in between, the difference is too large.
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
