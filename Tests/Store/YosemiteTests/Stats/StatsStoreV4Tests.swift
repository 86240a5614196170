import Determinism
import Money
import Networking
import Storage
import TestDoubles
import Testing

@testable import Yosemite

/// Statistics of WooCommerce Analytics and visits: what is asked, what is kept and under which name.
struct StatsStoreV4Tests {
    private static let berlin = TimeZoneRules(offsetSeconds: 7200)
    private let session: SiteStoresBench
    /// Of WordPress.com, which counts visits.
    private let dotcom: SiteStoresBench

    init() throws { (session, dotcom) = (try SiteStoresBench(), try SiteStoresBench(.dotcom)) }

    private static func revenue(_ total: String, intervals: [String] = ["2026-06-18"]) -> String {
        let totals = #"{"orders_count":3,"num_items_sold":5,"total_sales":\#(total),"net_revenue":"700.10"}"#
        let list = intervals.map { name in
            """
            {"interval":"\(name)","date_start":"\(name) 00:00:00","date_end":"\(name) 23:59:59","subtotals":\(totals)}
            """
        }
        return #"{"totals":\#(totals),"intervals":[\#(list.joined(separator: ","))]}"#
    }

    private func retrieve(
        _ range: StatsTimeRangeV4 = .today, site: Int64 = 5, zone: TimeZoneRules = StatsStoreV4Tests.berlin,
        forceRefresh: Bool = false
    ) async throws -> OrderStatsV4 {
        try await session.value {
            StatsActionV4.retrieveStats(
                siteID: site, timeRange: range, timeZone: zone, forceRefresh: forceRefresh, onCompletion: $0)
        }
    }

    private static let products = """
        [{"product_id":2,"items_sold":5,"net_revenue":177.5,"orders_count":5,"extended_info":{"name":"Hat","price":35.5}},
         {"product_id":1,"items_sold":1,"net_revenue":"9"}]
        """

    private static func visits(_ rows: String = #"["2026-06-17",3,2],["2026-06-18",5,4]"#) -> String {
        #"{"date":"2026-06-18","unit":"day","fields":["period","views","visitors"],"data":[\#(rows)]}"#
    }

    // MARK: Orders

    @Test func `days start at midnight in the site's time zone`() async throws {
        session.network.simulate("reports/revenue/stats", json: Self.revenue("800.10"))
        _ = try await retrieve()
        _ = try await retrieve(zone: TimeZoneRules(offsetSeconds: 3 * 3600))
        _ = try await retrieve(.thisWeek, zone: TimeZoneRules(offsetSeconds: -10 * 3600))
        let days = session.queries.map { query in
            query.split(separator: "&").filter { $0.hasPrefix("after=") || $0.hasPrefix("before=") }
        }
        // Half past eleven in the evening in Berlin is half past midnight, tomorrow, farther east.
        #expect(days[0] == ["after=2026-06-18T00:00:00", "before=2026-06-18T23:59:59"])
        #expect(days[1] == ["after=2026-06-19T00:00:00", "before=2026-06-19T23:59:59"])
        #expect(days[2] == ["after=2026-06-15T00:00:00", "before=2026-06-21T23:59:59"])
        #expect(session.queries[0].contains("interval=hour"))
        #expect(session.queries[2].contains("interval=day"))
        #expect(session.queries.allSatisfy { $0.contains("/wc-analytics/reports/revenue/stats") })
    }

    @Test func `amounts are stored exactly, by site and range`() async throws {
        session.network.simulate("reports/revenue/stats", json: Self.revenue("800.100000000000000001"))
        session.network.simulate("reports/revenue/stats", json: Self.revenue("12.30"))
        session.network.simulate("reports/revenue/stats", json: Self.revenue("7"))
        _ = try await retrieve()
        _ = try await retrieve(.thisWeek)
        _ = try await retrieve(site: 6)
        let kept = try session.kept(OrderStatsV4.self).map { "\($0.siteID) \($0.timeRange) \($0.totals.totalSales)" }
        #expect(kept == ["5 thisWeek 12.30", "5 today 800.100000000000000001", "6 today 7"])
        #expect(try session.kept(OrderStatsV4.self).first?.intervals.first?.dateEnd.hour == 23)
    }

    @Test func `intervals that are replaced are gone`() async throws {
        session.network.simulate(
            "reports/revenue/stats", json: Self.revenue("1", intervals: ["2026-06-16", "2026-06-17", "2026-06-18"]))
        session.network.simulate("reports/revenue/stats", json: Self.revenue("2", intervals: ["2026-06-18"]))
        _ = try await retrieve(.thisWeek)
        #expect(try session.rows(OrderStatsV4IntervalRecord.self) == 3)
        _ = try await retrieve(.thisWeek)
        #expect(try session.rows(OrderStatsV4IntervalRecord.self) == 1)
        #expect(try session.rows(OrderStatsV4Record.self) == 1)
        #expect(try session.kept(OrderStatsV4.self).first?.totals.totalSales.description == "2")
    }

    @Test func `stored statistics stay when there is no response`() async throws {
        session.network.simulate("reports/revenue/stats", json: Self.revenue("1"))
        session.refuse("reports/revenue/stats", status: 502)
        _ = try await retrieve()
        await #expect(throws: StoreError.self) { try await retrieve() }
        #expect(try session.kept(OrderStatsV4.self).count == 1)
    }

    @Test func `the store recalculates on request, also the bestsellers`() async throws {
        session.network.simulate("reports/revenue/stats", json: Self.revenue("1"))
        session.network.simulate("reports/products", json: Self.products)
        for forceRefresh in [true, false] {
            _ = try await retrieve(forceRefresh: forceRefresh)
            let _: TopEarnerStats = try await session.value {
                StatsActionV4.retrieveTopEarnerStats(
                    siteID: 5, timeRange: .today, timeZone: Self.berlin, quantity: 3, forceRefresh: forceRefresh,
                    onCompletion: $0)
            }
        }
        #expect(session.queries.map { $0.contains("force_cache_refresh=true") } == [true, true, false, false])
    }

    @Test func `statistics of custom dates are returned and not stored`() async throws {
        session.network.simulate("reports/revenue/stats", json: Self.revenue("5"))
        let range = OrderStatsRemoteV4.Range(
            interval: .quarter, earliest: CivilDate(year: 2025, month: 1, day: 1),
            latest: CivilDate(year: 2025, month: 12, day: 31), quantity: 4)
        let stats: OrderStatsV4 = try await session.value {
            StatsActionV4.retrieveCustomStats(siteID: 5, range: range, forceRefresh: true, onCompletion: $0)
        }
        #expect(stats.totals.totalSales.description == "5")
        #expect(session.queries[0].contains("interval=quarter"))
        #expect(session.queries[0].contains("force_cache_refresh=true"))
        #expect(try session.kept(OrderStatsV4.self).isEmpty)
    }

    // MARK: Products

    @Test(arguments: [true, false])
    func `bestsellers are stored by site and range on request`(isSaved: Bool) async throws {
        session.network.simulate("reports/products", json: Self.products)
        for (site, range) in [(5, .today), (5, .thisWeek), (6, .today)] as [(Int64, StatsTimeRangeV4)] {
            let stats: TopEarnerStats = try await session.value {
                StatsActionV4.retrieveTopEarnerStats(
                    siteID: site, timeRange: range, timeZone: Self.berlin, quantity: 3, saveInStorage: isSaved,
                    onCompletion: $0)
            }
            #expect(stats.data.map(\.id) == [2, 1])
            #expect(stats.data.map(\.total.description) == ["177.5", "9"])
            #expect(stats.data.map(\.name) == ["Hat", nil])
        }
        let kept = try session.kept(TopEarnerStats.self).map { "\($0.siteID) \($0.timeRange)" }
        #expect(kept == (isSaved ? ["5 thisWeek", "5 today", "6 today"] : []))
        #expect(session.queries[0].contains("per_page=3&orderby=items_sold&order=desc&extended_info=true"))
        // A second answer takes the place of the first one, with its products.
        #expect(try session.rows(TopEarnerStatsItemRecord.self) == (isSaved ? 6 : 0))
    }

    @Test func `bundles and gift cards are returned`() async throws {
        let range = try StatsTimeRangeV4.thisYear.report(at: CivilDate(year: 2026, month: 6, day: 18))
        session.network.simulate(
            "reports/bundles/stats",
            json: #"{"totals":{"items_sold":3,"net_revenue":"20.5","orders_count":2},"intervals":[]}"#)
        session.network.simulate("reports/bundles", json: Self.products)
        session.network.simulate(
            "reports/giftcards/used/stats",
            json:
                #"{"totals":{"giftcards_count":1,"used_amount":20,"refunded_amount":0,"net_amount":20},"intervals":[]}"#
        )
        let bundles: ProductBundleStats = try await session.value {
            StatsActionV4.retrieveProductBundleStats(siteID: 5, range: range, onCompletion: $0)
        }
        let best: ElementList<ProductsReportItem> = try await session.value {
            StatsActionV4.retrieveTopProductBundles(
                siteID: 5, timeRange: .thisYear, timeZone: .utc, quantity: 5, onCompletion: $0)
        }
        let cards: GiftCardStats = try await session.value {
            StatsActionV4.retrieveUsedGiftCardStats(siteID: 5, range: range, onCompletion: $0)
        }
        #expect(bundles.totals.netRevenue.description == "20.5")
        #expect(best.elements.map(\.productID) == [2, 1])
        #expect(cards.totals.usedAmount.description == "20")
    }

    // MARK: Visits

    @Test func `visits are stored by site and range`() async throws {
        dotcom.network.simulate("stats/visits/", json: Self.visits())
        for (site, range) in [(5, .thisWeek), (5, .thisMonth), (6, .thisWeek)] as [(Int64, StatsTimeRangeV4)] {
            let _: SiteVisitStats = try await dotcom.value {
                StatsActionV4.retrieveSiteVisitStats(
                    siteID: site, timeRange: range, timeZone: Self.berlin, onCompletion: $0)
            }
        }
        #expect(
            try dotcom.kept(SiteVisitStats.self).map { "\($0.siteID) \($0.timeRange) \($0.items.map(\.views))" } == [
                "5 thisMonth [3, 5]", "5 thisWeek [3, 5]", "6 thisWeek [3, 5]",
            ])
        #expect(dotcom.queries[0] == "unit=day&date=2026-06-21&quantity=7&stat_fields=visitors,views")
        #expect(dotcom.queries[1].hasPrefix("unit=day&date=2026-06-30&quantity=30"))
        #expect(try dotcom.rows(SiteVisitStatsItemRecord.self) == 6)
    }

    @Test func `an invalid number of visits is an error with its path`() async throws {
        dotcom.network.simulate("stats/visits/", json: Self.visits(#"["2026-06-17",3,2],["2026-06-18","many",4]"#))
        #expect(
            await dotcom.failure(SiteVisitStats.self) {
                StatsActionV4.retrieveSiteVisitStats(
                    siteID: 5, timeRange: .thisWeek, timeZone: Self.berlin, onCompletion: $0)
            } == .network(.undecodable(DecodingFailure(.invalid("a whole number"), at: "data[1].views"))))
        #expect(try dotcom.kept(SiteVisitStats.self).isEmpty)
    }

    @Test func `the visits of a whole week are one number, stored on request`() async throws {
        dotcom.network.simulate(
            "stats/summary/", json: #"{"date":"2026-06-21","period":"week","views":"30","visitors":20}"#)
        for (site, isSaved) in [(5, true), (6, false)] as [(Int64, Bool)] {
            let stats: SiteSummaryStats = try await dotcom.value {
                StatsActionV4.retrieveSiteSummaryStats(
                    siteID: site, timeRange: .thisWeek, timeZone: Self.berlin, saveInStorage: isSaved,
                    onCompletion: $0)
            }
            #expect([stats.views, stats.visitors] == [30, 20])
        }
        #expect(dotcom.queries[0] == "period=week&date=2026-06-21")
        #expect(try dotcom.kept(SiteSummaryStats.self).map { "\($0.siteID) \($0.timeRange)" } == ["5 thisWeek"])
    }

    @Test func `the visits of a custom range are added up and not stored`() async throws {
        dotcom.network.simulate("stats/visits/", json: Self.visits())
        let range = StatsTimeRangeV4.custom(
            from: CivilDate(year: 2026, month: 6, day: 17), to: CivilDate(year: 2026, month: 6, day: 18))
        let stats: SiteSummaryStats = try await dotcom.value {
            StatsActionV4.retrieveSiteSummaryStats(
                siteID: 5, timeRange: range, timeZone: Self.berlin, onCompletion: $0)
        }
        #expect([stats.views, stats.visitors] == [8, 6])
        #expect(dotcom.queries == ["unit=day&date=2026-06-18&quantity=2&stat_fields=visitors,views"])
        #expect(try dotcom.kept(SiteSummaryStats.self).isEmpty)
        #expect(try dotcom.kept(SiteVisitStats.self).isEmpty)
    }

    @Test func `a sum of visits does not overflow`() async throws {
        dotcom.network.simulate(
            "stats/visits/", json: Self.visits(#"["a",9223372036854775807,1],["b",9223372036854775807,1]"#))
        let range = StatsTimeRangeV4.custom(
            from: CivilDate(year: 2026, month: 6, day: 17), to: CivilDate(year: 2026, month: 6, day: 18))
        let stats: SiteSummaryStats = try await dotcom.value {
            StatsActionV4.retrieveSiteSummaryStats(siteID: 5, timeRange: range, timeZone: .utc, onCompletion: $0)
        }
        #expect(stats.views == .max)
    }

    // MARK: Errors

    @Test(arguments: [
        (
            #"{"error":"invalid_blog","message":"This blog does not have the Stats module enabled"}"#,
            SiteStatsStoreError.statsModuleDisabled
        ),
        (#"{"error":"unauthorized","message":"user cannot view stats"}"#, .noPermission),
        (#"{"error":"unknown_token","message":"Unknown Token"}"#, .jetpackNotConnected),
        (#"{"error":"rest_no_route","message":"No route was found"}"#, .analyticsDisabled),
    ])
    func `errors that a user can fix are specific`(answer: String, wanted: SiteStatsStoreError) async {
        dotcom.network.simulate("stats/visits/", json: answer, status: 403)
        dotcom.network.simulate("reports/revenue/stats", json: answer, status: 403)
        #expect(
            await dotcom.failure(SiteVisitStats.self) {
                StatsActionV4.retrieveSiteVisitStats(
                    siteID: 5, timeRange: .today, timeZone: .utc, onCompletion: $0)
            } == .statistics(wanted))
        #expect(
            await dotcom.failure(OrderStatsV4.self) {
                StatsActionV4.retrieveStats(siteID: 5, timeRange: .today, timeZone: .utc, onCompletion: $0)
            } == .statistics(wanted))
    }

    @Test func `other errors are unchanged`() async {
        session.network.simulate("reports/revenue/stats", error: .timedOut(host: "h", wasSent: true))
        #expect(
            await session.failure(OrderStatsV4.self) {
                StatsActionV4.retrieveStats(siteID: 5, timeRange: .today, timeZone: .utc, onCompletion: $0)
            } == .network(.timedOut(host: "h", wasSent: true)))
    }

    @Test func `an empty range is rejected before any request`() async throws {
        let range = StatsTimeRangeV4.custom(
            from: CivilDate(year: 2026, month: 6, day: 18), to: CivilDate(year: 2026, month: 6, day: 17))
        let wanted = StoreError.statistics(.emptyRange(from: "2026-06-18", to: "2026-06-17"))
        #expect(
            await session.failure(OrderStatsV4.self) {
                StatsActionV4.retrieveStats(siteID: 5, timeRange: range, timeZone: .utc, onCompletion: $0)
            } == wanted)
        #expect(
            await session.failure(TopEarnerStats.self) {
                StatsActionV4.retrieveTopEarnerStats(
                    siteID: 5, timeRange: range, timeZone: .utc, quantity: 1, onCompletion: $0)
            } == wanted)
        #expect(
            await session.failure(SiteSummaryStats.self) {
                StatsActionV4.retrieveSiteSummaryStats(siteID: 5, timeRange: range, timeZone: .utc, onCompletion: $0)
            } == wanted)
        #expect(session.network.requests.isEmpty)
    }

    // MARK: Forgetting

    @Test(arguments: [5, nil] as [Int64?])
    func `all statistics are deleted`(siteID: Int64?) async throws {
        for site in [5, 6] as [Int64] {
            try session.keep([
                SiteSummaryStats(siteID: site, timeRange: "today", date: "d", period: .day, visitors: 1, views: 1)
            ])
            try session.keep([
                SiteVisitStats(
                    siteID: site, timeRange: "today", date: "d", unit: .day,
                    items: [SiteVisitStatsItem(period: "d", visitors: 1, views: 1)])
            ])
            try session.keep([
                TopEarnerStats(
                    siteID: site, timeRange: "today", date: "d", unit: .day, limit: nil,
                    data: [
                        TopEarnerStatsItem(
                            id: 1, name: nil, total: .zero, quantity: .zero, price: nil, image: nil, currency: "")
                    ])
            ])
        }
        session.network.simulate("reports/revenue/stats", json: Self.revenue("1"))
        _ = try await retrieve(site: 5)
        _ = try await retrieve(site: 6)
        let _: Void = try await session.value { StatsActionV4.resetStoredStats(siteID: siteID, onCompletion: $0) }
        let left: [Int64] = siteID == nil ? [] : [6]
        #expect(try session.kept(OrderStatsV4.self).map(\.siteID) == left)
        #expect(try session.kept(SiteVisitStats.self).map(\.siteID) == left)
        #expect(try session.kept(SiteSummaryStats.self).map(\.siteID) == left)
        #expect(try session.kept(TopEarnerStats.self).map(\.siteID) == left)
        #expect(try session.rows(OrderStatsV4IntervalRecord.self) == left.count)
        #expect(try session.rows(SiteVisitStatsItemRecord.self) == left.count)
        #expect(try session.rows(TopEarnerStatsItemRecord.self) == left.count)
    }
}
