import Determinism
import Payments
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Batches that a network or a server holds up, and delivers after later ones.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct LateDeliveryTests {
    @Test func `a batch that arrives after later ones changes nothing, and is no refusal`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        let late = try #require(try lane.outbox.batch(atMost: 3))
        let now = FleetBench.time.now().milliseconds
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        try lane.pay(200)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        let position = try lane.outbox.position()
        for _ in 0..<2 {
            let answer = try ShippingAnswer(try await bench.office.run(late.statement(clock: now - 60_000)))
            #expect(answer.verdict == .restored)
        }
        #expect(try await bench.differences(lane) == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == position.written)
        #expect(try await bench.number("SELECT count(*) FROM fleet.event WHERE action = 'refuse'") == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.lane WHERE refused IS NOT NULL") == 0)
        #expect(try await bench.number("SELECT written FROM fleet.lane") == position.written)
        // The lane itself goes on.
        try lane.pay(300)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a batch of an earlier epoch that arrives late is no refusal`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        try lane.pay(200)
        let late = try #require(try lane.outbox.batch(atMost: 100))
        let sent = FleetBench.time.now().milliseconds - 60_000
        _ = try await lane.enrollment(at: bench.office).renew()
        let answer = try ShippingAnswer(try await bench.office.run(late.statement(clock: sent)))
        #expect(answer.verdict == .epoch)
        #expect(try await bench.number("SELECT count(*) FROM fleet.lane WHERE refused IS NOT NULL") == 0)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a late batch that the back office lacks is applied, with the times of the lane`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        let late = try #require(try lane.outbox.batch(atMost: 100))
        let now = FleetBench.time.now().milliseconds
        // The first half over another connection, and a sign of life.
        _ = try await lane.shipper(to: bench.office, ShippingOptions(entries: 2)).shipBatch()
        _ = try await bench.office.run(late.statement(clock: now - 3_600_000))
        let moved = try await bench.number(
            "SELECT count(*) FROM fleet.attempt WHERE abs(extract(epoch FROM updated_at - received_at)) > 1800")
        #expect(moved == 0)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a restored lane whose clock is far behind is noticed`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        let restored = try lane.copy()
        try lane.pay(200)
        try await bench.ship(lane)
        let slow = ShiftedTime(by: .seconds(-3600))
        let error = await failure { try await bench.ship(restored, time: slow) }
        #expect(error?.code == "lane_restored")
        #expect(try await bench.office.lanes().map(\.refusal) == ["restored"])
        #expect(try await bench.events("refuse") == 1)
    }

    @Test func `a copy with other entries is refused by name, though its clock is behind`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let copy = try lane.copy()
        try lane.pay(100)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        try copy.pay(999, as: .declined)
        let other = try #require(try copy.outbox.batch(atMost: 2))
        let past = FleetBench.time.now().milliseconds - 60_000
        let answer = try ShippingAnswer(try await bench.office.run(other.statement(clock: past)))
        #expect(answer.verdict == .restored)
        #expect(try await bench.number("SELECT count(*) FROM fleet.lane WHERE refused = 'restored'") == 1)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `lanes whose messages are lost, doubled, and reordered have each entry once`(_ seed: UInt64) async throws {
        let bench = try await FleetBench()
        var lanes: [TestLane] = []
        for number in 1...4 { lanes.append(try await bench.lane("till \(number)", of: number < 3 ? "harbor" : "hill")) }
        let random = SeededRandomSource(seed: seed)
        let options = ShippingOptions(entries: 3, firstRetry: .zero, longestRetry: .zero)
        // What the network still has of each lane, with the moment at which it was sent.
        var held: [(batch: OutboxBatch, clock: Int64)] = []
        for _ in 1...12 {
            for lane in lanes {
                try lane.pay(Int64(random.number(in: 1...900)))
                if let batch = try lane.outbox.batch(atMost: 4) {
                    held.append((batch, FleetBench.time.now().milliseconds - 1))
                }
                _ = try await lane.shipper(to: bench.office, options).ship(patience: .seconds(600))
            }
            // Some arrive now, in any order, and some twice.
            for _ in 0..<3 where !held.isEmpty {
                let place = Int(random.number(in: 0...UInt32(held.count - 1)))
                _ = try await bench.office.run(held[place].batch.statement(clock: held[place].clock))
                if random.number(in: 0...1) == 0 { held.remove(at: place) }
            }
        }
        for lane in lanes {
            #expect(try await bench.differences(lane) == 0)
            let id = try #require(try lane.outbox.lane()).id
            #expect(
                try await bench.number("SELECT count(*) FROM fleet.change WHERE lane_id = '\(id)'")
                    == lane.outbox.position().written)
        }
        #expect(try await bench.number("SELECT count(*) FROM fleet.lane WHERE refused IS NOT NULL") == 0)
    }
}
