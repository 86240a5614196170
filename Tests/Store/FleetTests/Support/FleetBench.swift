import Connections
import Determinism
import Foundation
import Money
import Payments
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// A database of the shared server with a back office, for one test. It has the shops `harbor` and `hill`.
struct FleetBench: Sendable {
    let server: TemporaryPostgreSQL
    let database: String
    /// The owner's.
    let office: BackOffice

    static let time = SystemTimeSource()

    init(_ server: TemporaryPostgreSQL? = nil, isSetUp: Bool = true) async throws {
        let shared = if let server { server } else { try await TemporaryPostgreSQL.shared() }
        self.server = shared
        database = "fleet" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let maker = try BackOffice(shared.address(), limit: .seconds(600), time: Self.time)
        _ = try await maker.run(Statement("CREATE DATABASE \(database)"))
        await maker.close()
        office = try BackOffice(
            Self.address(shared, database), limit: .seconds(600), time: Self.time)
        guard isSetUp else { return }
        _ = try await office.setUpBesideOthers(Self.soon)
        try await office.addShop("harbor", timeZone: "Europe/Berlin")
        try await office.addShop("hill", timeZone: "UTC")
    }

    /// The same database of another server, which has become its place.
    init(_ database: String, at server: TemporaryPostgreSQL) throws {
        (self.database, self.server) = (database, server)
        office = try BackOffice(Self.address(server, database), limit: .seconds(600), time: Self.time)
    }

    /// Ends a test that hangs; no test that passes waits for it.
    static var soon: Deadline { Deadline(after: .seconds(600), on: time) }

    private static func address(
        _ server: TemporaryPostgreSQL, _ database: String, user: String = "tester"
    ) -> String {
        "postgres:///\(database)?host=\(server.directory)&port=\(server.port)&user=\(user)"
    }

    /// The back office for another login.
    func office(of user: String = "tester", limit: Duration = .seconds(600)) throws -> BackOffice {
        try BackOffice(Self.address(server, database, user: user), limit: limit, time: Self.time)
    }

    /// The back office at whichever of these servers takes changes.
    func office(at servers: [TemporaryPostgreSQL]) throws -> BackOffice {
        let hosts = servers.map(\.directory).joined(separator: ",")
        let ports = servers.map { "\($0.port)" }.joined(separator: ",")
        return try BackOffice(
            "host=\(hosts) port=\(ports) user=tester dbname=\(database) target_session_attrs=read-write",
            limit: .seconds(600), time: Self.time)
    }

    /// The back office over a port of a network that fails.
    func office(through port: UInt16) throws -> BackOffice {
        try BackOffice(
            "hostaddr=127.0.0.1 port=\(port) user=tester dbname=\(database) sslmode=disable password=\(server.password)",
            limit: .seconds(600), time: Self.time)
    }

    /// A login of the server with an office. Logins belong to the server, which tests share.
    func login(_ office: Office, in shop: String?) async throws -> String {
        let name = "\(office.rawValue)_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        _ = try await self.office.run(Statement("CREATE ROLE \(name) LOGIN"))
        try await self.office.grant(office, to: name, in: shop)
        return name
    }

    /// An enrolled lane with a journal of its own.
    func lane(_ name: String = "till 1", of shop: String = "harbor") async throws -> TestLane {
        let lane = try TestLane()
        try await office.invite(name, of: shop, token: "\(shop) \(name)", hours: 1)
        _ = try await lane.enrollment(at: office).enroll(token: "\(shop) \(name)")
        return lane
    }

    func number(_ sql: String) async throws -> Int64 {
        try await office.run(Statement("SELECT (\(sql))::bigint AS n")).only().value("n")
    }

    /// How many rows of a lane differ between journal and back office, of all kinds and in both directions.
    func differences(_ lane: TestLane) async throws -> Int64 {
        guard let id = try lane.outbox.lane()?.id else { return -1 }
        var differences: Int64 = 0
        for (kind, table) in [("payment", "payment"), ("attempt", "attempt"), ("receipt", "receipt")] {
            let rows = try lane.storage.rows(
                "SELECT json_group_array(json_object('n', name, 'c', json(content))) AS rows FROM shipped_\(kind)")
            let own = try #require(rows.first?.first?.value)
            differences += try await office.run(
                Statement(
                    """
                    SELECT count(*) AS n FROM jsonb_to_recordset($1::jsonb) AS j (n text, c jsonb)
                    FULL JOIN (SELECT name, content FROM fleet.\(table) WHERE lane_id = $2) o ON o.name = j.n
                    WHERE o.content IS DISTINCT FROM j.c
                    """, .text(OutboxBatch.withoutNUL(own)), .text(id))
            ).only().value("n")
        }
        return differences
    }
}

/// A machine with a journal.
final class TestLane: Sendable {
    let folder: URL
    let storage: SQLiteStorageManager
    let journal: PaymentJournal

    var outbox: LaneOutbox { LaneOutbox(storage) }
    var path: String { folder.appendingPathComponent("payments.sqlite").path }

    init(copying backup: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("payments.sqlite").path
        if let backup { try FileManager.default.copyItem(atPath: backup, toPath: path) }
        try DatabaseTemplate.shared().copy(to: path, random: SystemRandomSource())
        storage = try SQLiteStorageManager(path: path, durability: .off)
        journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func enrollment(at office: BackOffice) -> LaneEnrollment {
        LaneEnrollment(outbox, at: office, random: SystemRandomSource())
    }

    func shipper(
        to office: BackOffice, _ options: ShippingOptions = ShippingOptions(), time: any TimeSource = FleetBench.time
    ) -> FleetShipper {
        FleetShipper(outbox, to: office, options: options, time: time, random: SeededRandomSource(seed: 1))
    }

    /// Takes a payment; with an end, its attempt ends in that state.
    @discardableResult
    func pay(
        _ amount: Int64, as state: AttemptState? = .captured, brand: String = "visa", lastFour: String = "1119",
        at now: Timestamp = FleetBench.time.now()
    ) throws -> JournalEntry {
        let money = try Money(minorUnits: amount, currency: .usDollar)
        let entry = try journal.begin(siteID: 7, orderID: 42, amount: money, hostName: "simulated", at: now)
        try journal.markAuthorizing(entry.attempt.id, at: now)
        guard let state else { return entry }
        let card = CardDetails(brand: brand, lastFour: lastFour, entryMode: .chip, cardholderVerification: .none)
        return try journal.finish(entry.attempt.id, as: state, details: PaymentDetails(card: card), at: now)
    }

    /// Gives a part of a payment back.
    func refund(_ id: PaymentID, _ amount: Int64, at now: Timestamp = FleetBench.time.now()) throws {
        let money = try Money(minorUnits: amount, currency: .usDollar)
        let entry = try journal.beginRefund(of: id, amount: money, hostName: "simulated", at: now)
        try journal.markAuthorizing(entry.attempt.id, at: now)
        try journal.finish(entry.attempt.id, as: .captured, at: now)
    }

    /// Copies the journal to a new machine, as restoring a backup does.
    func copy() throws -> TestLane {
        let backup = folder.appendingPathComponent(UUID().uuidString).path
        _ = try DatabaseBackup.make(of: path, at: backup, replacing: false) { _, _ in true }
        return try TestLane(copying: backup)
    }
}

extension FleetBench {
    /// What was captured, of all lanes, days, and brands: sales, their amount, refunds, their amount.
    func sums() async throws -> [Int64] {
        try await office.totals().values.reduce(into: [0, 0, 0, 0]) { sums, total in
            for (place, part) in [total.sales, total.salesAmount, total.refunds, total.refundsAmount].enumerated() {
                sums[place] += part
            }
        }
    }

    /// How many events of a kind there are.
    func events(_ action: String) async throws -> Int64 {
        try await number("SELECT count(*) FROM fleet.event WHERE action = '\(action)'")
    }

    /// How many rows of payments, attempts, receipts, and changes have personal data.
    func personalRows() async throws -> Int64 {
        try await number(
            """
            SELECT count(*) FROM (SELECT content FROM fleet.payment
                UNION ALL SELECT content FROM fleet.attempt UNION ALL SELECT content FROM fleet.change
                UNION ALL SELECT content FROM fleet.receipt) x
            WHERE content ?| ARRAY['last4', 'orderID', 'authCode', 'cryptogram', 'completion', 'increments']
            """)
    }

    /// Makes records a lane, also when they are one.
    func enroll(_ lane: TestLane, as name: String, of shop: String = "harbor") async throws {
        let token = "\(SystemRandomSource().bytes(8))"
        try await office.invite(name, of: shop, token: token, hours: 1)
        _ = try await lane.enrollment(at: office).enroll(token: token, replacing: true)
    }

    /// Ships all that a lane has.
    func ship(_ lane: TestLane, entries: Int = 500, time: any TimeSource = FleetBench.time) async throws {
        _ = try await lane.shipper(to: office, ShippingOptions(entries: entries), time: time).ship(patience: .zero)
    }

    /// Begins a new epoch of a lane, and ships all that it has.
    func shipAnew(_ lane: TestLane, entries: Int = 500) async throws {
        _ = try await lane.enrollment(at: office).renew()
        try await ship(lane, entries: entries)
    }
}

/// The system's time, moved.
struct ShiftedTime: TimeSource {
    let difference: Duration

    init(by difference: Duration) { self.difference = difference }

    func now() -> Timestamp { SystemTimeSource().now().advanced(by: difference) }

    func reading() -> Duration { SystemTimeSource().reading() }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        try await SystemTimeSource().sleep(for: duration)
    }
}

/// Returns the error that `body` throws.
func failure(
    of body: () async throws -> Void, location: SourceLocation = #_sourceLocation
) async -> FleetError? {
    await #expect(throws: FleetError.self, sourceLocation: location) { try await body() }
}
