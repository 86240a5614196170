public import Determinism
import Text

/// The dates and times of fields.
public enum MessageDates {
    /// Returns field 7: MMDDhhmmss of the transmission, in UTC.
    public static func transmission(_ time: Timestamp) -> String {
        let date = time.civil(offsetSeconds: 0)
        return two(date.month) + two(date.day) + clock(date)
    }

    /// Reads field 7, which has no year: the time is the one nearest to now, so that a December that is answered in
    /// January gets the year before.
    ///
    /// - Returns: nil when the digits are no date.
    public static func transmission(_ text: String, near now: Timestamp) -> Timestamp? {
        guard let parts = parts(text, [2, 2, 2, 2, 2]) else { return nil }
        let year = now.civil(offsetSeconds: 0).year
        let times = (year - 1...year + 1).compactMap { year in
            date(year, parts[0], parts[1], parts[2], parts[3], parts[4]).map { Timestamp($0) }
        }
        return times.min {
            abs($0.milliseconds - now.milliseconds) < abs($1.milliseconds - now.milliseconds)
        }
    }

    /// The fields of a local date: 12, and 13 in 1987.
    public struct LocalTime: Hashable, Sendable {
        /// hhmmss in 1987, YYMMDDhhmmss in 1993, YYYYMMDDhhmmss in 2003.
        public var field12: String
        /// MMDD in 1987; nil later.
        public var field13: String?

        public init(field12: String, field13: String? = nil) { (self.field12, self.field13) = (field12, field13) }
    }

    /// Returns the fields of a local date.
    public static func local(_ date: CivilDate, _ version: MessageVersion) -> LocalTime {
        let day = two(date.month) + two(date.day)
        return switch version {
        case .v1987: LocalTime(field12: clock(date), field13: day)
        case .v1993: LocalTime(field12: two(date.year % 100) + day + clock(date))
        case .v2003: LocalTime(field12: date.year.zeroPadded(to: 4) + day + clock(date))
        }
    }

    /// Reads the fields of a local date. Where the year is missing or has two digits, it is the one nearest to `now`.
    ///
    /// - Returns: nil when the digits are no date.
    public static func local(_ time: LocalTime, _ version: MessageVersion, near now: CivilDate) -> CivilDate? {
        switch version {
        case .v1987:
            guard let clock = parts(time.field12, [2, 2, 2]), let day = time.field13.flatMap({ parts($0, [2, 2]) })
            else { return nil }
            return nearest(
                (now.year - 1...now.year + 1).compactMap { date($0, day[0], day[1], clock[0], clock[1], clock[2]) }, now
            )
        case .v1993:
            guard let part = parts(time.field12, [2, 2, 2, 2, 2, 2]) else { return nil }
            let century = now.year / 100 * 100
            return nearest(
                [century - 100, century, century + 100].compactMap {
                    date($0 + part[0], part[1], part[2], part[3], part[4], part[5])
                }, now)
        case .v2003:
            guard let part = parts(time.field12, [4, 2, 2, 2, 2, 2]) else { return nil }
            return date(part[0], part[1], part[2], part[3], part[4], part[5])
        }
    }

    private static func nearest(_ dates: [CivilDate], _ now: CivilDate) -> CivilDate? {
        dates.min { abs($0.dayNumber - now.dayNumber) < abs($1.dayNumber - now.dayNumber) }
    }

    /// Reads numbers of so many digits each, which are the whole text.
    static func parts(_ text: String, _ lengths: [Int]) -> [Int]? {
        let digits = Array(text.utf8)
        guard digits.count == lengths.reduce(0, +), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        var (numbers, start): ([Int], Int) = ([], 0)
        for length in lengths {
            numbers.append(digits[start..<start + length].reduce(0) { $0 * 10 + Int($1 & 0xF) })
            start += length
        }
        return numbers
    }

    static func date(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) -> CivilDate? {
        guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
            (0...59).contains(second), day >= 1, day <= CivilDate(year: year, month: month, day: 1).daysInMonth
        else { return nil }
        return CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func two(_ number: Int) -> String { number.zeroPadded(to: 2) }
    private static func clock(_ date: CivilDate) -> String { two(date.hour) + two(date.minute) + two(date.second) }
}
