import Determinism
import Testing

@testable import Storage

@Suite struct RewindTests {
    private func journal(in storage: SQLiteStorageManager) throws -> PaymentJournal {
        PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    private func identity(of storage: SQLiteStorageManager) throws -> String {
        try storage.read { try StoreIdentity.load(from: $0).databaseID }
    }

    @Test func `a database that is rewound is empty, counts from the beginning and has an identity of its own`() throws
    {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        let first = try journal(in: storage)
        let begun = try first.beginSale()
        try first.markAuthorizing(begun.attempt.id, at: at(1))
        let before = try identity(of: storage)

        try storage.rewind(random: SeededRandomSource(seed: 2))
        let second = try journal(in: storage)
        #expect(second.lease.number == first.lease.number)
        #expect(try second.payments().isEmpty)
        #expect(try identity(of: storage) != before)
        let again = try second.beginSale()
        #expect(again.payment.id == begun.payment.id && again.attempt.id == begun.attempt.id)
        #expect(again.attempt.idempotencyKey != begun.attempt.idempotencyKey)
        #expect(try second.transitions(of: again.attempt.id).map(\.state) == [.created])
    }

    @Test func `the same source gives a rewound database the identity of a new one`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        try storage.rewind(random: SeededRandomSource(seed: 9))
        let fresh = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 9))
        #expect(try identity(of: storage) == identity(of: fresh))
    }

    @Test func `an operation that throws leaves nothing, and what was saved before stays`() throws {
        struct Refused: Error {}
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        let journal = try journal(in: storage)
        let kept = try journal.beginSale()
        #expect(throws: Refused.self) {
            try storage.performAndSave { records in
                var identity = try StoreIdentity.load(from: records)
                _ = identity.nextAttempt()
                try records.updateObject(identity)
                throw Refused()
            }
        }
        #expect(try journal.payments().map(\.id) == [kept.payment.id])
        #expect(try storage.read { try StoreIdentity.load(from: $0).attempts } == 1)
    }

    @Test func `the rules of the schema hold in it`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        let sale = try journal(in: storage).beginSale()
        let receipt = Receipt(
            ReceiptDraft(kind: .sale, content: "no JSON"), of: sale.payment, sale.attempt, version: 1, createdAt: at(1))
        #expect(throws: StorageError.self) {
            try storage.performAndSave { try $0.insertNewObject(receipt) }
        }
        #expect(try storage.rows("SELECT count(*) AS n FROM receipt").first?.first?.value == "0")
    }

    @Test func `a database that was made for money is not rewound`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = try journal(in: storage)
        let kept = try journal.beginSale()
        try storage.rewind(random: SeededRandomSource(seed: 2))
        #expect(try journal.payments().map(\.id) == [kept.payment.id])
    }

    @Test func `rows are read by their columns' names, and nothing is written`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let rows = try storage.rows("SELECT 7 AS whole, 'text' AS words, NULL AS empty, x'0AFF' AS bytes")
        #expect(rows.first?.map(\.column) == ["whole", "words", "empty", "bytes"])
        #expect(rows.first?.map(\.value) == ["7", "text", nil, "0aff"])
        #expect(throws: StorageError.self) { try storage.rows("DELETE FROM storeIdentity") }
        #expect(throws: StorageError.self) { try storage.rows("SELECT id FROM nowhere") }
        #expect(try storage.rows("SELECT id FROM storeIdentity").count == 1)
    }

    @Test func `a lease that is given up is dead, though its holder lives`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let (watcher, other) = (try ProcessLease(in: storage), try ProcessLease(in: storage))
        #expect(try watcher.isAlive(other.number))
        other.release()
        #expect(try !watcher.isAlive(other.number))
        #expect(try other.isAlive(watcher.number))
    }
}
