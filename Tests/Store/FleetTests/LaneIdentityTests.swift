import Determinism
import PostgreSQL
import TestPostgreSQL
import Testing

@testable import Fleet
@testable import Storage

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct LaneIdentityTests {
    @Test func `a token makes one lane, and the same journal may ask again`() async throws {
        let bench = try await FleetBench()
        try await bench.office.invite("till 1", of: "harbor", token: "token", hours: 1)
        let (lane, other) = (try TestLane(), try TestLane())
        let secret = try lane.outbox.secret(drawnFrom: SystemRandomSource())
        // The answer is lost.
        _ = try await bench.office.enroll("token", secret)
        let enrolled = try await lane.enrollment(at: bench.office).enroll(token: "token")
        #expect(enrolled == (try lane.outbox.lane()))
        #expect((enrolled.shop, enrolled.name, enrolled.epoch) == ("harbor", "till 1", 1))
        #expect(await failure { _ = try await other.enrollment(at: bench.office).enroll(token: "token") } == .tokenUsed)
        #expect(await failure { _ = try await other.enrollment(at: bench.office).enroll(token: "no") } == .tokenRefused)
        #expect(
            await failure { _ = try await lane.enrollment(at: bench.office).enroll(token: "token") }
                == .enrolled(enrolled))
        #expect(await failure { _ = try await other.shipper(to: bench.office).ship(patience: .zero) } == .notEnrolled)
    }

    @Test func `a token whose time is over is refused`() async throws {
        let bench = try await FleetBench()
        try await bench.office.invite("till 1", of: "harbor", token: "token", hours: 0)
        let lane = try TestLane()
        #expect(
            await failure { _ = try await lane.enrollment(at: bench.office).enroll(token: "token") } == .tokenRefused)
    }

    @Test func `a new journal takes the place of a lane that is lost, and the old one is told`() async throws {
        let bench = try await FleetBench()
        let old = try await bench.lane()
        try old.pay(5)
        _ = try await old.shipper(to: bench.office).ship(patience: .zero)
        try await bench.office.invite("till 1", of: "harbor", token: "again", hours: 1)
        let new = try TestLane()
        _ = try await new.enrollment(at: bench.office).enroll(token: "again")
        #expect(await failure { _ = try await old.shipper(to: bench.office).ship(patience: .zero) } == .retired)
        let lanes = try await bench.office.lanes()
        #expect(lanes.map(\.isRetired) == [true, false])
        // What the old one took stays.
        #expect(try await bench.office.payments(matching: OfficePaymentFilter()).map(\.amount) == [5])
    }

    @Test func `a restored journal is refused by name before it takes a payment`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let restored = try lane.copy()
        try lane.pay(200)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let error = await failure { _ = try await restored.shipper(to: bench.office).ship(patience: .zero) }
        guard case .restored(let named, let written, let applied) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(named.name == "till 1")
        #expect(written < applied)
        #expect(error?.fix?.contains("cardpresent fleet enroll --again") == true)
        #expect(try await bench.office.lanes().map(\.refusal) == ["restored"])
    }

    @Test
    func `a restored journal with other payments under the same numbers is refused, and nothing of it is applied`()
        async throws
    {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let restored = try lane.copy()
        try lane.pay(200)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        for amount in 301...305 { try restored.pay(Int64(amount)) }
        let before = try await bench.number("SELECT count(*) FROM fleet.change")
        let error = await failure { _ = try await restored.shipper(to: bench.office).ship(patience: .zero) }
        #expect(error.map { if case .restored = $0 { true } else { false } } == true, "\(String(describing: error))")
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == before)
        #expect(try await bench.office.payments(matching: OfficePaymentFilter()).map(\.amount).sorted() == [100, 200])
        // The lane that was not restored goes on, and the refusal of the other stays until a person has dealt with it.
        try lane.pay(400)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.office.lanes().map(\.refusal) == ["restored"])
        #expect(
            try await bench.number("SELECT count(*) FROM fleet.event WHERE detail = 'till 1: restored'") == 1)
        _ = try await lane.enrollment(at: bench.office).renew()
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.office.lanes().map(\.refusal) == [nil])
    }

    @Test func `a new epoch ships a restored journal anew, and names what only the earlier one has`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let restored = try lane.copy()
        try lane.pay(200)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let renewed = try await restored.enrollment(at: bench.office).renew()
        #expect(renewed.epoch == 2)
        try restored.pay(300)
        _ = try await restored.shipper(to: bench.office).ship(patience: .zero)
        let status = try #require(try await bench.office.lanes().first)
        #expect((status.epoch, status.refusal, status.lostAttempts) == (2, nil, 1))
        // The payment of 200 was taken, and stays. That of 100 is there once.
        let amounts = try await bench.office.payments(matching: OfficePaymentFilter()).map(\.amount).sorted()
        #expect(amounts == [100, 200, 300])
        let total = try await bench.office.totals().values.map(\.salesAmount)
        #expect(total == [600])
        // The journal that is left behind hears of it, too.
        let error = await failure { _ = try await lane.shipper(to: bench.office).ship(patience: .zero) }
        guard case .otherEpoch(_, 2) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a back office that was restored from a backup is noticed, and gets everything anew`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        // What the backup does not have.
        for table in ["change", "payment", "attempt", "receipt"] {
            _ = try await bench.office.run(Statement("DELETE FROM fleet.\(table)"))
        }
        _ = try await bench.office.run(Statement("UPDATE fleet.lane SET applied = 0"))
        let error = await failure { _ = try await lane.shipper(to: bench.office).ship(patience: .zero) }
        guard case .officeRestored(_, _, 0) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try await lane.enrollment(at: bench.office).renew()
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a lane with another secret is unknown`() async throws {
        let bench = try await FleetBench()
        let (lane, thief) = (try await bench.lane(), try TestLane())
        _ = try thief.outbox.secret(drawnFrom: SystemRandomSource())
        try thief.outbox.begin(try #require(try lane.outbox.lane()))
        #expect(await failure { _ = try await thief.shipper(to: bench.office).ship(patience: .zero) } == .unknownLane)
    }

    @Test func `a batch with a gap is refused as a whole`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        let batch = try #require(try lane.outbox.batch(atMost: 100))
        let torn = OutboxBatch(
            lane: batch.lane, secret: batch.secret, position: batch.position,
            entries: batch.entries.filter { $0.sequence != 2 })
        let error = await failure { _ = try await bench.office.run(torn.statement(clock: 0)) }
        guard case .office(let reported) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reported.report?.state.rawValue == "CP003")
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == 0)
    }
}
