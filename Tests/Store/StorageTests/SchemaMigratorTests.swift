import Determinism
import Foundation
import GRDB
import Money
import Payments
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
            // Schema 8 changed the states of print jobs; see PrintMigrationTests.
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
        #expect(
            try journal.payments().map(\.card?.offlineDataAuthenticationReason) == [version < 2 ? nil : "dda-failed"])
        #expect(try journal.receipts().count == 1)
        #expect(try ReaderRegister(storage: storage).readers().map(\.id) == (version < 5 ? [] : ["usb 1"]))
        #expect(try journal.beginSale().attempt.id == 2)
    }

    /// A database of schema 8, made from frozen SQL instead of this program's migrations.
    private func frozenDatabase() throws -> TemporaryDatabase {
        let database = try TemporaryDatabase()
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            BEGIN;
            \(FrozenSchema8.sql)
            INSERT INTO storeIdentity VALUES (1, '0123456789abcdef', 1, 1);
            INSERT INTO payment (siteID, orderID, amount, currency, state, createdAt, updatedAt, last4, authCode)
            VALUES (7, 42, 1250, 'USD', 'captured', 1000, 1002, '1119', 'A1B2C3');
            INSERT INTO paymentAttempt (paymentID, kind, idempotencyKey, state, stan, hostName, amount, currency, lease,
                transitions, createdAt, updatedAt)
            VALUES (1, 'sale', '0123456789abcdef-1', 'captured', 1, 'simulated', 1250, 'USD', 1, 3, 1000, 1002);
            INSERT INTO attemptTransition VALUES
                (1, 1, 'created', 1000, NULL), (1, 2, 'authorizing', 1001, NULL), (1, 3, 'captured', 1002, NULL);
            INSERT INTO receipt (paymentID, kind, content, createdAt, attemptID, orderID, amount, currency, last4)
            VALUES (1, 'sale', '{"amount":"12.50"}', 1002, 1, 42, 1250, 'USD', '1119');
            INSERT INTO "order" (siteID, id, orderKey, number, status, currency, customerNote, discountTotal,
                discountTax, shippingTotal, shippingTax, total, totalTax, paymentMethod, paymentMethodTitle)
            VALUES (7, 42, 'key', '42', 'cancelled', 'USD', '', '0.00', '0.00', '0.00', '0.00', '12.50', '2.00', 'cheque',
                'Check');
            INSERT INTO orderCouponLine (parentRow, position, id, code, discount, discountTax)
            VALUES (1, 0, 3, 'spring', '1.00', '0.00');
            PRAGMA application_id = 0x43504159;
            PRAGMA user_version = 8;
            COMMIT;
            """)
        return database
    }

    @Test func `a frozen database of schema 8 opens with its payment, receipt and order`() throws {
        let database = try frozenDatabase()
        let tables = ["payment", "paymentAttempt", "attemptTransition", "receipt", "order", "orderCouponLine"]
        let queries = try tables.map { table in
            // A later schema may add columns.
            let names = try database.rows("SELECT name FROM pragma_table_xinfo('\(table)')")
                .map { "\"\($0["name"] as String)\"" }
            return "SELECT \(names.joined(separator: ", ")) FROM \"\(table)\""
        }
        let before = try queries.map { try database.rows($0) }
        let storage = try database.open(seed: 2)
        #expect(try queries.map { try database.rows($0) } == before)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        #expect(try journal.payments().map(\.state) == [.captured])
        #expect(try journal.receipts().map(\.content) == [#"{"amount":"12.50"}"#])
        let orders = try storage.read { try $0.records(OrderRecord.self, matching: { $0.siteID == 7 && $0.id == 42 }) }
        #expect(orders.map(\.status) == ["cancelled"])
        #expect(orders.map(\.total.description) == ["12.50"])
        #expect(orders.first?.couponLines.map(\.code) == ["spring"])
        #expect(try journal.beginSale().attempt.id == 2)
    }

    @Test func `the migrations lead to the frozen schema 8`() throws {
        let frozen = try frozenDatabase()
        let migrated = try TemporaryDatabase()
        _ = try open(migrated, Array(SchemaMigrator.current.steps.prefix(8)))
        let schemas = try [frozen, migrated].map { database in
            try database.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name").map
            {
                [$0["type"], $0["name"], ($0["sql"] as String).filter { !$0.isWhitespace }] as [String]
            }
        }
        #expect(schemas[0] == schemas[1])
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

    @Test func `a database of a newer version is rejected and stays unchanged`() throws {
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

    @Test func `a newer schema is detected even when it is only in the write-ahead log`() throws {
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

    @Test func `the identity of a database is random and permanent`() throws {
        let (first, second) = (try TemporaryDatabase(), try TemporaryDatabase())
        for (database, seed) in [(first, UInt64(1)), (second, 2), (first, 3)] { _ = try database.open(seed: seed) }
        let identities = try [first, second].map { try #require(try $0.text("SELECT databaseID FROM storeIdentity")) }
        #expect(identities[0] != identities[1])
        #expect(identities.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        let drawn = DatabaseIdentity(drawnFrom: SeededRandomSource(seed: 1)).databaseID
        #expect(identities[0] == drawn)
    }
}

/// The migration of receipts and print jobs to schema 8.
@Suite struct PrintMigrationTests {
    private static let content = """
        {"amount":"12.50","currency":"USD","orderID":42,"card":{"lastFour":"0010","authorizationCode":"A1B2C3"}}
        """

    @Test func `the migration makes receipts searchable and numbers their versions`() throws {
        let database = try ReleasedDatabase.make(
            version: 7,
            more: """
                INSERT INTO receipt (paymentID, kind, content, createdAt) VALUES
                    (1, 'sale', '\(Self.content)', 1002), (1, 'sale', '\(Self.content)', 5000),
                    (1, 'refund', '{"amount":"1e5","currency":"usd","card":{"lastFour":"12345"}}', 6000),
                    (1, 'unknown', '{"amount":"99999999999999","card":null}', 7000)
                """)
        _ = try database.open()
        let rows = try database.rows("SELECT * FROM receipt ORDER BY id")
        #expect(rows.map { $0["version"] as Int } == [1, 2, 1, 1, 1])
        // Only receipts that were written with the attempt's last step are linked to it.
        #expect(rows.map { $0["attemptID"] as Int? } == [1, 1, nil, nil, nil])
        #expect(rows.map { $0["orderID"] as Int? } == [42, 42, 42, 42, 42])
        #expect(rows.map { $0["amount"] as Int? } == [nil, 1250, 1250, nil, nil])
        #expect(rows.map { $0["currency"] as String? } == [nil, "USD", "USD", nil, nil])
        #expect(rows.map { $0["last4"] as String? } == [nil, "0010", "0010", nil, nil])
        #expect(rows.map { $0["authCode"] as String? } == [nil, "A1B2C3", "A1B2C3", nil, nil])
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE receipt SET kind = 'refund'") }
    }

    @Test func `the migration does not overstate the states of print jobs`() throws {
        let old: [(state: String, jobID: Int?)] = [
            ("submitting", nil), ("pending", 1), ("held", 2), ("processing", 3), ("stopped", 4), ("canceled", 5),
            ("aborted", 6), ("aborted", nil), ("completed", 7), ("unknown", nil),
        ]
        let values = old.map { state, job in
            "(1, 'till', \(job.map(String.init) ?? "NULL"), 'customer', 1, '\(state)', 'job-printing Busy.', 2000, 2001)"
        }
        let database = try ReleasedDatabase.make(
            version: 7,
            more: """
                INSERT INTO printJob (receiptID, printer, jobID, copy, copies, state, stateReasons, createdAt, updatedAt)
                VALUES \(values.joined(separator: ", "))
                """)
        let journal = try database.journal()
        // The first row belongs to the released database.
        let jobs = try journal.prints(of: nil).reversed().dropFirst()
        #expect(
            jobs.map(\.state) == [
                .unknown, .accepted, .accepted, .sent, .sent, .failed, .failed, .failed, .sent, .unknown,
            ])
        // Unfinished jobs with a number can still be polled.
        #expect(jobs.map(\.isOpen) == [false, true, true, true, true, false, false, false, false, false])
        // Only rejected jobs certainly produced no paper.
        #expect(jobs.map(\.mayBePrinted) == [true, true, true, true, true, true, true, false, true, true])
        #expect(jobs.map(\.isDuplicate) == [false, true, true, true, true, true, true, true, true, true])
        #expect(jobs.map(\.jobID) == [nil, 1, 2, 3, 4, 5, 6, nil, 7, nil])
        #expect(jobs.allSatisfy { $0.message == "job-printing Busy." && $0.format == "text/plain" })
        #expect(try journal.openPrints().count == 4)
        for job in jobs {
            let steps = try journal.history(of: job).steps
            #expect(steps.map(\.state) == [.queued, job.state])
            #expect(steps.map(\.at.milliseconds) == [2000, 2001])
        }
        #expect(
            try journal.recordPrint(
                ReceiptPrintDraft(receiptID: 1, printer: "till", copy: .customer), at: at(3000)
            ).id == 12)
    }
}
