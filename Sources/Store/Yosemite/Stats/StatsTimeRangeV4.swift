public import Determinism
public import Networking

/// A range of days for statistics. Days begin and end at midnight in the site's time zone.
public enum StatsTimeRangeV4: Hashable, Sendable {
    /// Today, by the hour.
    case today
    /// Monday to Sunday (ISO 8601), by the day.
    case thisWeek
    /// This month, by the day.
    case thisMonth
    /// This year, by the month.
    case thisYear
    /// From one day to another, both included. The interval depends on the number of days.
    case custom(from: CivilDate, to: CivilDate)

    /// The name in the database, for example `thisWeek`, `custom_2026-01-02_2026-01-31`.
    public var name: String {
        switch self {
        case .today: "today"
        case .thisWeek: "thisWeek"
        case .thisMonth: "thisMonth"
        case .thisYear: "thisYear"
        case .custom(let first, let last): "custom_\(first.dayText)_\(last.dayText)"
        }
    }

    /// Returns the first and the last day. `now` is in the site's time zone.
    ///
    /// - Throws: ``SiteStatsStoreError/emptyRange(from:to:)``
    func days(at now: CivilDate) throws(SiteStatsStoreError) -> (first: CivilDate, last: CivilDate) {
        let today = now.startOfDay
        switch self {
        case .today: return (today, today)
        case .thisWeek:
            let monday = today.advanced(days: 1 - today.weekday)
            return (monday, monday.advanced(days: 6))
        case .thisMonth:
            let first = CivilDate(year: today.year, month: today.month, day: 1)
            return (first, first.advanced(days: first.daysInMonth - 1))
        case .thisYear:
            return (CivilDate(year: today.year, month: 1, day: 1), CivilDate(year: today.year, month: 12, day: 31))
        case .custom(let first, let last):
            guard (1...9999).contains(first.year), (1...9999).contains(last.year), first.dayNumber <= last.dayNumber
            else { throw .emptyRange(from: first.dayText, to: last.dayText) }
            return (first.startOfDay, last.startOfDay)
        }
    }

    /// Returns the range as a parameter of a report. `now` is in the site's time zone.
    ///
    /// - Throws: ``SiteStatsStoreError/emptyRange(from:to:)``
    public func report(at now: CivilDate) throws(SiteStatsStoreError) -> OrderStatsRemoteV4.Range {
        let (first, last) = try days(at: now)
        let distance = last.dayNumber - first.dayNumber
        let interval: OrderStatsRemoteV4.Interval =
            switch self {
            case .today: .hour
            case .thisWeek, .thisMonth: .day
            case .thisYear: .month
            case .custom: Self.interval(of: distance)
            }
        let quantity =
            switch interval {
            // The day on which summer time ends has 25 hours.
            case .hour: 25
            case .day: distance + 1
            // A partial week or month counts.
            case .week: distance / 7 + 2
            case .month, .quarter: (last.year - first.year) * 12 + last.month - first.month + 1
            case .year: last.year - first.year + 1
            }
        return OrderStatsRemoteV4.Range(
            interval: interval, earliest: first, latest: last.endOfDay, quantity: min(quantity, PageRequest.largest),
            timeRange: name)
    }

    /// Returns the range as a parameter of a visits request. WordPress.com counts visits by the day or longer. `now` is
    /// in the site's time zone.
    ///
    /// - Throws: ``SiteStatsStoreError/emptyRange(from:to:)``
    public func visits(
        at now: CivilDate
    ) throws(SiteStatsStoreError) -> (unit: StatsGranularity, latest: CivilDate, quantity: Int) {
        let report = try report(at: now)
        let unit = StatsGranularity(rawValue: report.interval.rawValue) ?? .day
        return unit == .hour ? (.day, report.latest, 1) : (unit, report.latest, report.quantity)
    }

    /// Returns the range as a parameter of a visit summary. `now` is in the site's time zone.
    ///
    /// - Throws: ``SiteStatsStoreError/emptyRange(from:to:)``
    func summary(
        at now: CivilDate
    ) throws(SiteStatsStoreError) -> (period: StatsGranularity, latest: CivilDate, quantity: Int) {
        let (first, last) = try days(at: now)
        return switch self {
        case .today: (.day, last, 1)
        case .thisWeek: (.week, last, 1)
        case .thisMonth: (.month, last, 1)
        case .thisYear: (.year, last, 1)
        case .custom: (.day, last, last.dayNumber - first.dayNumber + 1)
        }
    }

    /// `distance`: the number of days from the first to the last.
    private static func interval(of distance: Int) -> OrderStatsRemoteV4.Interval {
        switch distance {
        case ...0: .hour
        case 1...28: .day
        case 29...90: .week
        case 91...1095: .month
        default: .year
        }
    }
}
