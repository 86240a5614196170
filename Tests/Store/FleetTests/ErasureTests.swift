import Determinism
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Personal data that must not come back, and what an erasure leaves.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct ErasureTests {
    private func connection(_ bench: FleetBench) async throws -> PostgreSQLConnection {
        let server = bench.server
        return try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(
                "postgres:///\(bench.database)?host=\(server.directory)&port=\(server.port)&user=tester"),
            deadline: FleetBench.soon, time: FleetBench.time)
    }

    @Test func `a lane that ships while its payments are erased brings nothing back`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(100)
        try await bench.ship(lane)
        try lane.refund(sale.payment.id, 1)
        let office = try bench.office()
        let eraser = try await connection(bench)
        let shipping = try await eraser.transaction(
            TransactionOptions(isolation: .readCommitted), deadline: FleetBench.soon
        ) { transaction throws(PostgreSQLError) in
            try await transaction.run(Statement("SELECT fleet.erase('harbor', NULL, NULL, 0)"))
            let shipping = Task { try await lane.shipper(to: office).ship(patience: .zero) }
            // The lane waits for what the erasure has.
            let waiting = """
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database()
                """
            while (try? await bench.number(waiting)) == 0 { try? await Task.sleep(for: .milliseconds(2)) }
            return .commit(shipping)
        }
        _ = try await shipping.value
        await eraser.close()
        #expect(try await bench.personalRows() == 0)
        #expect(try await bench.sums() == [1, 100, 1, 1])
    }

    @Test func `what an erasure has left of an erased payment goes with the next one`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        // As an office before step 6 erased it, while the lane shipped.
        _ = try await bench.office.run(
            Statement("UPDATE fleet.payment SET erased_at = clock_timestamp(), last4 = NULL"))
        #expect(try await bench.personalRows() > 0)
        #expect(try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 0) == 1)
        #expect(try await bench.personalRows() == 0)
        #expect(try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 0) == 0)
    }

    @Test func `completions and increments are erased, too`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(100)
        try await bench.ship(lane)
        for table in ["payment", "attempt", "change"] {
            _ = try await bench.office.run(
                Statement(
                    "UPDATE fleet.\(table) SET content = content || jsonb_build_object('completion', 1, 'increments', 2)"
                ))
        }
        _ = try await bench.office.erase(shop: "harbor", lane: nil, payment: nil, olderThan: 0)
        #expect(try await bench.personalRows() == 0)
    }

    @Test func `an erasure of a number that two payments have names both`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let copy = try lane.copy()
        let first = try lane.pay(100)
        try await bench.ship(lane)
        let second = try copy.pay(200, at: FleetBench.time.now().advanced(by: .seconds(1)))
        try await bench.shipAnew(copy)
        #expect(try await bench.office.erase(shop: "harbor", lane: "till 1", payment: 1, olderThan: nil) == 2)
        let event = try #require(try await bench.office.events(limit: 1).first)
        #expect(event.action == "erase")
        for payment in [first, second] {
            #expect(event.detail.contains("1-\(payment.payment.createdAt.milliseconds)"), "\(event.detail)")
        }
    }
}
