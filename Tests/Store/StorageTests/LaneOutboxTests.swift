import Determinism
import GRDB
import Payments
import Testing

@testable import Storage

/// The changes that a lane ships to its back office.
@Suite struct LaneOutboxTests {
    private let database: TemporaryDatabase
    private let storage: SQLiteStorageManager
    private let journal: PaymentJournal
    private let outbox: LaneOutbox

    init() throws {
        database = try TemporaryDatabase()
        storage = try database.open()
        journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        outbox = LaneOutbox(storage)
    }

    private func enroll(epoch: Int64 = 1) throws {
        _ = try outbox.secret(drawnFrom: SeededRandomSource(seed: 3))
        try outbox.begin(Lane(id: String(repeating: "a1", count: 16), shop: "harbor", name: "till 1", epoch: epoch))
    }

    @Test func `without a lane, nothing is written`() throws {
        _ = try journal.capturedSale()
        #expect(try outbox.lane() == nil)
        #expect(try outbox.position() == OutboxPosition(written: 0, acknowledged: 0))
        _ = try outbox.secret(drawnFrom: SeededRandomSource(seed: 3))
        _ = try journal.capturedSale()
        #expect(try database.number("SELECT count(*) FROM outbox") == 0)
    }

    @Test func `every committed change has an entry, in order and without gaps`() throws {
        try enroll()
        let sale = try journal.capturedSale()
        _ = try journal.beginRefund(of: sale.payment.id, amount: try usd(200), hostName: "simulated", at: at(3000))
        let entries = try outbox.waiting(atMost: 100)
        #expect(entries.map(\.sequence) == Array(1...Int64(entries.count)))
        #expect(entries.first?.kind == .payment)
        #expect(entries.first?.name == "1-1000")
        let states = try entries.filter { $0.kind == .attempt }.map { try text("state", of: $0) }
        #expect(states == ["created", "authorizing", "captured", "created"])
        let kinds = try entries.filter { $0.kind == .attempt }.map { try text("kind", of: $0) }
        #expect(kinds == ["sale", "sale", "sale", "refund"])
        // The last entry of a row is the row.
        let last = try #require(entries.last { $0.kind == .payment })
        let refunded = try journal.payment(sale.payment.id)
        #expect(try text("state", of: last) == refunded.state.rawValue)
        #expect(try entries.filter { $0.kind == .attempt }.allSatisfy { try text("payment", of: $0) == "1-1000" })
    }

    private func text(_ key: String, of entry: OutboxEntry) throws -> String? {
        try DatabaseQueue().read {
            try String.fetchOne($0, sql: "SELECT json_extract(?, ?)", arguments: [entry.content, "$.\(key)"])
        }
    }

    @Test func `a transaction that is rolled back leaves no entry and no gap`() throws {
        try enroll()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try storage.performAndSave { storage in
                try storage.insertNewObject(
                    try Payment(siteID: 7, orderID: nil, amount: try usd(5), createdAt: at(1)))
                throw Stop()
            }
        }
        #expect(try outbox.position().written == 0)
        _ = try journal.beginSale()
        #expect(try outbox.waiting(atMost: 1).map(\.sequence) == [1])
    }

    @Test func `the change of another program has an entry, too`() throws {
        let sale = try journal.capturedSale()
        try enroll()
        let before = try outbox.position().written
        try database.execute("UPDATE payment SET brand = 'visa' WHERE id = \(sale.payment.id.rawValue)")
        #expect(try outbox.position().written == before + 1)
        #expect(try text("brand", of: try #require(try outbox.waiting(atMost: 100).last)) == "visa")
    }

    @Test(arguments: [
        ("payment", "payment", ""), ("attempt", "paymentAttempt", "sealedCardData lease openState"),
        ("receipt", "receipt", ""),
    ])
    func `every column is shipped, or named here as one that is not`(
        _ kind: String, _ table: String, _ kept: String
    ) throws {
        try database.execute(
            """
            INSERT INTO payment (siteID, amount, currency, state, createdAt, updatedAt)
            VALUES (7, 1, 'USD', 'pending', 1, 1);
            INSERT INTO paymentAttempt (paymentID, kind, idempotencyKey, state, stan, hostName, amount, currency, lease,
                transitions, createdAt, updatedAt)
            VALUES (1, 'sale', 'key', 'created', 1, 'simulated', 1, 'USD', 1, 1, 1, 1);
            INSERT INTO receipt (paymentID, kind, content, createdAt) VALUES (1, 'sale', '{}', 1);
            """)
        let columns = Set(
            try database.rows("SELECT name FROM pragma_table_xinfo('\(table)')").map { $0["name"] as String })
        let shipped = Set(
            try database.rows("SELECT key FROM shipped_\(kind), json_each(content)").map { $0["key"] as String })
        #expect(shipped.subtracting(["payment"]) == columns.subtracting(kept.split(separator: " ").map(String.init)))
    }

    @Test func `enrolling writes what the journal has, and a new epoch writes it anew`() throws {
        _ = try journal.capturedSale()
        _ = try journal.beginSale(at: 2000)
        try enroll()
        #expect(try outbox.waiting(atMost: 100).map(\.kind) == [.payment, .payment, .attempt, .attempt])
        try outbox.acknowledge(through: 4, in: 1)
        #expect(try outbox.position() == OutboxPosition(written: 4, acknowledged: 4))
        try enroll(epoch: 2)
        #expect(try outbox.lane()?.epoch == 2)
        #expect(try outbox.position() == OutboxPosition(written: 4, acknowledged: 0))
        #expect(try outbox.waiting(atMost: 100).map(\.sequence) == [1, 2, 3, 4])
        // An answer that comes late does not begin an epoch again.
        try enroll(epoch: 1)
        try enroll(epoch: 2)
        #expect(try outbox.position() == OutboxPosition(written: 4, acknowledged: 0))
    }

    @Test func `only what the back office has is deleted`() throws {
        try enroll()
        _ = try journal.capturedSale()
        let written = try outbox.position().written
        try outbox.acknowledge(through: 2, in: 1)
        #expect(try outbox.waiting(atMost: 100).map(\.sequence) == Array(3...written))
        // Numbers of another epoch, old ones, and those that were never written.
        try outbox.acknowledge(through: 3, in: 2)
        try outbox.acknowledge(through: 1, in: 1)
        try outbox.acknowledge(through: written + 1, in: 1)
        #expect(try outbox.position() == OutboxPosition(written: written, acknowledged: 2))
        for sql in [
            "DELETE FROM outbox", "UPDATE outbox SET content = '{}'", "UPDATE lane SET written = 1",
            "UPDATE lane SET acknowledged = 0", "INSERT INTO outbox VALUES (99, 'payment', 'x', '{}')",
        ] {
            #expect(throws: DatabaseError.self, "\(sql)") { try database.execute(sql) }
        }
    }

    @Test func `a batch ends at its number of entries and of bytes`() throws {
        try enroll()
        _ = try journal.capturedSale()
        #expect(try outbox.waiting(atMost: 2).count == 2)
        let two = try outbox.waiting(atMost: 2).reduce(0) { $0 + $1.content.utf8.count }
        #expect(try outbox.waiting(atMost: 100, bytes: two).count == 2)
        #expect(try outbox.waiting(atMost: 100, bytes: 1).count == 1)
    }

    @Test func `the secret is drawn once, and no text of it shows it`() throws {
        let secret = try outbox.secret(drawnFrom: SeededRandomSource(seed: 3))
        #expect(try outbox.secret(drawnFrom: SeededRandomSource(seed: 4)) == secret)
        #expect(secret.revealed().wholeMatch(of: /[0-9a-f]{64}/) != nil)
        var text = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &text)
        #expect(!text.contains(secret.revealed()))
    }
}

extension LaneOutbox {
    fileprivate func waiting(atMost limit: Int, bytes: Int = .max) throws -> [OutboxEntry] {
        try batch(atMost: limit, bytes: bytes)?.entries ?? []
    }
}
