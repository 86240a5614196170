import Determinism
import Networking
import Testing

@testable import Yosemite

/// Which days, which interval and how many of them a range is asked with.
struct StatsTimeRangeTests {
    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    @Test(arguments: [
        (StatsTimeRangeV4.today, "2026-06-18T00:00:00", "2026-06-18T23:59:59", OrderStatsRemoteV4.Interval.hour, 25),
        (.thisWeek, "2026-06-15T00:00:00", "2026-06-21T23:59:59", .day, 7),
        (.thisMonth, "2026-06-01T00:00:00", "2026-06-30T23:59:59", .day, 30),
        (.thisYear, "2026-01-01T00:00:00", "2026-12-31T23:59:59", .month, 12),
    ])
    func `a range ends with its day, week, month or year`(
        range: StatsTimeRangeV4, earliest: String, latest: String, interval: OrderStatsRemoteV4.Interval, quantity: Int
    ) throws {
        let report = try range.report(at: try date("2026-06-18T14:30:00"))
        #expect(report.earliest.description == earliest)
        #expect(report.latest.description == latest)
        #expect(report.interval == interval)
        #expect(report.quantity == quantity)
        #expect(report.timeRange == range.name)
    }

    @Test(arguments: [
        ("2026-01-01", "2025-12-29", "2026-01-04"), ("2026-03-01", "2026-02-23", "2026-03-01"),
        ("2024-03-02", "2024-02-26", "2024-03-03"), ("2026-06-15", "2026-06-15", "2026-06-21"),
    ])
    func `a week can span months and years`(today: String, first: String, last: String) throws {
        let report = try StatsTimeRangeV4.thisWeek.report(at: try date(today))
        #expect([report.earliest.dayText, report.latest.dayText] == [first, last])
    }

    /// The last and the first day of each granularity.
    @Test(arguments: [
        (0, OrderStatsRemoteV4.Interval.hour, 25), (1, .day, 2), (28, .day, 29), (29, .week, 6), (90, .week, 14),
        (91, .month, 4), (1095, .month, 36), (1096, .year, 4),
    ])
    func `a longer custom range has coarser intervals`(
        days: Int, interval: OrderStatsRemoteV4.Interval, quantity: Int
    ) throws {
        let first = try date("2026-01-01")
        let range = StatsTimeRangeV4.custom(from: first, to: first.advanced(days: days))
        let report = try range.report(at: try date("2030-01-01"))
        #expect(report.interval == interval)
        #expect(report.quantity == quantity)
        #expect(report.earliest == first)
        #expect(report.latest == first.advanced(days: days).endOfDay)
    }

    @Test func `enough intervals are requested for any days of a range`() throws {
        for days in 0...1500 {
            for start in [20_000, 20_003, 20_029, 20_800] {
                let first = CivilDate(dayNumber: start)
                let last = first.advanced(days: days)
                let report = try StatsTimeRangeV4.custom(from: first, to: last).report(at: first)
                let touched: Int =
                    switch report.interval {
                    case .hour: 24
                    case .day: days + 1
                    case .week: (last.dayNumber + 3) / 7 - (first.dayNumber + 3) / 7 + 1
                    case .month, .quarter: (last.year * 12 + last.month) - (first.year * 12 + first.month) + 1
                    case .year: last.year - first.year + 1
                    }
                #expect(report.quantity >= touched && report.quantity <= PageRequest.largest)
            }
        }
    }

    @Test(arguments: [
        (StatsTimeRangeV4.today, StatsGranularity.day, 1), (.thisWeek, .day, 7), (.thisMonth, .day, 30),
        (.thisYear, .month, 12),
    ])
    func `the finest interval of visits is a day`(
        range: StatsTimeRangeV4, unit: Networking.StatsGranularity, quantity: Int
    ) throws {
        let visits = try range.visits(at: try date("2026-06-18T14:30:00"))
        #expect(visits.unit == unit)
        #expect(visits.quantity == quantity)
    }

    @Test func `each range has its own name`() throws {
        let range = StatsTimeRangeV4.custom(from: try date("2026-01-02"), to: try date("2026-01-31"))
        #expect(range.name == "custom_2026-01-02_2026-01-31")
        #expect(
            Set([StatsTimeRangeV4.today, .thisWeek, .thisMonth, .thisYear, range].map(\.name)).count == 5)
    }

    @Test(arguments: [
        ("2026-01-02", "2026-01-01"), ("0000-01-01", "2026-01-01"), ("2026-01-01", "10000-01-01"),
    ])
    func `an empty range is rejected`(first: String, last: String) throws {
        func year(_ text: String) -> CivilDate? {
            CivilDate(text) ?? CivilDate(year: text.hasPrefix("0000") ? 0 : 10_000, month: 1, day: 1)
        }
        let range = StatsTimeRangeV4.custom(from: try #require(year(first)), to: try #require(year(last)))
        #expect(throws: SiteStatsStoreError.emptyRange(from: first, to: last)) {
            try range.report(at: CivilDate(year: 2026, month: 1, day: 1))
        }
    }

    @Test(arguments: [
        (StatsGranularity.hour, "2018-06-08"), (.day, "2018-06-08"), (.week, "2018-W23"), (.month, "2018-06"),
        (.quarter, "2018-Q2"), (.year, "2018"),
    ])
    func `the old statistics name a period`(unit: Networking.StatsGranularity, name: String) {
        #expect(unit.period(of: CivilDate(year: 2018, month: 6, day: 8)) == name)
    }

    @Test func `a week is named by the year of its Thursday, with two digits`() {
        #expect(StatsGranularity.week.period(of: CivilDate(year: 2021, month: 1, day: 3)) == "2020-W53")
        #expect(StatsGranularity.week.period(of: CivilDate(year: 2018, month: 3, day: 1)) == "2018-W09")
    }
}
