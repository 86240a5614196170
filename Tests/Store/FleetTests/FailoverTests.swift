import Determinism
import PostgreSQL
import Storage
import Synchronization
import TestPostgreSQL
import Testing

@testable import Fleet

/// A back office with a standby that takes its place.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct FailoverTests {
    private static let options = ShippingOptions(
        entries: 2, firstRetry: .milliseconds(1), longestRetry: .milliseconds(20))

    @Test func `with synchronous replication, a failover loses nothing that was acknowledged`() async throws {
        try await TemporaryPostgreSQL.runningWithStandby { primary, standby in
            let bench = try await FleetBench(primary)
            try await demandStandby(bench)
            let lane = try await bench.lane()
            let office = try bench.office(at: [primary, standby])
            for amount in 1...10 { try lane.pay(Int64(amount)) }
            let log = ShippingLog()
            let shipping = Task {
                try await lane.shipper(to: office, Self.options).follow { log.note($0) }
            }
            while log.shipped < 10 { try await Task.sleep(for: .milliseconds(2)) }
            try await primary.crash()
            try await standby.promote()
            for amount in 1...5 { try lane.pay(Int64(amount) * 100) }
            // A refusal ends the shipper, and the test with it.
            try await untilNothingWaits(lane, shipping)
            let end = await failure { try await shipping.value }
            #expect(end == .canceled)
            let after = try FleetBench(bench.database, at: standby)
            #expect(try await after.differences(lane) == 0)
            #expect(try await after.number("SELECT count(*) FROM fleet.change") == lane.outbox.position().written)
        }
    }

    @Test func `what no standby has confirmed is not acknowledged when the lane stops waiting`() async throws {
        try await TemporaryPostgreSQL.runningWithStandby { primary, standby in
            let bench = try await FleetBench(primary)
            try await demandStandby(bench)
            let lane = try await bench.lane()
            try lane.pay(1250)
            try await standby.crash()
            let office = try bench.office()
            let shipping = Task { await failure { _ = try await lane.shipper(to: office).shipBatch() } }
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            while try await bench.number(waits) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            shipping.cancel()
            let error = await shipping.value
            guard case .office(let cause) = error, cause.reason == .commitUnknown(.unconfirmed) else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.isTransient == true)
            #expect(try lane.outbox.position().acknowledged == 0)
            // The server has stored it, and a standby that does not have it takes its place.
            #expect(try await bench.number("SELECT count(*) FROM fleet.change") > 0)
            try await primary.crash()
            try await standby.restart()
            try await standby.promote()
            let after = try FleetBench(bench.database, at: standby)
            _ = try await lane.shipper(to: after.office).ship(patience: .zero)
            #expect(try await after.differences(lane) == 0)
        }
    }

    @Test func `with asynchronous replication, a lane notices what a failover lost, and ships it anew`() async throws {
        try await TemporaryPostgreSQL.runningWithStandby { primary, standby in
            let bench = try await FleetBench(primary)
            let lane = try await bench.lane()
            try lane.pay(100)
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
            try await untilStandbyHasAll(bench)
            // What is acknowledged from here on does not reach the standby.
            let behind = try FleetBench(bench.database, at: standby)
            _ = try await behind.office.run(Statement("ALTER SYSTEM SET primary_conninfo = ''"))
            _ = try await behind.office.run(Statement("SELECT pg_reload_conf()"))
            let senders = "SELECT count(*) FROM pg_stat_replication"
            while try await bench.number(senders) > 0 { try await Task.sleep(for: .milliseconds(5)) }
            try lane.pay(200)
            let office = try bench.office(at: [primary, standby])
            let count = try await lane.shipper(to: office).ship(patience: .zero)
            #expect(count > 0)
            try await primary.crash()
            try await standby.promote()
            try lane.pay(300)
            let error = await failure {
                _ = try await lane.shipper(to: office, Self.options).ship(patience: .seconds(600))
            }
            guard case .officeRestored(_, let acknowledged, let applied) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(acknowledged - applied == Int64(count))
            #expect(try await behind.number("SELECT count(*) FROM fleet.lane WHERE refused = 'lost'") == 1)
            _ = try await lane.enrollment(at: office).renew()
            _ = try await lane.shipper(to: office).ship(patience: .zero)
            #expect(try await behind.differences(lane) == 0)
        }
    }

    @Test func `a lane that reaches the standby before its promotion waits for it`() async throws {
        try await TemporaryPostgreSQL.runningWithStandby { primary, standby in
            let bench = try await FleetBench(primary)
            let lane = try await bench.lane()
            try lane.pay(100)
            try await untilStandbyHasAll(bench)
            let after = try FleetBench(bench.database, at: standby)
            let log = ShippingLog()
            let shipping = Task {
                try await lane.shipper(to: after.office, Self.options).ship(patience: .seconds(600)) { log.note($0) }
            }
            while log.interruptions.count < 3 { try await Task.sleep(for: .milliseconds(2)) }
            try await primary.crash()
            try await standby.promote()
            _ = try await shipping.value
            #expect(log.states.contains(SQLState.readOnlyTransaction.rawValue))
            let counter = try FleetBench(bench.database, at: standby)
            #expect(try await counter.differences(lane) == 0)
        }
    }

    /// Has the server wait for its standby at each commit from now on.
    private func demandStandby(_ bench: FleetBench) async throws {
        try await untilStandbyHasAll(bench)
        _ = try await bench.office.run(Statement("ALTER SYSTEM SET synchronous_standby_names = 'standby'"))
        _ = try await bench.office.run(Statement("SELECT pg_reload_conf()"))
        let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while try await bench.number(synchronous) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func untilStandbyHasAll(_ bench: FleetBench) async throws {
        let all = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()"
        while try await bench.number(all) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// Waits until the back office has all of a lane, and ends its shipper. Returns early when the shipper has ended.
func untilNothingWaits(_ lane: TestLane, _ shipping: Task<Void, any Error>) async throws {
    let hasEnded = Mutex(false)
    let watch = Task {
        _ = await shipping.result
        hasEnded.withLock { $0 = true }
    }
    while try lane.outbox.position().waiting > 0, !hasEnded.withLock({ $0 }) {
        try await Task.sleep(for: .milliseconds(5))
    }
    shipping.cancel()
    await watch.value
}
