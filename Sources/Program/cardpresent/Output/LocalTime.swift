import Determinism
import Text

/// The zone in which people read times. Programs get times in UTC (`Timestamp.description`).
struct LocalTime: Sendable {
    /// The zone of `TZ`, or of this machine. It is read once.
    static let current = LocalTime(SystemTimeSource())

    private let offsetSeconds: @Sendable (Timestamp) -> Int

    /// - Parameter time: Knows the offset of local time at every moment.
    init(_ time: any TimeSource) { offsetSeconds = { time.offsetSeconds(at: $0) } }

    /// Returns the time to the minute, with its offset from UTC: `2026-01-02 13:00+01:00`, in UTC `2026-01-02 12:00Z`.
    func minute(_ moment: Timestamp) -> String { date(moment).prefix(16) + zone(moment) }

    /// Returns the time to the second: `2026-01-02 13:00:05+01:00`.
    func second(_ moment: Timestamp) -> String { date(moment).prefix(19) + zone(moment) }

    /// Returns the time to the millisecond, as in RFC 3339: `2026-01-02T13:00:05.678+01:00`.
    func millisecond(_ moment: Timestamp) -> String {
        shifted(moment).description.prefix(23) + zone(moment)
    }

    private func date(_ moment: Timestamp) -> String { shifted(moment).description.replacing("T", with: " ") }

    /// The moment at which a clock of UTC shows the local time.
    private func shifted(_ moment: Timestamp) -> Timestamp { moment.advanced(by: .seconds(offset(moment))) }

    /// The offset in seconds, in whole minutes: RFC 3339 has no seconds, which some zones had until 1972.
    private func offset(_ moment: Timestamp) -> Int { offsetSeconds(moment) / 60 * 60 }

    private func zone(_ moment: Timestamp) -> String {
        let minutes = offset(moment) / 60
        guard minutes != 0 else { return "Z" }
        let (hour, minute) = (abs(minutes) / 60, abs(minutes) % 60)
        return (minutes < 0 ? "-" : "+") + "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2))"
    }
}

extension Timestamp {
    /// The local time to the minute, with its zone.
    var minuteText: String { LocalTime.current.minute(self) }

    /// The local time to the second, with its zone.
    var secondText: String { LocalTime.current.second(self) }

    /// The local time to the millisecond, with its zone.
    var millisecondText: String { LocalTime.current.millisecond(self) }
}
