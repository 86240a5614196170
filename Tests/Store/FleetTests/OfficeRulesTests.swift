import Determinism
import Money
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// What a report must not leave out, and what must not look right.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct OfficeRulesTests {
    /// Two names that are one to people, and two to a database.
    private static let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")

    @Test func `lanes whose names look the same are both in report and settlement`() async throws {
        let bench = try await FleetBench()
        for (name, amount) in [("till 1", 100), ("till 2", 200)] {
            let lane = try await bench.lane(name)
            try lane.pay(Int64(amount))
            try await bench.ship(lane)
        }
        // Names as an office before step 6 took them.
        for (name, old) in [(Self.composed, "till 1"), (Self.decomposed, "till 2")] {
            for (table, column) in [("lane", "name"), ("attempt", "lane_name")] {
                _ = try await bench.office.run(
                    Statement("UPDATE fleet.\(table) SET \(column) = $1 WHERE \(column) = $2", .text(name), .text(old)))
            }
        }
        #expect(try await bench.sums() == [2, 300, 0, 0])
        let totals = try await bench.office.totals()
        #expect(totals.count == 2)
        let settlement = try Settlement(Settlement(totals).text)
        #expect(settlement.totals == totals)
        #expect(try await bench.office.reconcile(settlement).differences.isEmpty)
        let one = settlement.totals.filter { $0.value.salesAmount == 100 }
        #expect(try await bench.office.reconcile(Settlement(one)).differences.map(\.kind) == [.notSettled])
    }

    @Test func `a lane has its name in one form, however it is typed`() async throws {
        let bench = try await FleetBench()
        _ = try await bench.lane(Self.decomposed)
        let name = try #require(try await bench.office.lanes().first).name
        #expect(Array(name.utf8) == Array(Self.composed.utf8))
        let new = try TestLane()
        try await bench.enroll(new, as: Self.composed)
        #expect(try await bench.office.lanes().filter { !$0.isRetired }.count == 1)
    }

    @Test(arguments: ["", " ", "\t \n", String(repeating: "x", count: 101)])
    func `a blank or a long name of a lane is refused`(_ name: String) async throws {
        let bench = try await FleetBench()
        #expect(
            await failure { try await bench.office.invite(name, of: "harbor", token: "t", hours: 1) } == .malformedName)
        #expect(await failure { try await bench.office.addShop("No Shop", timeZone: nil) } == .malformedName)
    }

    @Test func `a shop that is not there, or that the login may not see, is an error and not an empty list`()
        async throws
    {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        let settlement = Settlement(try await bench.office.totals())
        let clerk = try bench.office(of: try await bench.login(.clerk, in: "hill"))
        for (office, shop) in [(bench.office, "harbour"), (clerk, "harbor"), (clerk, "nowhere")] {
            #expect(await failure { _ = try await office.lanes(of: shop) } == .noSuchShop)
            #expect(await failure { _ = try await office.report(of: shop) } == .noSuchShop)
            #expect(await failure { _ = try await office.reconcile(settlement, of: shop) } == .noSuchShop)
            let filter = OfficePaymentFilter(shop: shop)
            #expect(await failure { _ = try await office.payments(matching: filter) } == .noSuchShop)
        }
        #expect(await failure { _ = try await bench.office.events(of: "harbour", limit: 1) } == .noSuchShop)
        #expect(try await clerk.lanes(of: "hill").isEmpty)
    }

    @Test func `a settlement of which no line is compared is an error, and ignored lines are counted`() async throws {
        let bench = try await FleetBench()
        for shop in ["harbor", "hill"] {
            let lane = try await bench.lane(of: shop)
            try lane.pay(100)
            try await bench.ship(lane)
        }
        let settlement = Settlement(try await bench.office.totals())
        let old = await failure {
            _ = try await bench.office.reconcile(settlement, since: "2001-01-01", until: "2001-12-31")
        }
        #expect(old == .nothingCompared(lines: 2))
        let other = Settlement(settlement.totals.filter { $0.key.shop == "hill" })
        #expect(
            await failure { _ = try await bench.office.reconcile(other, of: "harbor") } == .nothingCompared(lines: 1))
        let result = try await bench.office.reconcile(
            settlement, of: "harbor", since: "2000-01-01", until: "2999-01-01")
        #expect((result.ignored, result.compared) == (1, 1))
        #expect(result.differences.isEmpty)
    }

    @Test(arguments: ["0000-01-01", "2026-02-30", "x"])
    func `a day that the server has not is a typed error`(_ day: String) async throws {
        let bench = try await FleetBench()
        #expect(await failure { _ = try await bench.office.report(since: day) } == .malformedDay)
        let filter = OfficePaymentFilter(day: day)
        #expect(await failure { _ = try await bench.office.payments(matching: filter) } == .malformedDay)
        let text = Settlement.headings.joined(separator: ",") + "\nharbor,till 1,\(day),visa,USD,1,1.00,0,0\n"
        #expect(throws: FleetError.self) { try Settlement(text) }
    }

    @Test func `a clock that is days ahead gives no payment a day to come`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane("till 1", of: "hill")
        try lane.pay(100, at: FleetBench.time.now().advanced(by: .seconds(86_400 * 9)))
        // Its clock is right again when it ships.
        try await bench.ship(lane)
        let day = FleetBench.time.now().civil(offsetSeconds: 0).dayText
        let days = try await bench.office.totals().keys.map(\.day)
        #expect(days.allSatisfy { $0 <= day })
    }

    @Test func `a lane that gets another name keeps the earlier one for what it captured before`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        let before = try await bench.office.totals()
        // As captured before step 6.
        _ = try await bench.office.run(Statement("UPDATE fleet.attempt SET lane_name = NULL"))
        try await bench.enroll(lane, as: "till 9")
        #expect(try await bench.office.totals() == before)
        try lane.pay(200)
        try await bench.ship(lane)
        let totals = try await bench.office.totals()
        #expect(
            totals.mapValues(\.salesAmount).map { [$0.key.lane, "\($0.value)"] }.sorted { $0[0] < $1[0] }
                == [["till 1", "100"], ["till 9", "200"]])
    }

    @Test func `events of all shops are for those who see all of them`() async throws {
        let bench = try await FleetBench()
        let all = try bench.office(of: try await bench.login(.auditor, in: nil))
        let own = try bench.office(of: try await bench.login(.manager, in: "hill"))
        _ = try await bench.login(.clerk, in: nil)
        #expect(try await all.events(limit: 100).contains { $0.shop == nil && $0.action == "grant" })
        #expect(try await own.events(limit: 100).allSatisfy { $0.shop == "hill" })
    }

    @Test func `a manager of all shops hears that a shop is not there`() async throws {
        let bench = try await FleetBench()
        let manager = try bench.office(of: try await bench.login(.manager, in: nil))
        let other = try bench.office(of: try await bench.login(.manager, in: "hill"))
        #expect(await failure { try await manager.invite("x", of: "nowhere", token: "t", hours: 1) } == .noSuchShop)
        #expect(await failure { try await other.invite("x", of: "nowhere", token: "t", hours: 1) } == .notAllowed)
    }

    @Test func `a second database with a back office on one server is refused by name`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let first = try await FleetBench(server)
            let second = try await FleetBench(server, isSetUp: false)
            let error = await failure { _ = try await second.office.setUp(FleetBench.soon) }
            #expect(error == .otherFleet(database: first.database))
            #expect(error?.description.contains(first.database) == true)
            // That which is there is upgraded.
            #expect(try await first.office.setUp(FleetBench.soon).to == Int64(FleetSchema.steps.count))
            await first.office.close()
            await second.office.close()
        }
    }
}
