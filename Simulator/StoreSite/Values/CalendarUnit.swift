internal import Determinism

/// The spans that reports divide time into. Every span has a number, and the next one has the next number.
enum CalendarUnit: String, CaseIterable, Sendable {
    case hour, day, week, month, quarter, year

    /// The number of the span that a moment of the wall clock lies in. `seconds`: since 1970-01-01T00:00:00 on that
    /// clock.
    func index(of seconds: Int64) -> Int64 {
        let day = Self.floor(seconds, 86_400)
        let date = Timestamp(milliseconds: seconds * 1000).civil(offsetSeconds: 0)
        return switch self {
        case .hour: Self.floor(seconds, 3600)
        case .day: day
        // 1970-01-01 was a Thursday; weeks begin on Monday.
        case .week: Self.floor(day + 3, 7)
        case .month: Int64(date.year * 12 + date.month - 1)
        case .quarter: Int64(date.year * 4 + (date.month - 1) / 3)
        case .year: Int64(date.year)
        }
    }

    /// The first second of a span.
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

    /// What reports call a span: `2026-01-02 03`, `2026-01-02`, `2026-01`, `2026-1`, `2026`.
    func name(_ index: Int64) -> String {
        let date = Timestamp(milliseconds: start(index) * 1000).civil(offsetSeconds: 0)
        switch self {
        case .hour: return "\(WallDate.day(date)) \(WallDate.pad(date.hour))"
        case .day: return WallDate.day(date)
        case .week:
            let (year, week) = Self.week(index)
            return "\(year)-\(WallDate.pad(week))"
        case .month: return "\(WallDate.pad(date.year, 4))-\(WallDate.pad(date.month))"
        case .quarter: return "\(date.year)-\((date.month - 1) / 3 + 1)"
        case .year: return "\(date.year)"
        }
    }

    /// The number of a week in its year (ISO 8601): the week belongs to the year of its Thursday.
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
