/// The daylight saving rule of every year in the POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1-2017 §8.3, and
/// RFC 9636 §3.3.1 for hours beyond a day).
struct YearlyTimeZoneRule: Hashable, Sendable {
    /// A day of the year and a time of that day.
    struct Day: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            /// 1...365; February 29 is never counted.
            case julian(Int)
            /// 0...365; February 29 is counted.
            case fromZero(Int)
            /// The week is 1...5, with 5 for the last one; weekday 0 is Sunday.
            case month(Int, week: Int, weekday: Int)
        }

        let kind: Kind
        /// Seconds after midnight, in local time before the change.
        let time: Int

        /// Returns the seconds since the epoch, in local time before the change.
        func second(of year: Int) -> Int64 {
            let firstOfJanuary = CivilDate(year: year, month: 1, day: 1).dayNumber
            let day: Int
            switch kind {
            case .fromZero(let number): day = firstOfJanuary + number
            case .julian(let number):
                let isLeap = CivilDate.days(in: 2, of: year) == 29
                day = firstOfJanuary + number - 1 + (isLeap && number >= 60 ? 1 : 0)
            case .month(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1)
                // Sunday is 7 in ISO 8601 and 0 in POSIX.
                let firstFitting = (weekday - first.weekday % 7 + 7) % 7
                let wanted = firstFitting + (week - 1) * 7
                day = first.dayNumber + (wanted < first.daysInMonth ? wanted : wanted - 7)
            }
            return Int64(day) * 86_400 + Int64(time)
        }
    }

    struct Daylight: Hashable, Sendable {
        let offset: Int
        let start: Day
        let end: Day
    }

    /// The valid offsets, in seconds.
    static let offsets = -89_999...93_599

    let standard: Int
    let daylight: Daylight?

    /// Reads a rule. Nil when the text is malformed.
    init?(_ text: String) {
        var reader = YearlyTimeZoneRuleReader(text)
        guard reader.name(), let standard = reader.offset() else { return nil }
        self.standard = standard
        guard !reader.isAtEnd else {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        let offset = reader.isAtComma ? standard + 3600 : reader.offset()
        guard let offset, let start = reader.day(), let end = reader.day(), reader.isAtEnd else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    /// Returns the offset at a moment in seconds since the epoch.
    func offset(at second: Int64) -> Int {
        guard let daylight else { return standard }
        let (milliseconds, isTooFar) = second.multipliedReportingOverflow(by: 1000)
        guard !isTooFar else { return standard }
        let year = Timestamp(milliseconds: milliseconds).civil(offsetSeconds: standard).year
        let start = daylight.start.second(of: year) - Int64(standard)
        let end = daylight.end.second(of: year) - Int64(daylight.offset)
        // In the southern hemisphere the year begins in summer.
        let isDaylight = start < end ? start <= second && second < end : !(end <= second && second < start)
        return isDaylight ? daylight.offset : standard
    }
}

/// Reads the parts of a rule.
private struct YearlyTimeZoneRuleReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var isAtComma: Bool { rest.first == UInt8(ascii: ",") }

    /// Skips a name: letters, or any text between `<` and `>`.
    mutating func name() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let letters = rest.prefix { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    /// Returns seconds east of UTC; POSIX counts hours west of it.
    mutating func offset() -> Int? {
        time(hours: 0...24).map { -$0 }.flatMap { YearlyTimeZoneRule.offsets.contains($0) ? $0 : nil }
    }

    /// `,M3.5.0/2`, `,J60`, `,59`
    mutating func day() -> YearlyTimeZoneRule.Day? {
        guard take(",") else { return nil }
        let kind: YearlyTimeZoneRule.Day.Kind
        if take("M") {
            guard let month = number(in: 1...12), take("."), let week = number(in: 1...5), take("."),
                let weekday = number(in: 0...6)
            else { return nil }
            kind = .month(month, week: week, weekday: weekday)
        } else if take("J") {
            guard let number = number(in: 1...365) else { return nil }
            kind = .julian(number)
        } else {
            guard let number = number(in: 0...365) else { return nil }
            kind = .fromZero(number)
        }
        guard take("/") else { return YearlyTimeZoneRule.Day(kind: kind, time: 7200) }
        return time(hours: 0...167).map { YearlyTimeZoneRule.Day(kind: kind, time: $0) }
    }

    /// `2`, `-2`, `02:30:15`, in seconds.
    private mutating func time(hours: ClosedRange<Int>) -> Int? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hour = number(in: hours) else { return nil }
        var seconds = hour * 3600
        for unit in [60, 1] where take(":") {
            guard let part = number(in: 0...59) else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func number(in range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, digits.count <= 3 else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return range.contains(value) ? value : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
