public import Determinism
public import Networking

/// A range of days that a store has statistics of. Days begin and end at midnight by the site's clock.
public enum StatsTimeRangeV4: Hashable, Sendable {
    /// By the hour.
    case today
    /// From Monday to Sunday (ISO 8601), by the day.
    case thisWeek
    /// By the day.
    case thisMonth
    /// By the month.
    case thisYear
    /// From a day to a day, both included. How fine it is depends on how long it is.
    case custom(from: CivilDate, to: CivilDate)

    /// The name under which its statistics are kept, for example `thisWeek`, `custom_2026-01-02_2026-01-31`.
    public var name: String {
        switch self {
        case .today: "today"
        case .thisWeek: "thisWeek"
        case .thisMonth: "thisMonth"
        case .thisYear: "thisYear"
        case .custom(let first, let last): "custom_\(first.dayText)_\(last.dayText)"
        }
    }

    /// The first and the last day. `now`: what the site's clock shows.
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

    /// What a report of this range is asked with. `now`: what the site's clock shows.
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
            // Where clocks are put back, a day has an hour more.
            case .hour: 25
            case .day: distance + 1
            // A week or a month of which one day is in the range counts.
            case .week: distance / 7 + 2
            case .month, .quarter: (last.year - first.year) * 12 + last.month - first.month + 1
            case .year: last.year - first.year + 1
            }
        return OrderStatsRemoteV4.Range(
            interval: interval, earliest: first, latest: last.endOfDay, quantity: min(quantity, PageRequest.largest),
            timeRange: name)
    }

    /// What visits of this range are asked with: WordPress.com counts nothing shorter than a day. `now`: what the site's
    /// clock shows.
    ///
    /// - Throws: ``SiteStatsStoreError/emptyRange(from:to:)``
    public func visits(
        at now: CivilDate
    ) throws(SiteStatsStoreError) -> (unit: StatsGranularity, latest: CivilDate, quantity: Int) {
        let report = try report(at: now)
        let unit = StatsGranularity(rawValue: report.interval.rawValue) ?? .day
        return unit == .hour ? (.day, report.latest, 1) : (unit, report.latest, report.quantity)
    }

    /// What the sum of the visits of this range is asked with. `now`: what the site's clock shows.
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

    /// `distance`: days from the first to the last.
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
