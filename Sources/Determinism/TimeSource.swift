/// Where a program gets the time from, and what it waits on. Nothing else reads a clock or sleeps.
public protocol TimeSource: Sendable {
    /// The moment that it is now.
    func now() -> Timestamp

    /// A reading of a clock that nobody sets: only the difference of two readings means anything.
    func reading() -> Duration

    /// Seconds east of UTC of the clock on the wall at `moment`.
    func offsetSeconds(at moment: Timestamp) -> Int

    /// Waits. Returns early, with an error, only when the task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)

    /// How long the machine has been suspended since it was started, whatever it was doing meanwhile. It only grows.
    func timeAsleep() -> Duration
}

extension TimeSource {
    /// The time itself, for a source that nobody sets while it is used.
    public func reading() -> Duration { .milliseconds(now().milliseconds) }

    /// A source without a machine under it never sleeps.
    public func timeAsleep() -> Duration { .zero }

    /// The time that has passed since a ``reading()``.
    public func elapsed(since start: Duration) -> Duration { max(.zero, reading() - start) }

    /// The date and time that a clock on the wall shows now.
    public func localDate() -> CivilDate {
        let moment = now()
        return moment.civil(offsetSeconds: offsetSeconds(at: moment))
    }
}
