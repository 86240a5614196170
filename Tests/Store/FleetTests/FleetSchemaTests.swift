import Connections
import Determinism
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct FleetSchemaTests {
    /// A schema as a later program could have it, over a connection of its own.
    private func schema(_ bench: FleetBench, adding steps: String...) async throws -> FleetSchema {
        let address =
            "postgres:///\(bench.database)?host=\(bench.server.directory)&port=\(bench.server.port)&user=tester"
        let connection = try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(address), deadline: FleetBench.soon, time: FleetBench.time)
        return FleetSchema(connection: connection, time: FleetBench.time, steps: FleetSchema.steps + steps)
    }

    @Test func `programs that set up one back office at once leave one`() async throws {
        let bench = try await FleetBench(isSetUp: false)
        try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                let office = try bench.office()
                group.addTask { _ = try await office.setUpBesideOthers(FleetBench.soon) }
            }
            try await group.waitForAll()
        }
        let last = Int64(FleetSchema.steps.count)
        #expect(try await bench.number("SELECT count(*) FROM fleet.step") == last)
        let again = try await bench.office.setUpBesideOthers(FleetBench.soon)
        #expect((again.from, again.to) == (last, last))
    }

    @Test func `a later step is added while lanes ship, and waits for a lock only briefly`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let office = try bench.office()
        let options = ShippingOptions(entries: 2, pause: .milliseconds(1))
        let shipping = Task { try await lane.shipper(to: office, options).follow() }
        let later = try await schema(bench, adding: "ALTER TABLE fleet.payment ADD COLUMN note text;")
        // A reader that would hold up the step, and all those behind it.
        let reader = try await schema(bench).connection
        try await reader.transaction(deadline: FleetBench.soon) { transaction throws(PostgreSQLError) in
            try await transaction.run(Statement("SELECT count(*) FROM fleet.payment"))
            let migration = Task { try await later.migrate(FleetBench.soon) }
            // Once it has given up a first time, what was shipped meanwhile went through.
            _ = try? lane.pay(5)
            while (try? lane.outbox.position().waiting) != 0 { try? await Task.sleep(for: .milliseconds(5)) }
            withExtendedLifetime(migration) {}
            return .commit(())
        }
        let done = try await later.migrate(FleetBench.soon)
        #expect(done.to == Int64(FleetSchema.steps.count + 1))
        try lane.pay(6)
        while try lane.outbox.position().waiting > 0 { try await Task.sleep(for: .milliseconds(5)) }
        shipping.cancel()
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `an office of step 5 takes the entries of lanes, and has all of them after step 6`() async throws {
        let bench = try await FleetBench(isSetUp: false)
        var five = try await schema(bench)
        five.steps = Array(FleetSchema.steps.prefix(5))
        #expect(try await five.migrate(FleetBench.soon).to == 5)
        try await bench.office.addShop("harbor", timeZone: "UTC")
        let lane = try await bench.lane()
        let sale = try lane.pay(100)
        try await bench.ship(lane)
        #expect(try await bench.differences(lane) == 0)
        #expect(await failure { _ = try await bench.office.report() } == .notSetUp)
        #expect(try await bench.office.setUpBesideOthers(FleetBench.soon).to == Int64(FleetSchema.steps.count))
        try lane.refund(sale.payment.id, 10)
        try lane.pay(200)
        try await bench.ship(lane)
        #expect(try await bench.differences(lane) == 0)
        #expect(try await bench.sums() == [2, 300, 1, 10])
        #expect(try await bench.office.totals().keys.allSatisfy { $0.lane == "till 1" })
    }

    @Test func `a step that fails leaves nothing of itself`() async throws {
        let bench = try await FleetBench()
        let broken = try await schema(bench, adding: "CREATE TABLE fleet.later (n bigint); SELECT 1 / 0;")
        await #expect(throws: PostgreSQLError.self) { try await broken.migrate(FleetBench.soon) }
        #expect(try await bench.number("SELECT count(*) FROM fleet.step") == Int64(FleetSchema.steps.count))
        #expect(try await bench.number("SELECT count(*) FROM pg_class WHERE relname = 'later'") == 0)
    }
}
