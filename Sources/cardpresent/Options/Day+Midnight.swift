internal import Determinism

extension Day {
    /// The moment at which the day begins by this machine's clock.
    var beginning: Timestamp { Self.midnight(date) }

    /// The moment at which the next day begins.
    var end: Timestamp { Self.midnight(date.advanced(days: 1)) }

    /// Where clocks change at midnight, the offset after the change counts.
    private static func midnight(_ day: CivilDate, time: any TimeSource = SystemTimeSource()) -> Timestamp {
        let utc = Timestamp(day)
        func local(_ offset: Int) -> Timestamp { utc.advanced(by: .seconds(-offset)) }
        return local(time.offsetSeconds(at: local(time.offsetSeconds(at: utc))))
    }
}
