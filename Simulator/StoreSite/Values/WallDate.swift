internal import Determinism

/// Dates as WordPress writes them: without a zone.
enum WallDate {
    /// `2026-01-02T03:04:05`
    static func text(_ moment: Timestamp, offsetSeconds: Int = 0) -> String {
        let date = moment.civil(offsetSeconds: offsetSeconds)
        return "\(day(date))T\(time(date))"
    }

    /// `2026-01-02 03:04:05`
    static func spacedText(_ date: CivilDate) -> String { "\(day(date)) \(time(date))" }

    /// `2026-01-02`
    static func day(_ date: CivilDate) -> String { "\(pad(date.year, 4))-\(pad(date.month))-\(pad(date.day))" }

    /// `03:04:05`
    static func time(_ date: CivilDate) -> String { "\(pad(date.hour)):\(pad(date.minute)):\(pad(date.second))" }

    static func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}
