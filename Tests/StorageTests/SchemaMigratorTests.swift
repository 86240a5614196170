import Determinism
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct SchemaMigratorTests {
    private func open(_ database: TemporaryDatabase, _ steps: [SchemaMigrator.Step]) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            path: database.path, durability: .full, random: SeededRandomSource(seed: 1),
            schema: SchemaMigrator(steps: steps))
    }

    /// A database as the first schema leaves it: a paid sale with a receipt and a print job.
    private func version1() throws -> TemporaryDatabase {
        let database = try TemporaryDatabase()
        let storage = try open(database, SchemaMigrator.current.steps)
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let attempt = try journal.beginSale().attempt.id
        try journal.markAuthorizing(attempt, at: at(1001))
        let entry = try journal.finish(
            attempt, as: .captured, receipt: ReceiptDraft(kind: .sale, content: "{}"), at: at(1002))
        _ = try journal.recordPrintJob(
            receipt: try #require(entry.receipt).id, printer: "till", copy: .merchant, at: at(1003))
        // This program's records do not fit into the first schema: the later ones are taken back.
        try database.execute(
            """
            DROP TABLE siteCapture; DROP TABLE rememberedReader; DROP INDEX attemptByAdvice; DROP TABLE exceptionCard; DROP TABLE offlineSale; DROP TABLE cardKey;
            ALTER TABLE payment DROP COLUMN odaReason; PRAGMA user_version = 1
            """)
        return database
    }

    @Test func `a new database has this program's schema and mark`() throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        #expect(try database.number("PRAGMA user_version") == Int64(SchemaMigrator.current.steps.count))
        #expect(try database.number("PRAGMA application_id") == 0x4350_4159)
    }

    @Test func `a database of the first schema opens with everything in it`() throws {
        let database = try version1()
        let columns = "id, amount, state, createdAt, updatedAt, odaMethod, odaResult"
        let before = try database.rows("SELECT \(columns) FROM payment")
        let journal = try database.journal()
        #expect(try journal.payments().map(\.state) == [.captured])
        #expect(try journal.receipts().count == 1)
        #expect(try database.rows("SELECT \(columns) FROM payment") == before)
        #expect(try database.number("SELECT count(*) FROM payment WHERE odaReason IS NULL") == 1)
    }

    @Test func `a migration keeps every row`() throws {
        let database = try version1()
        let storage = try open(
            database,
            SchemaMigrator.current.steps + [SchemaMigrator.Step(sql: "ALTER TABLE payment ADD COLUMN tip INTEGER")])
        #expect(try database.number("PRAGMA user_version") == Int64(SchemaMigrator.current.steps.count + 1))
        #expect(try storage.read { try $0.loadObject(ofType: Payment.self, with: PaymentID(rawValue: 1)) } != nil)
        #expect(try database.number("SELECT count(*) FROM printJob") == 1)
    }

    @Test(arguments: [
        "DELETE FROM printJob", "DROP TABLE printJob",
        "ALTER TABLE payment ADD COLUMN tip INTEGER; INSERT INTO nowhere VALUES (1)",
    ])
    func `a migration that drops a row or fails changes nothing`(_ sql: String) throws {
        let database = try version1()
        #expect(throws: StorageError.self) {
            try open(database, [.version1, SchemaMigrator.Step(sql: sql)])
        }
        #expect(try database.number("PRAGMA user_version") == 1)
        #expect(try database.number("SELECT count(*) FROM printJob") == 1)
        #expect(try database.number("SELECT count(*) FROM pragma_table_info('payment') WHERE name = 'tip'") == 0)
    }

    @Test func `a database that a newer program made is refused and left as it is`() throws {
        let database = try version1()
        try database.execute("PRAGMA user_version = 9")
        let before = try database.bytes()
        #expect(
            throws: StorageError.newerSchema(
                path: database.path, found: 9, supported: SchemaMigrator.current.steps.count)
        ) {
            try database.open()
        }
        #expect(try database.bytes() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.folder.path).count == 2)
    }

    @Test func `a newer schema is seen even when it is only in the write-ahead log`() throws {
        let database = try version1()
        let known = SchemaMigrator.current.steps
        let newer = try open(database, known + [SchemaMigrator.Step(sql: "CREATE TABLE later (id INTEGER)")])
        let cut = try database.afterCut()
        #expect(throws: StorageError.newerSchema(path: cut.path, found: known.count + 1, supported: known.count)) {
            try cut.open()
        }
        #expect(try cut.number("SELECT count(*) FROM payment") == 1)
        withExtendedLifetime(newer) {}
    }

    @Test func `the identity of a database comes from chance and stays`() throws {
        let (first, second) = (try TemporaryDatabase(), try TemporaryDatabase())
        for (database, seed) in [(first, UInt64(1)), (second, 2), (first, 3)] { _ = try database.open(seed: seed) }
        let identities = try [first, second].map { try #require(try $0.text("SELECT databaseID FROM storeIdentity")) }
        #expect(identities[0] != identities[1])
        #expect(identities.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        let drawn = StoreIdentity(drawnFrom: SeededRandomSource(seed: 1)).databaseID
        #expect(identities[0] == drawn)
    }
}
