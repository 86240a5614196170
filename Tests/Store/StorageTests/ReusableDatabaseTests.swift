import Determinism
import Foundation
import GRDB
import GRDBSQLite
import Payments
import Testing

@testable import Storage

@Suite struct ReusableDatabaseTests {
    private let folder: TemporaryDatabase
    private let database: ReusableDatabase

    init() throws {
        folder = try TemporaryDatabase()
        database = try ReusableDatabase(
            path: folder.path, template: DatabaseTemplate(), random: SeededRandomSource(seed: 1))
    }

    private func journal() throws -> PaymentJournal {
        PaymentJournal(storage: database.storage, lease: try ProcessLease(in: database.storage))
    }

    /// Returns all rows of all tables except SQLite's own, whose counters may be zero or missing.
    private func content() throws -> [[Row]] {
        let tables = try folder.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
        return try tables.map { try folder.rows("SELECT * FROM \"\($0["name"] as String)\"") }
    }

    @Test func `an erased database is empty and has a new identity`() throws {
        let new = try content()
        _ = try journal().capturedSale()
        #expect(try content() != new)
        try database.erase(random: SeededRandomSource(seed: 1))
        #expect(try content() == new)
        try database.erase(random: SeededRandomSource(seed: 2))
        #expect(try content() != new)
    }

    @Test func `an erased database counts from the beginning`() throws {
        let first = try journal().capturedSale()
        try database.erase(random: SeededRandomSource(seed: 2))
        let second = try journal()
        #expect(try second.payments().isEmpty)
        #expect(second.lease.number == 1)
        let again = try second.capturedSale()
        #expect(again.payment.id == first.payment.id && again.attempt.id == first.attempt.id)
        #expect(again.attempt.key != first.attempt.key)
    }

    @Test func `other connections see the commits, stay open, and go on after the database was erased`() throws {
        let sale = try journal().capturedSale()
        let other = try database.otherStorage()
        #expect(other !== database.storage)
        #expect(try database.otherStorage() === other)
        let lease = try ProcessLease(in: other)
        #expect(try PaymentJournal(storage: other, lease: lease).payments().map(\.id) == [sale.payment.id])
        try database.erase(random: SeededRandomSource(seed: 2))
        #expect(try PaymentJournal(storage: other, lease: lease).payments().isEmpty)
        _ = try journal().capturedSale()
        #expect(try PaymentJournal(storage: other, lease: lease).payments().count == 1)
    }

    @Test func `a database for processes that lose no power is not flushed`() throws {
        let folder = try TemporaryDatabase()
        let database = try ReusableDatabase(
            path: folder.path, template: DatabaseTemplate(), durability: .off, random: SeededRandomSource(seed: 1))
        #expect(database.storage.durability == .off)
        let other = try database.otherStorage()
        #expect(other.durability == .off)
        func payments() throws -> Int {
            try other.read { try $0.allObjects(ofType: Payment.self, matching: nil, sortedBy: "id", limit: nil).count }
        }
        // The lease ends with the journal, and the next one has its number.
        func capturedSale() throws -> JournalEntry {
            try PaymentJournal(storage: database.storage, lease: ProcessLease(in: database.storage)).capturedSale()
        }
        let sale = try capturedSale()
        #expect(try payments() == 1)
        // Nothing of the sale is in the files.
        try database.erase(random: SeededRandomSource(seed: 2))
        for ending in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: folder.path + ending))
            #expect(bytes.range(of: Data(sale.attempt.key.rawValue.utf8)) == nil)
        }
        #expect(try Data(contentsOf: URL(filePath: folder.path + "-wal")).isEmpty)
        _ = try capturedSale()
        #expect(try payments() == 1)
    }

    @Test func `later writes survive a power cut, and the constraints of the schema hold`() throws {
        _ = try journal().capturedSale()
        try database.erase(random: SeededRandomSource(seed: 2))
        _ = try journal().capturedSale()
        #expect(try folder.afterCut().journal().payments().map(\.state) == [.captured])
        #expect(database.storage.durability == .full)
        #expect(throws: DatabaseError.self) { try folder.execute("DELETE FROM attemptTransition") }
        #expect(try folder.number("SELECT count(*) FROM attemptTransition") == 3)
        #expect(try folder.text("PRAGMA integrity_check") == "ok")
    }
}

@Suite struct DatabaseTemplateTests {
    @Test func `a copy equals a migrated database`() throws {
        let (copied, migrated) = (try TemporaryDatabase(), try TemporaryDatabase())
        try DatabaseTemplate().copy(to: copied.path, random: SeededRandomSource(seed: 5))
        _ = try copied.open(seed: 6)
        _ = try migrated.open(seed: 5)
        for sql in [
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name", "SELECT * FROM storeIdentity",
            "SELECT * FROM pragma_user_version, pragma_application_id, pragma_page_size, pragma_encoding",
        ] {
            #expect(try copied.rows(sql) == migrated.rows(sql))
        }
        #expect(try copied.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `a copy uses a write-ahead log and records payments`() throws {
        let database = try TemporaryDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        let journal = try database.journal()
        #expect(try journal.capturedSale().payment.state == .captured)
        #expect(try database.afterCut().journal().payments().map(\.state) == [.captured])
    }

    @Test func `two copies have different identities`() throws {
        let template = try DatabaseTemplate()
        let identities = try (1...2).map { seed in
            let database = try TemporaryDatabase()
            try template.copy(to: database.path, random: SeededRandomSource(seed: UInt64(seed)))
            return try database.text("SELECT databaseID FROM storeIdentity")
        }
        #expect(Set(identities).count == 2)
        #expect(identities.allSatisfy { $0?.count == 16 })
    }

    @Test func `an existing database stays unchanged`() throws {
        let database = try TemporaryDatabase()
        _ = try database.journal().capturedSale()
        let before = try database.bytes()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        #expect(try database.bytes() == before)
    }

    @Test func `only its owner can read a copy`() throws {
        let database = try TemporaryDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        let attributes = try FileManager.default.attributesOfItem(atPath: database.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a failed copy reports the path and leaves no file`() throws {
        let database = try TemporaryDatabase()
        let path = database.path + "/below/payments.sqlite"
        #expect(FileManager.default.createFile(atPath: database.path, contents: nil))
        #expect {
            try DatabaseTemplate().copy(to: path, random: SeededRandomSource(seed: 5))
        } throws: { error in
            guard case StorageError.notWritable(let place, _)? = error as? StorageError else { return false }
            return place == path
        }
        #expect(try database.bytes().isEmpty)
    }
}

@Suite struct RewindTests {
    private func journal(in storage: SQLiteStorageManager) throws -> PaymentJournal {
        PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    private func identity(of storage: SQLiteStorageManager) throws -> String {
        try storage.read { try DatabaseIdentity.load(from: $0).databaseID }
    }

    @Test func `a rewound database is empty, counts from the beginning and has a new identity`() throws {
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
        #expect(again.attempt.key != begun.attempt.key)
        #expect(try second.transitions(of: again.attempt.id).map(\.state) == [.created])
    }

    @Test func `a rewound database draws its identity like a new one`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        try storage.rewind(random: SeededRandomSource(seed: 9))
        let fresh = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 9))
        #expect(try identity(of: storage) == identity(of: fresh))
    }

    @Test func `a failed operation is rolled back, and earlier ones stay`() throws {
        struct Refused: Error {}
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        let journal = try journal(in: storage)
        let kept = try journal.beginSale()
        #expect(throws: Refused.self) {
            try storage.performAndSave { records in
                var identity = try DatabaseIdentity.load(from: records)
                _ = identity.nextAttempt()
                try records.updateObject(identity)
                throw Refused()
            }
        }
        #expect(try journal.payments().map(\.id) == [kept.payment.id])
        #expect(try storage.read { try DatabaseIdentity.load(from: $0).attempts } == 1)
    }

    @Test func `the constraints of the schema hold in a rewindable database`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        let sale = try journal(in: storage).beginSale()
        let receipt = Receipt(
            ReceiptDraft(kind: .sale, content: "no JSON"), of: sale.payment, sale.attempt, version: 1, createdAt: at(1))
        #expect(throws: StorageError.self) {
            try storage.performAndSave { try $0.insertNewObject(receipt) }
        }
        #expect(try storage.rows("SELECT count(*) AS n FROM receipt").first?.first?.value == "0")
    }

    @Test func `a rewindable database lets inspections read and not write`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        #expect(throws: StorageError.self) { try storage.rows("DELETE FROM storeIdentity") }
        #expect(throws: StorageError.self) { try storage.rows("UPDATE storeIdentity SET attempts = 5") }
        #expect(try storage.rows("SELECT attempts FROM storeIdentity").first?.first?.value == "0")
    }

    @Test func `an inspection leaves the statements of a rewindable database prepared`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        func preparedAgain() throws -> Int32 {
            try storage.writer.unsafeRead { database in
                let sql = DatabaseIdentity.statements.selection + " WHERE id = ?"
                let statement = try database.cachedStatement(sql: sql)
                return sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
            }
        }
        _ = try identity(of: storage)
        let before = try preparedAgain()
        _ = try storage.rows("SELECT id FROM storeIdentity")
        _ = try storage.contents()
        try storage.rewind(random: SeededRandomSource(seed: 2))
        _ = try identity(of: storage)
        #expect(try preparedAgain() == before)
    }

    @Test func `contents are the values of all rows, without those of the session before`() throws {
        let storage = try SQLiteStorageManager(rewindableWith: SeededRandomSource(seed: 1))
        for seed in [1, 2] as [UInt64] {
            try storage.rewind(random: SeededRandomSource(seed: seed))
            _ = try journal(in: storage).beginSale()
            let regular = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: seed))
            _ = try journal(in: regular).beginSale()
            let (contents, expected) = (try storage.contents(), try regular.contents())
            #expect(contents.map(\.table) == expected.map(\.table))
            #expect(contents.map(\.values) == expected.map(\.values))
            let tables = try storage.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            #expect(contents.map(\.table) == tables.compactMap { $0.first?.value })
            for (table, values) in contents {
                let rows = try storage.rows("SELECT * FROM \"\(table)\"")
                #expect(values == rows.flatMap { $0.compactMap(\.value) })
            }
            #expect(contents.first { $0.table == "payment" }?.values.isEmpty == false)
            #expect(contents.first { $0.table == "receipt" }?.values == [])
        }
    }

    @Test func `a regular database is not rewound`() throws {
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

    @Test func `a released lease is dead while its process lives`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let (watcher, other) = (try ProcessLease(in: storage), try ProcessLease(in: storage))
        #expect(try watcher.isAlive(other.number))
        other.release()
        #expect(try !watcher.isAlive(other.number))
        #expect(try other.isAlive(watcher.number))
    }
}
