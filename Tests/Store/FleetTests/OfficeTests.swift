import Determinism
import Money
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct OfficeTests {
    /// A lane in each shop, with a payment of 100 in `harbor` and one of 200 in `hill`.
    private func twoShops() async throws -> FleetBench {
        let bench = try await FleetBench()
        for (shop, amount) in [("harbor", 100), ("hill", 200)] {
            let lane = try await bench.lane(of: shop)
            try lane.pay(Int64(amount))
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        }
        return bench
    }

    @Test func `a clerk sees the own shop, an auditor all, and neither changes anything`() async throws {
        let bench = try await twoShops()
        let clerk = try bench.office(of: try await bench.login(.clerk, in: "hill"))
        let auditor = try bench.office(of: try await bench.login(.auditor, in: nil))
        #expect(try await clerk.lanes().map(\.shop) == ["hill"])
        #expect(try await clerk.payments(matching: OfficePaymentFilter()).map(\.amount) == [200])
        #expect(try await clerk.totals().keys.map(\.shop) == ["hill"])
        #expect(try await auditor.lanes().map(\.shop) == ["harbor", "hill"])
        for office in [clerk, auditor] {
            for sql in [
                "UPDATE fleet.payment SET amount = 1", "DELETE FROM fleet.change", "SELECT secret_hash FROM fleet.lane",
                "SELECT fleet.erase('hill', NULL, NULL, NULL)", "SELECT fleet.invite('hill', 'x', 'x', 1)",
                "SELECT * FROM fleet.invitation", "INSERT INTO fleet.member VALUES ('x', 'auditor', NULL)",
                "SELECT fleet.grant_office('x', 'auditor', NULL)",
            ] {
                #expect(await failure { _ = try await office.run(Statement(sql)) } == .notAllowed, "\(sql)")
            }
        }
        let count = Statement("SELECT count(*) AS n FROM fleet.change")
        #expect(await failure { _ = try await clerk.run(count) } == .notAllowed)
        #expect(try await auditor.run(count).only().value("n") > Int64(0))
    }

    @Test func `a manager invites and erases in the own shop only`() async throws {
        let bench = try await twoShops()
        let manager = try bench.office(of: try await bench.login(.manager, in: "hill"))
        try await manager.invite("till 2", of: "hill", token: "t", hours: 1)
        #expect(
            await failure { try await manager.invite("till 2", of: "harbor", token: "u", hours: 1) } == .notAllowed)
        #expect(try await manager.erase(shop: "hill", lane: nil, payment: nil, olderThan: nil) == 1)
        #expect(
            await failure {
                _ = try await manager.erase(shop: "harbor", lane: nil, payment: nil, olderThan: nil)
            } == .notAllowed)
        let actions = try await manager.run(Statement("SELECT action FROM fleet.event ORDER BY id"))
        #expect(
            try actions.map { try $0.value("action", as: String.self) } == [
                "invite", "enroll", "grant", "invite", "erase",
            ])
    }

    @Test func `a login of lanes ships, and sees nothing`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        let office = try bench.office(of: try await bench.login(.lane, in: nil))
        _ = try await lane.shipper(to: office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
        for table in ["payment", "attempt", "receipt", "change", "lane", "member", "invitation", "event"] {
            let error = await failure { _ = try await office.run(Statement("SELECT 1 FROM fleet.\(table)")) }
            #expect(error == .notAllowed, "\(table)")
        }
    }

    @Test func `erased data are gone from every table, stay gone, and change no total`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let (old, kept) = (try lane.pay(100), try lane.pay(200))
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let totals = try await bench.office.totals()
        let erased = try await bench.office.erase(
            shop: "harbor", lane: "till 1", payment: old.payment.id.rawValue, olderThan: nil)
        #expect(erased == 1)
        // A later change brings nothing back.
        try lane.refund(old.payment.id, 1)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let found = try await bench.number(
            """
            SELECT count(*) FROM (SELECT content, name AS payment FROM fleet.payment
                UNION ALL SELECT content, payment FROM fleet.attempt UNION ALL SELECT content, payment FROM fleet.change
                UNION ALL SELECT content, payment FROM fleet.receipt) x
            WHERE payment LIKE '\(old.payment.id.rawValue)-%'
                AND content ?| ARRAY['last4', 'orderID', 'authCode', 'cryptogram', 'content']
            """)
        #expect(found == 0)
        let payments = try await bench.office.payments(matching: OfficePaymentFilter(lastFour: "1119"))
        #expect(payments.map(\.number) == [kept.payment.id.rawValue])
        let after = try await bench.office.totals()
        #expect(after.values.map(\.sales) == totals.values.map(\.sales))
        #expect(after.values.map(\.refundsAmount) == [1])
        #expect(try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 30) == 0)
    }

    @Test func `unknown payments of all lanes are found`() async throws {
        let bench = try await FleetBench()
        for number in 1...2 {
            let lane = try await bench.lane("till \(number)")
            try lane.pay(10)
            let entry = try lane.pay(Int64(number), as: nil)
            try lane.journal.markUnknown(entry.attempt.id, reason: "no answer", at: FleetBench.time.now())
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        }
        let unknown = try await bench.office.payments(matching: OfficePaymentFilter(state: "unknown"))
        #expect(Set(unknown.map(\.lane)) == ["till 1", "till 2"])
        #expect(unknown.map(\.amount).sorted() == [1, 2])
        #expect(try await bench.office.lanes().map(\.unknown) == [1, 1])
    }

    @Test func `a lane whose clock is wrong has the times of the server, and the lag of its own clock`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let slow = ShiftedTime(by: .seconds(-86_400 * 3))
        let money = try Money(minorUnits: 5, currency: .usDollar)
        _ = try lane.journal.begin(siteID: 7, orderID: nil, amount: money, hostName: "simulated", at: slow.now())
        let began = FleetBench.time.now()
        _ = try await lane.shipper(to: bench.office, time: slow).ship(patience: .zero)
        let payment = try #require(try await bench.office.payments(matching: OfficePaymentFilter()).first)
        #expect(abs(payment.createdAt.milliseconds - began.milliseconds) < 600_000)
        let status = try #require(try await bench.office.lanes().first)
        #expect(try #require(status.lag) < .seconds(600))
        #expect(try #require(status.clockDifference) > .seconds(86_400 * 2))
    }

    @Test func `a database without a back office says which command makes one`() async throws {
        let bench = try await FleetBench(isSetUp: false)
        let error = await failure { _ = try await bench.office.lanes() }
        #expect(error == .notSetUp)
        #expect(error?.fix?.contains("cardpresent fleet init") == true)
        #expect(await failure { try await bench.office.addShop("x", timeZone: "UTC") } == .notSetUp)
    }

    @Test func `shops and logins that are not there are named`() async throws {
        let bench = try await FleetBench()
        #expect(
            await failure { try await bench.office.invite("x", of: "nowhere", token: "t", hours: 1) } == .noSuchShop)
        #expect(await failure { try await bench.office.addShop("x", timeZone: "Nowhere") } == .noSuchTimeZone)
        #expect(await failure { try await bench.office.grant(.clerk, to: "nobody_there", in: nil) } == .noSuchLogin)
        let login = try await bench.login(.clerk, in: "hill")
        #expect(await failure { try await bench.office.grant(.clerk, to: login, in: "nowhere") } == .noSuchShop)
        #expect(await failure { _ = try await bench.office.revoke(nil, from: login, in: "nowhere") } == .noSuchShop)
    }

    @Test func `an erasure of a lane or a payment that is not there is an error`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        func erase(_ lane: String, _ payment: Int64?) async throws -> Int64 {
            try await bench.office.erase(shop: "harbor", lane: lane, payment: payment, olderThan: nil)
        }
        #expect(await failure { _ = try await erase("no lane", 1) } == .noSuchLane)
        #expect(await failure { _ = try await erase("no lane", nil) } == .noSuchLane)
        #expect(await failure { _ = try await erase("till 1", 9) } == .noSuchPayment)
        #expect(try await erase("till 1", 1) == 1)
        #expect(try await erase("till 1", 1) == 0)
    }

    @Test func `a shop keeps its time zone, and gets another one when it is named`() async throws {
        let bench = try await FleetBench()
        func zone() async throws -> String {
            try await bench.office.run(Statement("SELECT time_zone FROM fleet.shop WHERE name = 'harbor'")).only()
                .value("time_zone")
        }
        try await bench.office.addShop("harbor", timeZone: nil)
        #expect(try await zone() == "Europe/Berlin")
        try await bench.office.addShop("harbor", timeZone: "Asia/Tokyo")
        #expect(try await zone() == "Asia/Tokyo")
        #expect(try await bench.number("SELECT count(*) FROM fleet.event WHERE action = 'time zone'") == 1)
        try await bench.office.addShop("quay", timeZone: nil)
        #expect(try await bench.number("SELECT count(*) FROM fleet.shop WHERE time_zone = 'UTC'") == 2)
    }

    @Test func `an office is taken away in one shop or in all, and the login sees and ships no more`() async throws {
        let bench = try await twoShops()
        let login = try await bench.login(.clerk, in: "hill")
        try await bench.office.grant(.clerk, to: login, in: "harbor")
        try await bench.office.grant(.manager, to: login, in: "harbor")
        let office = try bench.office(of: login)
        #expect(try await bench.office.revoke(.clerk, from: login, in: "hill") == 1)
        #expect(try await office.lanes().map(\.shop) == ["harbor"])
        #expect(await failure { _ = try await bench.office.revoke(.clerk, from: login, in: "hill") } == .noSuchOffice)
        #expect(try await bench.office.revoke(nil, from: login, in: nil) == 2)
        #expect(await failure { _ = try await office.lanes() } == .notAllowed)
        #expect(await failure { try await office.invite("x", of: "harbor", token: "t", hours: 1) } == .notAllowed)

        let ships = try await bench.login(.lane, in: nil)
        let lane = try await bench.lane("till 2")
        #expect(try await bench.office.revoke(.lane, from: ships, in: nil) == 1)
        let error = await failure { _ = try await lane.shipper(to: try bench.office(of: ships)).ship(patience: .zero) }
        #expect(error == .notAllowed)
        let manager = try bench.office(of: try await bench.login(.manager, in: nil))
        #expect(await failure { _ = try await manager.revoke(.clerk, from: login, in: nil) } == .notAllowed)
    }

    @Test func `a lag is never below zero after the lane's clock was set back`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office, time: ShiftedTime(by: .seconds(-3600))).ship(patience: .zero)
        #expect(try await bench.office.lanes().map(\.lag) == [.zero])
    }
}
