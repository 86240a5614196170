/// Recognizes that the machine was suspended. The bus then had no power or was not polled, so the cards may have been
/// off or replaced, a transfer may have been lost with its data toggle (USB 2.0 §8.6), and no notification arrived.
///
/// All values are readings of the time that the machine has been suspended since it started.
struct SleepTracker {
    /// Shorter than any suspend, and longer than the difference between two clocks that are read one after the other.
    static let shortestSleep = Duration.milliseconds(250)

    /// The reading at the last check.
    private var noticed: Duration
    /// The reading at which the reader last answered.
    private var survived: Duration
    /// The reading at which a read of notifications ended as if the device were gone; nil once the reader answered.
    private var lost: Duration?

    init(_ timeAsleep: Duration) { (noticed, survived) = (timeAsleep, timeAsleep) }

    /// Returns whether the machine slept since the last check.
    mutating func check(_ timeAsleep: Duration) -> Bool {
        guard timeAsleep - noticed >= Self.shortestSleep else { return false }
        noticed = timeAsleep
        return true
    }

    /// Notes that the reader works after the suspend that ``check(_:)`` found.
    mutating func noteRecovery() { survived = noticed }

    /// Notes that the reader answered.
    mutating func noteAnswer() { lost = nil }

    /// Notes that a read of notifications failed as if the device were gone. A suspend of the machine ends a read so
    /// (-ESHUTDOWN), too; but when the device is gone, the next read fails at once.
    ///
    /// - Returns: whether the device is gone.
    mutating func isGone(afterLossAt timeAsleep: Duration) -> Bool {
        guard lost == timeAsleep else {
            lost = timeAsleep
            return false
        }
        return true
    }

    /// Returns whether the machine slept between the reader's last answer and its end.
    func endedBySleep(_ timeAsleep: Duration) -> Bool { timeAsleep - survived >= Self.shortestSleep }
}
