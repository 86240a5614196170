import Determinism
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Copies of records that took different payments under the same number, at the same moment.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct CopyTests {
    private let moment = FleetBench.time.now()

    /// A lane that has shipped a payment of 100, with a copy of its records.
    private func copied(_ bench: FleetBench) async throws -> (lane: TestLane, copy: TestLane) {
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        return (lane, try lane.copy())
    }

    @Test(arguments: [1, 2, 500])
    func `payments of copies with one number and one moment both count`(_ entries: Int) async throws {
        let bench = try await FleetBench()
        let (lane, copy) = try await copied(bench)
        try lane.pay(200, at: moment)
        try await bench.ship(lane)
        try copy.pay(300, at: moment)
        try await bench.shipAnew(copy, entries: entries)
        #expect(try await bench.sums() == [3, 600, 0, 0])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [1])
        #expect(try await bench.events("copy") > 0)
        #expect(try await bench.differences(copy) == 1 + 1)
        let payments = try await bench.office.payments(matching: OfficePaymentFilter())
        #expect(payments.map(\.amount).sorted() == [100, 200, 300])
        #expect(Set(payments.map(PaymentPlace.init)).count == 3)
        // The first records come again: each payment is still there once.
        try await bench.shipAnew(lane, entries: entries)
        #expect(try await bench.sums() == [3, 600, 0, 0])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [1])
        try await bench.shipAnew(copy, entries: entries)
        #expect(try await bench.sums() == [3, 600, 0, 0])
    }

    @Test(arguments: ["4444", "1119"], [1, 3, 500])
    func `a payment that a copy takes after it was enrolled again counts beside the other`(
        _ lastFour: String, _ entries: Int
    ) async throws {
        let bench = try await FleetBench()
        let (lane, copy) = try await copied(bench)
        try lane.pay(200, at: moment)
        try await bench.ship(lane)
        try await bench.shipAnew(copy)
        // The same amount, of another card or of the same.
        try copy.pay(200, lastFour: lastFour, at: moment)
        try await bench.ship(copy, entries: entries)
        #expect(try await bench.sums() == [3, 500, 0, 0])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [1])
        let payments = try await bench.office.payments(matching: OfficePaymentFilter())
        #expect(payments.compactMap(\.lastFour).sorted() == ["1119", "1119", lastFour])
    }

    @Test func `refunds of copies with one number and one moment both count, and the payment has both`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(1000)
        try await bench.ship(lane)
        let copy = try lane.copy()
        try lane.refund(sale.payment.id, 100, at: moment)
        try await bench.ship(lane)
        try copy.refund(sale.payment.id, 250, at: moment)
        try await bench.shipAnew(copy)
        #expect(try await bench.sums() == [1, 1000, 2, 350])
        let payment = try #require(try await bench.office.payments(matching: OfficePaymentFilter()).first)
        #expect((payment.refunded, payment.state) == (350, "partiallyRefunded"))
    }

    @Test(arguments: [1, 500])
    func `copies that are lanes of their own keep their payments apart, whichever ships`(_ entries: Int) async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        try lane.pay(100)
        let copy = try lane.copy()
        try lane.pay(200, at: moment)
        try copy.pay(300, at: moment)
        try await bench.enroll(lane, as: "till 1")
        try await bench.ship(lane)
        try await bench.enroll(copy, as: "till 2")
        try await bench.ship(copy, entries: entries)
        #expect(try await bench.sums() == [3, 600, 0, 0])
        #expect(try await bench.events("copy") > 0)
        // Both go on.
        for (each, number) in [(lane, 2), (copy, 2), (lane, 2)] {
            try each.refund(PaymentID(rawValue: Int64(number)), 1)
            try await bench.ship(each, entries: entries)
        }
        #expect(try await bench.sums() == [3, 600, 3, 3])
        #expect(try await bench.number("SELECT count(*) FROM fleet.payment") == 3)
    }

    @Test func `copies that ship at the same time lose and double nothing`() async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        try lane.pay(100)
        let copy = try lane.copy()
        try await bench.enroll(lane, as: "till 1")
        try await bench.enroll(copy, as: "till 2")
        let options = ShippingOptions(entries: 2, firstRetry: .milliseconds(1), longestRetry: .milliseconds(20))
        try await withThrowingTaskGroup { group in
            for (each, amount) in [(lane, 200), (copy, 300)] {
                let office = try bench.office()
                for second in 1...6 {
                    try each.pay(Int64(amount), at: moment.advanced(by: .seconds(second)))
                }
                group.addTask { _ = try await each.shipper(to: office, options).ship(patience: .seconds(600)) }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.sums() == [13, 3100, 0, 0])
        for each in [lane, copy, lane] { try await bench.shipAnew(each, entries: 2) }
        #expect(try await bench.sums() == [13, 3100, 0, 0])
    }

    @Test func `an adoption is an event that names both lanes and the payments`() async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        try lane.pay(1000)
        let copy = try lane.copy()
        try await bench.enroll(lane, as: "till 1")
        try await bench.ship(lane)
        try await bench.enroll(copy, as: "till 2")
        try await bench.ship(copy)
        #expect(try await bench.sums() == [1, 1000, 0, 0])
        let events = try await bench.office.events(limit: 100).filter { $0.action == "adopt" }
        #expect(events.map(\.detail) == ["till 2 from till 1: payments 1"])
        #expect(events.map(\.shop) == ["harbor"])
    }

    /// A backup from the middle of a payment, with what its records became.
    @Test(arguments: [AttemptState.captured, .declined, .unknown])
    func `a captured attempt stays captured, whatever a backup makes of it`(_ end: AttemptState) async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let entry = try lane.pay(500, as: nil, at: moment)
        let copy = try lane.copy()
        let card = CardDetails(brand: "visa", lastFour: "1119", entryMode: .chip, cardholderVerification: .none)
        try lane.journal.finish(
            entry.attempt.id, as: .captured, details: PaymentDetails(card: card), at: FleetBench.time.now())
        try await bench.ship(lane)
        try await bench.shipAnew(copy)
        #expect(try await bench.sums() == [1, 500, 0, 0])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [1])
        try copy.recover(entry.attempt.id, as: end)
        try await bench.ship(copy)
        #expect(try await bench.sums() == [1, 500, 0, 0])
        #expect(try await bench.office.lanes().map(\.lostAttempts) == [end == .captured ? 0 : 1])
        let brands = try await bench.office.totals().keys.map(\.brand)
        #expect(brands == ["visa"])
        // Both records come again, one after the other, in batches of all sizes.
        for (each, entries) in [(lane, 500), (copy, 500), (lane, 1), (copy, 1), (copy, 500), (lane, 500)] {
            try await bench.shipAnew(each, entries: entries)
            #expect(try await bench.sums() == [1, 500, 0, 0])
        }
    }

    @Test func `the brand and the refund that a restored lane lacks stay`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(1000)
        try await bench.ship(lane)
        let copy = try lane.copy()
        try lane.refund(sale.payment.id, 300)
        try await bench.ship(lane)
        try await bench.shipAnew(copy, entries: 1)
        let payment = try #require(try await bench.office.payments(matching: OfficePaymentFilter()).first)
        #expect((payment.refunded, payment.state) == (300, "partiallyRefunded"))
        #expect(try await bench.sums() == [1, 1000, 1, 300])
        try copy.refund(sale.payment.id, 200)
        try await bench.ship(copy)
        let later = try #require(try await bench.office.payments(matching: OfficePaymentFilter()).first)
        #expect(later.refunded == 500)
    }

    @Test func `a lane that ships attempts of another with less money takes nothing away`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(1000)
        try await bench.ship(lane)
        let thief = try await bench.lane("till 2")
        try thief.pay(1)
        let own = try await bench.office.run(
            Statement("SELECT name, content::text AS content FROM fleet.attempt WHERE amount = 1000")
        ).only()
        let batch = try #require(try thief.outbox.batch(atMost: 500))
        // The entries of the thief with the key and the name of the other's attempt.
        let name: String = try own.value("name")
        let rows = try lane.storage.rows("SELECT idempotencyKey, createdAt FROM paymentAttempt")
        let thieves = try thief.storage.rows("SELECT idempotencyKey, createdAt FROM paymentAttempt")
        let (key, at) = (try #require(rows.first?.first?.value), try #require(rows.first?.last?.value))
        let (ownKey, ownAt) = (try #require(thieves.first?.first?.value), try #require(thieves.first?.last?.value))
        #expect(name.hasSuffix(at))
        let forged = batch.jsonText.replacing(ownKey, with: key).replacing(ownAt, with: at)
        _ = try await bench.office.run(batch.statement(clock: FleetBench.time.now().milliseconds, forged))
        #expect(try await bench.sums() == [2, 1001, 0, 0])
        #expect(try await bench.events("copy") > 0)
        #expect(try await bench.events("adopt") == 0)
    }
}

extension TestLane {
    /// Ends an attempt as recovery does, without a card.
    fileprivate func recover(_ attempt: Int64, as state: AttemptState) throws {
        _ = try journal.openAttempts()
        let now = FleetBench.time.now()
        if state == .unknown {
            try journal.markUnknown(attempt, reason: "no answer", at: now)
        } else {
            try journal.finish(attempt, as: state, at: now)
        }
    }
}

extension OutboxBatch {
    /// The statement with other entries.
    func statement(clock: Int64, _ entries: String) -> Statement {
        Statement(
            "SELECT * FROM fleet.ship($1, $2, $3, $4, $5, $6, $7)", .text(lane.id), .text(secret.revealed()),
            .integer(lane.epoch), .integer(position.acknowledged), .integer(position.written), .integer(clock),
            .text(entries))
    }
}
