import Determinism
import Text

/// The intervals of reports. Intervals are numbered consecutively.
enum CalendarUnit: String, CaseIterable, Sendable {
    case hour, day, week, month, quarter, year

    /// Returns the number of the interval that contains a local time. `seconds` counts from 1970-01-01T00:00:00 local
    /// time.
    func index(of seconds: Int64) -> Int64 {
        let day = Self.floor(seconds, 86_400)
        let date = Timestamp(milliseconds: seconds * 1000).civil(offsetSeconds: 0)
        return switch self {
        case .hour: Self.floor(seconds, 3600)
        case .day: day
        // 1970-01-01 was a Thursday; weeks start on Monday.
        case .week: Self.floor(day + 3, 7)
        case .month: Int64(date.year * 12 + date.month - 1)
        case .quarter: Int64(date.year * 4 + (date.month - 1) / 3)
        case .year: Int64(date.year)
        }
    }

    /// Returns the first second of an interval.
    func start(_ index: Int64) -> Int64 {
        switch self {
        case .hour: index * 3600
        case .day: index * 86_400
        case .week: (index * 7 - 3) * 86_400
        case .month: Self.firstDay(year: Self.floor(index, 12), month: Int(index - Self.floor(index, 12) * 12) + 1)
        case .quarter: Self.firstDay(year: Self.floor(index, 4), month: Int(index - Self.floor(index, 4) * 4) * 3 + 1)
        case .year: Self.firstDay(year: index, month: 1)
        }
    }

    /// Returns the name of an interval in reports: `2026-01-02 03`, `2026-01-02`, `2026-01`, `2026-1`, `2026`.
    func name(_ index: Int64) -> String {
        let date = Timestamp(milliseconds: start(index) * 1000).civil(offsetSeconds: 0)
        switch self {
        case .hour: return "\(WordPressDate.day(date)) \(date.hour.zeroPadded(to: 2))"
        case .day: return WordPressDate.day(date)
        case .week:
            let (year, week) = Self.week(index)
            return "\(year)-\(week.zeroPadded(to: 2))"
        case .month: return "\(date.year.zeroPadded(to: 4))-\(date.month.zeroPadded(to: 2))"
        case .quarter: return "\(date.year)-\((date.month - 1) / 3 + 1)"
        case .year: return "\(date.year)"
        }
    }

    /// Returns the number of a week in its year (ISO 8601); a week belongs to the year of its Thursday.
    static func week(_ index: Int64) -> (year: Int, week: Int) {
        let thursday = index * 7
        let year = Timestamp(milliseconds: thursday * 86_400_000).civil(offsetSeconds: 0).year
        let first = floor(firstDay(year: Int64(year), month: 1), 86_400)
        return (year, Int((thursday - first) / 7) + 1)
    }

    private static func firstDay(year: Int64, month: Int) -> Int64 {
        floor(Timestamp(CivilDate(year: Int(year), month: month, day: 1)).milliseconds, 1000)
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}

/// Dates in WordPress's formats, without a zone.
enum WordPressDate {
    /// `2026-01-02T03:04:05`
    static func text(_ moment: Timestamp, offsetSeconds: Int = 0) -> String {
        let date = moment.civil(offsetSeconds: offsetSeconds)
        return "\(day(date))T\(time(date))"
    }

    /// `2026-01-02 03:04:05`
    static func spacedText(_ date: CivilDate) -> String { "\(day(date)) \(time(date))" }

    /// `2026-01-02`
    static func day(_ date: CivilDate) -> String { date.dayText }

    /// `03:04:05`
    static func time(_ date: CivilDate) -> String { date.timeText }
}
