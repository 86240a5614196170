/// Where a program gets the time from, and what it waits on. Nothing else reads a clock or sleeps.
public protocol TimeSource: Sendable {
    /// The moment that it is now.
    func now() -> Timestamp

    /// Seconds east of UTC of the clock on the wall at `moment`.
    func offsetSeconds(at moment: Timestamp) -> Int

    /// Waits. Returns early, with an error, only when the task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)
}

extension TimeSource {
    /// The date and time that a clock on the wall shows now.
    public func localDate() -> CivilDate {
        let moment = now()
        return moment.civil(offsetSeconds: offsetSeconds(at: moment))
    }
}
