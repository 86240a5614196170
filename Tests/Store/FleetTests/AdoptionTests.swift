import Determinism
import Payments
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Records that come to a back office again, under another name or another identity.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct AdoptionTests {
    @Test(arguments: ["till 1", "till 9"])
    func `a replaced lane that enrolls again, under its name or another, counts once`(_ name: String) async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(1000)
        try lane.refund(sale.payment.id, 100)
        try await bench.ship(lane)
        try await bench.enroll(TestLane(), as: "till 1")
        #expect(await failure { try await bench.ship(lane) } == .retired)
        try await bench.enroll(lane, as: name)
        try lane.pay(500)
        try await bench.ship(lane, entries: 1)
        let totals = try await bench.office.totals()
        // What was captured before stays under the name that the lane had then.
        #expect(Set(totals.keys.map(\.lane)) == ["till 1", name])
        #expect(try await bench.sums() == [2, 1500, 1, 100])
        #expect(try await bench.differences(lane) == 0)
        #expect(try lane.outbox.lane()?.epoch == 2)
        #expect(try await bench.office.lanes().filter { !$0.isRetired }.map(\.name).contains(name))
    }

    @Test func `what was erased stays erased when the lane enrolls again`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(1000)
        try await bench.ship(lane)
        #expect(try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 0) == 1)
        try await bench.enroll(lane, as: "till 2")
        try await bench.ship(lane, entries: 1)
        #expect(try await bench.personalRows() == 0)
        #expect(try await bench.office.payments(matching: OfficePaymentFilter()).map(\.isErased) == [true])
    }

    @Test(arguments: [1, 500])
    func `records from before the enrollment that become another lane count once`(_ entries: Int) async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        let (first, second) = (try lane.pay(1000), try lane.pay(300))
        let backup = try lane.copy()
        try await bench.enroll(lane, as: "till 1")
        try lane.refund(second.payment.id, 20)
        try await bench.ship(lane)
        let number = first.payment.id.rawValue
        #expect(try await bench.office.erase(shop: "harbor", lane: "till 1", payment: number, olderThan: nil) == 1)
        try await bench.enroll(backup, as: "till 1")
        try await bench.ship(backup, entries: entries)
        // The refund that the backup lacks was taken, and stays.
        let totals = try await bench.office.totals()
        let sums = totals.values.map { [$0.sales, $0.salesAmount, $0.refunds, $0.refundsAmount] }
        #expect(sums == [[2, 1300, 1, 20]])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [0, 1])
        let payments = try await bench.office.payments(matching: OfficePaymentFilter())
        #expect(payments.map(\.amount).sorted() == [300, 1000])
        #expect(payments.first { $0.number == number }.map { $0.isErased && $0.lastFour == nil } == true)
        let left = try await bench.number(
            "SELECT count(*) FROM fleet.change WHERE payment LIKE '\(number)-%' AND content ?| ARRAY['last4', 'orderID']"
        )
        #expect(left == 0)
    }

    @Test func `records of one shop are refused as those of another`() async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        try lane.pay(1000)
        let copy = try lane.copy()
        // Nothing was shipped yet, so the wrong shop can be mended.
        try await bench.enroll(lane, as: "till 1", of: "hill")
        try await bench.enroll(lane, as: "till 2", of: "harbor")
        try await bench.ship(lane)
        #expect(await failure { try await bench.enroll(lane, as: "till 3", of: "hill") } == .otherShop)
        try await bench.enroll(copy, as: "till 4", of: "hill")
        #expect(await failure { try await bench.ship(copy) } == .otherShop)
        let totals = try await bench.office.totals()
        #expect(totals.map { [$0.key.shop, "\($0.value.salesAmount)"] } == [["harbor", "1000"]])
    }
}
