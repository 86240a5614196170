import Determinism
import Money
import Networking
import Storage
import TestDoubles
import Testing

@testable import Yosemite

/// The retired statistics of WordPress.com.
struct StatsStoreTests {
    private let session: SiteStoresBench
    private let day = CivilDate(year: 2018, month: 6, day: 8)

    init() throws { session = try SiteStoresBench(.dotcom) }

    private static func orders(_ rows: String) -> String {
        """
        {"date":"2018-06-08","unit":"day","quantity":"2","fields":["period","orders","products","coupons","currency",
         "gross_sales","net_sales","avg_order_value"],"data":[\(rows)],"total_gross_sales":446.35,
         "total_net_sales":"438.24","total_orders":9,"total_products":13,"avg_gross_sales":14.398387096774194,
         "avg_net_sales":14.13,"avg_orders":0.29,"avg_products":0.4}
        """
    }

    private func retrieveOrders(_ unit: StatsGranularity = .day, site: Int64 = 5) async throws -> OrderStats {
        try await session.value {
            StatsAction.retrieveOrderStats(
                siteID: site, granularity: unit, latest: day, quantity: 31, onCompletion: $0)
        }
    }

    @Test func `a table of orders is decoded exactly`() async throws {
        session.network.simulate(
            "wpcom/v2/sites/5/stats/orders",
            json: Self.orders(
                #"["2018-06-07",0,0,0,"USD",-2.06,-2.06,0],["2018-06-08",2,2,1,"USD",146.18,14.120000000000001,73.09]"#)
        )
        let stats = try await retrieveOrders()
        #expect(stats.totalOrders == 9)
        #expect(stats.avgGrossSales.description == "14.398387096774194")
        #expect(stats.items.map(\.period) == ["2018-06-07", "2018-06-08"])
        #expect(stats.items.map(\.netSales.description) == ["-2.06", "14.120000000000001"])
        #expect(stats.items.last?.currency == "USD")
        // Columns that are not there count nothing.
        #expect(stats.items.last?.totalRefund == .zero)
        #expect(try session.kept(OrderStats.self) == [stats])
        #expect(session.queries == ["unit=day&date=2018-06-08&quantity=31"])
    }

    @Test func `statistics are stored by site, unit, and last period`() async throws {
        session.network.simulate("stats/orders", json: Self.orders(#"["x",0,0,0,"USD",0,0,0]"#))
        for unit in [StatsGranularity.day, .week, .week, .month, .year] { _ = try await retrieveOrders(unit) }
        _ = try await retrieveOrders(.day, site: 6)
        #expect(
            try session.kept(OrderStats.self).map { "\($0.siteID) \($0.timeRange)" } == [
                "5 day 2018-06-08", "5 month 2018-06", "5 week 2018-W23", "5 year 2018", "6 day 2018-06-08",
            ])
        #expect(session.queries[1] == "unit=week&date=2018-W23&quantity=31")
        #expect(try session.rows(OrderStatsItemRecord.self) == 5)
    }

    @Test(arguments: [
        (#"["2018-06-08","two",2,1,"USD",1,1,1]"#, "data[0].orders", "a whole number"),
        (#"["a",0,0,0,"USD",0,0,0],["b",2,2,1,"USD",1,"much",1]"#, "data[1].net_sales", "a decimal number"),
    ])
    func `a cell that is not a number is an error with its path`(
        rows: String, path: String, expected: String
    ) async throws {
        session.network.simulate("stats/orders", json: Self.orders(rows))
        #expect(
            await session.failure(OrderStats.self) {
                StatsAction.retrieveOrderStats(
                    siteID: 5, granularity: .day, latest: day, quantity: 2, onCompletion: $0)
            } == .network(.undecodable(DecodingFailure(.invalid(expected), at: path))))
        #expect(try session.kept(OrderStats.self).isEmpty)
    }

    @Test func `visits and the top three products are fetched and stored`() async throws {
        session.network.simulate(
            "stats/visits/",
            json:
                #"{"date":"2018-06-08","unit":"week","fields":["period","visitors","views"],"data":[["2018W06W04",1,2]]}"#
        )
        session.network.simulate(
            "stats/top-earners/",
            json:
                #"{"date":"2018-W23","unit":"week","limit":"3","data":[{"ID":996,"name":"Hat","total":161.00,"quantity":5,"price":55.44,"image":"","currency":"USD"}]}"#
        )
        let visits: SiteVisitStats = try await session.value {
            StatsAction.retrieveSiteVisitStats(
                siteID: 5, granularity: .week, latest: day, quantity: 13, onCompletion: $0)
        }
        let earners: TopEarnerStats = try await session.value {
            StatsAction.retrieveTopEarnerStats(siteID: 5, granularity: .week, latest: day, onCompletion: $0)
        }
        #expect(visits.items.map(\.views) == [2])
        #expect(earners.data.map(\.total.description) == ["161.00"])
        #expect(
            session.queries == [
                "unit=week&date=2018-06-08&quantity=13&stat_fields=visitors,views", "unit=week&date=2018-W23&limit=3",
            ])
        #expect(try session.kept(SiteVisitStats.self).map(\.timeRange) == ["week 2018-W23"])
        #expect(try session.kept(TopEarnerStats.self).map(\.timeRange) == ["week 2018-W23"])
    }

    @Test func `the number of orders by status comes from the site's report`() async throws {
        session.network.simulate(
            "reports/orders/totals",
            json: #"{"data":[{"slug":"pending","name":"Pending","total":4},{"slug":"till","name":"Till","total":"2"}]}"#
        )
        for (status, count) in [(.pending, 4), (.custom("till"), 2)] as [(OrderStatusEnum, Int64)] {
            let total: Int64 = try await session.value {
                StatsAction.retrieveOrderTotals(siteID: 5, status: status, onCompletion: $0)
            }
            #expect(total == count)
        }
        #expect(
            await session.failure(Int64.self) {
                StatsAction.retrieveOrderTotals(siteID: 5, status: .failed, onCompletion: $0)
            } == .notFound(entity: "order status", id: "failed"))
    }

    @Test func `disabled statistics are a specific error`() async {
        session.network.simulate(
            "stats/orders",
            json: #"{"code":"invalid_blog","message":"Stats module is disabled","data":{"status":403}}"#,
            status: 403)
        #expect(
            await session.failure(OrderStats.self) {
                StatsAction.retrieveOrderStats(
                    siteID: 5, granularity: .day, latest: day, quantity: 2, onCompletion: $0)
            } == .statistics(.statsModuleDisabled))
    }

    @Test func `deleting statistics deletes the tables of both versions`() async throws {
        session.network.simulate("stats/orders", json: Self.orders(#"["x",0,0,0,"USD",0,0,0]"#))
        _ = try await retrieveOrders()
        _ = try await retrieveOrders(site: 6)
        try session.keep([
            SiteSummaryStats(siteID: 5, timeRange: "today", date: "d", period: .day, visitors: 1, views: 1)
        ])
        let _: Void = try await session.value { StatsAction.resetStoredStats(siteID: 5, onCompletion: $0) }
        #expect(try session.kept(OrderStats.self).map(\.siteID) == [6])
        #expect(try session.rows(OrderStatsItemRecord.self) == 1)
        #expect(try session.kept(SiteSummaryStats.self).isEmpty)
    }
}
