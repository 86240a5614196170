import Determinism
import Payments
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Records that come to a back office again, under another name or another identity.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct AdoptionTests {
    private func ship(_ lane: TestLane, _ bench: FleetBench, _ entries: Int = 500) async throws {
        _ = try await lane.shipper(to: bench.office, ShippingOptions(entries: entries)).ship(patience: .zero)
    }

    private func enroll(_ lane: TestLane, as name: String, of shop: String = "harbor", _ bench: FleetBench) async throws
    {
        let token = "\(SystemRandomSource().bytes(8))"
        try await bench.office.invite(name, of: shop, token: token, hours: 1)
        _ = try await lane.enrollment(at: bench.office).enroll(token: token, replacing: true)
    }

    /// How many rows of payments, attempts, receipts, and changes have personal data.
    private func personalRows(_ bench: FleetBench) async throws -> Int64 {
        try await bench.number(
            """
            SELECT count(*) FROM (SELECT content FROM fleet.payment
                UNION ALL SELECT content FROM fleet.attempt UNION ALL SELECT content FROM fleet.change
                UNION ALL SELECT content FROM fleet.receipt) x
            WHERE content ?| ARRAY['last4', 'orderID', 'authCode', 'cryptogram']
            """)
    }

    @Test(arguments: ["till 1", "till 9"])
    func `a replaced lane that enrolls again, under its name or another, counts once`(_ name: String) async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(1000)
        try lane.refund(sale.payment.id, 100)
        try await ship(lane, bench)
        try await enroll(try TestLane(), as: "till 1", bench)
        #expect(await failure { try await ship(lane, bench) } == .retired)
        try await enroll(lane, as: name, bench)
        try lane.pay(500)
        try await ship(lane, bench, 1)
        let totals = try await bench.office.totals()
        #expect(totals.keys.map(\.lane) == [name])
        #expect(totals.values.map { [$0.sales, $0.salesAmount, $0.refunds, $0.refundsAmount] } == [[2, 1500, 1, 100]])
        #expect(try await bench.differences(lane) == 0)
        #expect(try lane.outbox.lane()?.epoch == 2)
        #expect(try await bench.office.lanes().filter { !$0.isRetired }.map(\.name).contains(name))
    }

    @Test func `what was erased stays erased when the lane enrolls again`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(1000)
        try await ship(lane, bench)
        #expect(try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 0) == 1)
        try await enroll(lane, as: "till 2", bench)
        try await ship(lane, bench, 1)
        #expect(try await personalRows(bench) == 0)
        #expect(try await bench.office.payments(matching: OfficePaymentFilter()).map(\.isErased) == [true])
    }

    @Test(arguments: [1, 500])
    func `records from before the enrollment that become another lane count once`(_ entries: Int) async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        let (first, second) = (try lane.pay(1000), try lane.pay(300))
        let backup = try lane.copy()
        try await enroll(lane, as: "till 1", bench)
        try lane.refund(second.payment.id, 20)
        try await ship(lane, bench)
        let number = first.payment.id.rawValue
        #expect(try await bench.office.erase(shop: "harbor", lane: "till 1", payment: number, olderThan: nil) == 1)
        try await enroll(backup, as: "till 1", bench)
        try await ship(backup, bench, entries)
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
        try await enroll(lane, as: "till 1", of: "hill", bench)
        try await enroll(lane, as: "till 2", of: "harbor", bench)
        try await ship(lane, bench)
        #expect(await failure { try await enroll(lane, as: "till 3", of: "hill", bench) } == .otherShop)
        try await enroll(copy, as: "till 4", of: "hill", bench)
        #expect(await failure { try await ship(copy, bench) } == .otherShop)
        let totals = try await bench.office.totals()
        #expect(totals.map { [$0.key.shop, "\($0.value.salesAmount)"] } == [["harbor", "1000"]])
    }
}
