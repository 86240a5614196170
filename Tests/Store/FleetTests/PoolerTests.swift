import Determinism
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// PgBouncer between the lanes and the server, which gives a connection away after each transaction.
@Suite(
    .enabled(
        if: TemporaryPostgreSQL.isUsed && TemporaryPostgreSQL.hasPooler,
        Comment(rawValue: TemporaryPostgreSQL.missingPooler)))
struct PoolerTests {
    private static let options = ShippingOptions(
        entries: 4, firstRetry: .milliseconds(1), longestRetry: .milliseconds(20))

    @Test func `a back office is made and lanes ship through a pooler, in the name of their login`() async throws {
        try await TemporaryPostgreSQL.running { server in
            try await server.runningPooler { pooler in
                let bench = try await FleetBench(server, isSetUp: false)
                let through = try FleetBench(bench.database, at: pooler)
                // Advisory locks, the limit of a wait for a lock, and texts of several statements.
                async let first = through.office.setUp(FleetBench.soon)
                async let second = bench.office.setUp(FleetBench.soon)
                _ = try await (first, second)
                try await through.office.addShop("harbor", timeZone: "UTC")
                let lane = try await through.lane()
                try lane.pay(1250)
                let till = try await through.login(.lane, in: nil)
                _ = try await lane.shipper(to: try through.office(of: till)).ship(patience: .zero)
                #expect(try await bench.differences(lane) == 0)
                // The login has its own rights there, and no others.
                let refused = await failure {
                    _ = try await through.office(of: till).run(Statement("SELECT FROM fleet.payment"))
                }
                #expect(refused == .notAllowed)
            }
        }
    }

    @Test func `more lanes than connections ship through a pooler that ends, before a server that does`() async throws {
        try await TemporaryPostgreSQL.running { server in
            try await server.runningPooler { pooler in
                let bench = try await FleetBench(server)
                let through = try FleetBench(bench.database, at: pooler)
                var lanes: [TestLane] = []
                for number in 1...6 { lanes.append(try await bench.lane("till \(number)")) }
                var shipping: [Task<Void, any Error>] = []
                for lane in lanes {
                    let office = try through.office()
                    shipping.append(Task { try await lane.shipper(to: office, Self.options).follow() })
                }
                for round in 1...4 {
                    for lane in lanes { try lane.pay(Int64(round)) }
                    if round == 2 { try await pooler.restart() }
                    if round == 3 { try await server.restart() }
                }
                for (lane, task) in zip(lanes, shipping) {
                    try await untilNothingWaits(lane, task)
                    let end = await failure { try await task.value }
                    #expect(end == .canceled)
                    #expect(try await FleetBench(bench.database, at: server).differences(lane) == 0)
                }
                let gaps = try await FleetBench(bench.database, at: server).number(
                    "SELECT count(*) FROM (SELECT FROM fleet.change GROUP BY lane_id HAVING count(*) <> max(sequence)) x"
                )
                #expect(gaps == 0)
            }
        }
    }

    @Test func `a lane that stops waiting leaves the pooled connection to others as it was`() async throws {
        try await TemporaryPostgreSQL.running { server in
            try await server.runningPooler { pooler in
                let bench = try await FleetBench(server)
                let through = try FleetBench(bench.database, at: pooler)
                let slow = try through.office()
                let task = Task { await failure { _ = try await slow.run(Statement("SELECT pg_sleep(6000), 'slow'")) } }
                let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%''slow''%' AND state = 'active'"
                while try await bench.number(running) < 2 { try await Task.sleep(for: .milliseconds(5)) }
                task.cancel()
                #expect(await task.value == .canceled)
                let lane = try await bench.lane()
                try lane.pay(100)
                _ = try await lane.shipper(to: through.office).ship(patience: .zero)
                #expect(try await bench.differences(lane) == 0)
            }
        }
    }

    @Test func `an address that a pooler does not take ends a lane at once, with the cause`() async throws {
        try await TemporaryPostgreSQL.running { server in
            try await server.runningPooler { pooler in
                let bench = try await FleetBench(server)
                let lane = try await bench.lane()
                let address = pooler.address(schema: "other")
                let office = try BackOffice(address, limit: .seconds(600), time: FleetBench.time)
                let error = await failure { try await lane.shipper(to: office).follow() }
                guard case .loginRefused = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(error?.description.contains("options") == true)
            }
        }
    }
}
