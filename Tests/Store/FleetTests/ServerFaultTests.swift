import Connections
import Determinism
import Foundation
import Glibc
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// What a server does under load and without room.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct ServerFaultTests {
    private static let options = ShippingOptions(
        entries: 4, firstRetry: .milliseconds(1), longestRetry: .milliseconds(20))

    @Test func `lanes ship through a server that refuses what it can't put in an order`() async throws {
        let bench = try await FleetBench()
        _ = try await bench.office.run(
            Statement("ALTER DATABASE \(bench.database) SET default_transaction_isolation = 'serializable'"))
        let lane = try await bench.lane()
        let log = ShippingLog()
        let offices = try (0..<4).map { _ in try bench.office() }
        for round in 1...40 {
            for amount in 1...3 { try lane.pay(Int64(amount)) }
            // Shippers of one lane: each changes the row of the lane.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for office in offices {
                    group.addTask {
                        let shipper = lane.shipper(to: office, Self.options)
                        _ = try await shipper.ship(patience: .seconds(600)) { log.note($0) }
                    }
                }
                try await group.waitForAll()
            }
            if round >= 3, log.states.contains("40001") { break }
        }
        #expect(log.states.contains("40001"))
        #expect(try await bench.differences(lane) == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == lane.outbox.position().written)
    }

    @Test func `a batch that a deadlock ends is shipped again`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(1250)
        let (holder, other) = (try await connection(bench), try await connection(bench))
        let log = ShippingLog()
        let shipper = lane.shipper(to: try bench.office(), Self.options)
        let options = TransactionOptions(isolation: .readCommitted, retry: TransactionRetry(attempts: 1))
        let (shipping, crossing) = try await holder.transaction(options, deadline: FleetBench.soon) {
            held throws(PostgreSQLError) -> TransactionEnd<(Task<Int, any Error>, Task<Void, any Error>)> in
            try await held.run(Statement("LOCK TABLE fleet.change IN ACCESS EXCLUSIVE MODE"))
            // It has the row of the lane, and stops at the changes.
            let shipping = Task {
                try await shipper.ship(patience: .seconds(600)) { log.note($0) }
            }
            await untilWaiting(1, bench)
            let crossing = Task {
                try await other.transaction(options, deadline: FleetBench.soon) { tx throws(PostgreSQLError) in
                    // Never the one that is ended.
                    try await tx.run([
                        Statement("SET LOCAL deadlock_timeout = '10min'"),
                        Statement("LOCK TABLE fleet.receipt IN ACCESS EXCLUSIVE MODE"),
                        Statement("SELECT FROM fleet.lane FOR UPDATE"),
                    ])
                    return .commit(())
                }
            }
            await untilWaiting(2, bench)
            return .commit((shipping, crossing))
        }
        try await crossing.value
        _ = try await shipping.value
        #expect(log.states.contains("40P01"))
        #expect(try await bench.differences(lane) == 0)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "a small file system needs root, and the right to mount"))
    func `a lane takes payments while the disk of the server is full, and ships them when there is room`() async throws
    {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await FleetBench(server)
            let disk = try SmallDisk(beside: server, kilobytes: 2048)
            defer { disk.remove() }
            _ = try await bench.office.run(Statement("CREATE TABLESPACE small LOCATION '\(disk.folder)'"))
            _ = try await bench.office.run(Statement("ALTER TABLE fleet.change SET TABLESPACE small"))
            _ = try await bench.office.run(Statement("CREATE TABLE filler (t text) TABLESPACE small"))
            let lane = try await bench.lane()
            try lane.pay(100)
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
            let full = await failure {
                while true {
                    _ = try await bench.office.run(
                        Statement("INSERT INTO filler SELECT repeat('x', 2000) FROM generate_series(1, 20)"))
                }
            }
            guard case .office(let cause) = full, cause.report?.state.rawValue == "53100" else {
                Issue.record("\(String(describing: full))")
                return
            }
            let log = ShippingLog()
            let office = try bench.office()
            let shipping = Task {
                try await lane.shipper(to: office, Self.options).follow { log.note($0) }
            }
            // Until the pages that the table still has are used up. Each payment is shipped or refused before the next
            // one: what waits has room when the filler is gone.
            while log.interruptions.isEmpty {
                try lane.pay(200)
                while log.interruptions.isEmpty, try lane.outbox.position().waiting > 0 {
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            for amount in 1...5 { try lane.pay(Int64(amount)) }
            #expect(try lane.outbox.position().waiting > 0)
            _ = try await bench.office.run(Statement("DROP TABLE filler"))
            _ = try await bench.office.run(Statement("CHECKPOINT"))
            try await untilNothingWaits(lane, shipping)
            _ = await failure { try await shipping.value }
            #expect(log.states.contains("53100"))
            #expect(try await bench.differences(lane) == 0)
            #expect(try await bench.number("SELECT count(*) FROM fleet.change") == lane.outbox.position().written)
            _ = try await bench.office.run(Statement("ALTER TABLE fleet.change SET TABLESPACE pg_default"))
            _ = try await bench.office.run(Statement("DROP TABLESPACE small"))
        }
    }

    private func connection(_ bench: FleetBench) async throws -> PostgreSQLConnection {
        try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(
                "host=\(bench.server.directory) port=\(bench.server.port) user=tester dbname=\(bench.database)"),
            deadline: FleetBench.soon, time: FleetBench.time)
    }

    /// Waits until so many statements of the database wait for a lock.
    private func untilWaiting(_ count: Int64, _ bench: FleetBench) async {
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            """
        while (try? await bench.number(waiting)) ?? 0 < count { try? await Task.sleep(for: .milliseconds(5)) }
    }
}

/// A file system of a few megabytes in memory.
private struct SmallDisk {
    let folder: String

    /// Whether the kernel lets this process mount one.
    static let canBeMade: Bool = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("small-\(getpid())").path
        guard getuid() == 0, mkdir(folder, 0o700) == 0 else { return false }
        defer { rmdir(folder) }
        guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount(folder) == 0
    }()

    /// Makes one that belongs to the user of a server.
    init(beside server: TemporaryPostgreSQL, kilobytes: Int) throws {
        folder = server.directory + "/small"
        let owner = try FileManager.default.attributesOfItem(atPath: server.directory)[.ownerAccountID] as? Int ?? 0
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        guard mount("tmpfs", folder, "tmpfs", 0, "size=\(kilobytes)k,mode=0700,uid=\(owner)") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func remove() { umount2(folder, Int32(MNT_DETACH)) }
}
