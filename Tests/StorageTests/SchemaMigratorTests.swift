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

    @Test func `a new database has this program's schema and mark`() throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        #expect(try database.number("PRAGMA user_version") == Int64(SchemaMigrator.current.steps.count))
        #expect(try database.number("PRAGMA application_id") == 0x4350_4159)
    }

    @Test(arguments: 1...SchemaMigrator.current.steps.count)
    func `a database of every released schema opens with everything in it`(_ version: Int) throws {
        let database = try ReleasedDatabase.make(version: version)
        let tables = try database.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
        ).map { $0["name"] as String }
        let queries = try tables.map { table in
            // The states of print jobs mean something else since schema 8: PrintMigrationTests.
            let columns = try database.rows(
                """
                SELECT name FROM pragma_table_xinfo('\(table)')
                WHERE '\(table)' <> 'printJob' OR name NOT IN ('state', 'stateReasons')
                """)
            let names = columns.map { "\"\($0["name"] as String)\"" }.joined(separator: ", ")
            return "SELECT \(names) FROM \"\(table)\""
        }
        let before = try queries.map { try database.rows($0) }
        let storage = try database.open(seed: 2)
        let after = try queries.map { try database.rows($0) }
        #expect(after == before)
        #expect(try database.number("PRAGMA user_version") == SchemaMigrator.current.steps.count)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        #expect(try journal.payments().map(\.state) == [.captured])
        #expect(try journal.payments().map(\.details.odaReason) == [version < 2 ? nil : "dda-failed"])
        #expect(try journal.receipts().count == 1)
        #expect(try ReaderRegister(storage: storage).readers().map(\.id) == (version < 5 ? [] : ["usb 1"]))
        #expect(try journal.beginSale().attempt.id == 2)
    }

    @Test func `a migration keeps every row`() throws {
        let database = try ReleasedDatabase.make(version: 1)
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
        let database = try ReleasedDatabase.make(version: 1)
        #expect(throws: StorageError.self) {
            try open(database, [.version1, SchemaMigrator.Step(sql: sql)])
        }
        #expect(try database.number("PRAGMA user_version") == 1)
        #expect(try database.number("SELECT count(*) FROM printJob") == 1)
        #expect(try database.number("SELECT count(*) FROM pragma_table_info('payment') WHERE name = 'tip'") == 0)
    }

    @Test func `a database that a newer program made is refused and left as it is`() throws {
        let database = try ReleasedDatabase.make(version: 1)
        try database.execute("PRAGMA user_version = 99")
        let before = try database.bytes()
        #expect(
            throws: StorageError.newerSchema(
                path: database.path, found: 99, supported: SchemaMigrator.current.steps.count)
        ) {
            try database.open()
        }
        #expect(try database.bytes() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.folder.path) == ["payments.sqlite"])
    }

    @Test func `a newer schema is seen even when it is only in the write-ahead log`() throws {
        let database = try ReleasedDatabase.make(version: 1)
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
