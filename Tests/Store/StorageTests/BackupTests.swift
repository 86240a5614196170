import Determinism
import Foundation
import GRDB
import Glibc
import Payments
import Testing

@testable import Storage

@Suite struct BackupTests {
    private let database: TemporaryDatabase
    private let random = SeededRandomSource(seed: 5)

    init() throws { database = try TemporaryDatabase() }

    private func file(_ name: String) -> String { database.folder.appendingPathComponent(name).path }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: database.folder.path).sorted() }
    }

    private func backup(to name: String = "backup") throws -> DatabaseSummary {
        try DatabaseBackup.make(of: database.path, at: file(name), replacing: false)
    }

    private func restore(_ name: String = "backup", replacing: Bool = true) throws -> DatabaseRestore {
        try DatabaseRestore(
            of: file(name), to: database.path, replacing: replacing, random: random,
            at: Timestamp(milliseconds: 1_767_355_200_000))
    }

    /// Makes a database with payments that no process has open.
    private func closedDatabase(payments: Int = 1) throws {
        let journal = try database.journal()
        for _ in 0..<payments { _ = try journal.capturedSale() }
    }

    // MARK: Backup

    @Test func `a backup has what the log has, while the database is in use`() throws {
        let journal = try database.journal()
        _ = try journal.capturedSale()
        _ = try journal.beginSale()
        let summary = try backup()
        #expect(summary.path == file("backup"))
        #expect((summary.payments, summary.attempts, summary.openAttempts) == (2, 2, 1))
        #expect(summary.schema == SchemaMigrator.current.steps.count)
        // It goes on in use, and the backup stays as it was.
        _ = try journal.capturedSale()
        #expect(try DatabaseSummary(checking: file("backup")) == summary)
    }

    @Test func `a backup is one private file`() throws {
        let journal = try database.journal()
        _ = try journal.capturedSale()
        let before = try names
        let summary = try backup()
        #expect(try names == (before + ["backup"]).sorted())
        var status = stat()
        #expect(stat(file("backup"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(Int64(status.st_size) == summary.bytes)
        _ = journal
    }

    @Test func `a backup replaces a file only on request`() throws {
        try closedDatabase()
        #expect(FileManager.default.createFile(atPath: file("backup"), contents: Data("mine".utf8)))
        #expect(throws: BackupError.exists(path: file("backup"))) { try backup() }
        #expect(FileManager.default.contents(atPath: file("backup")) == Data("mine".utf8))
        let made = try DatabaseBackup.make(of: database.path, at: file("backup"), replacing: true)
        #expect(made.payments == 1)
    }

    @Test func `a backup never replaces the database itself, a folder, or a link`() throws {
        try closedDatabase()
        for isReplacing in [false, true] {
            #expect(throws: BackupError.isTheDatabase(path: database.path)) {
                try DatabaseBackup.make(of: database.path, at: database.path, replacing: isReplacing)
            }
        }
        #expect(symlink(database.path, file("link")) == 0)
        #expect(throws: BackupError.isTheDatabase(path: file("link"))) {
            try DatabaseBackup.make(of: database.path, at: file("link"), replacing: true)
        }
        #expect(mkdir(file("folder"), 0o700) == 0)
        #expect(throws: BackupError.notARegularFile(path: file("folder"))) {
            try DatabaseBackup.make(of: database.path, at: file("folder"), replacing: true)
        }
    }

    @Test func `a backup that is stopped leaves nothing behind`() throws {
        try closedDatabase()
        // More than one part.
        try database.execute("CREATE TABLE bulk AS SELECT zeroblob(3000000)")
        let before = try names
        var parts = 0
        #expect(throws: BackupError.stopped) {
            try DatabaseBackup.make(of: database.path, at: file("backup"), replacing: false) { _, total in
                parts += 1
                #expect(total > 0)
                return false
            }
        }
        #expect(parts == 1)
        #expect(try names == before)
    }

    @Test func `progress ends with all pages`() throws {
        try closedDatabase()
        var last = (done: 0, total: 0)
        _ = try DatabaseBackup.make(of: database.path, at: file("backup"), replacing: false) { done, total in
            last = (done, total)
            return true
        }
        #expect(last.done == last.total && last.total > 10)
    }

    @Test func `an old schema is backed up as it is`() throws {
        let old = try ReleasedDatabase.make(version: 3)
        let summary = try DatabaseBackup.make(of: old.path, at: file("backup"), replacing: false)
        #expect(summary.schema == 3)
        #expect(try old.number("PRAGMA user_version") == 3)
    }

    @Test func `what is no database is not backed up`() throws {
        #expect(throws: BackupError.storage(.missing(path: database.path))) { try backup() }
        #expect(FileManager.default.createFile(atPath: database.path, contents: Data("no database, just text".utf8)))
        #expect(throws: BackupError.storage(.notADatabase(path: database.path))) { try backup() }
        #expect(try names == ["payments.sqlite"])
    }

    @Test(arguments: [
        ("DELETE FROM storeIdentity", "it has no identity"),
        ("UPDATE storeIdentity SET attempts = 0", "it would use the number of an attempt again"),
        ("UPDATE storeIdentity SET leases = 0", "it would use the number of a process again"),
        ("UPDATE paymentAttempt SET state = 'unknown'", "the history of an attempt does not end in its state"),
        ("UPDATE paymentAttempt SET transitions = 9", "the history of an attempt does not end in its state"),
        (
            """
            INSERT INTO payment (siteID, amount, currency, state, createdAt, updatedAt)
            VALUES (7, 1, 'USD', 'captured', 1, 1)
            """, "a payment has no attempt"
        ),
        (
            "PRAGMA foreign_keys = OFF; UPDATE paymentAttempt SET paymentID = 9; DELETE FROM payment",
            "a row of paymentAttempt refers to one that is not there"
        ),
    ])
    func `a broken rule of the journal is found`(_ sql: String, _ detail: String) throws {
        try closedDatabase()
        try database.execute(sql)
        let error = try #require(throws: BackupError.self) { try backup() }
        guard case .damaged(_, detail) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try !names.contains("backup"))
    }

    // MARK: Restore

    @Test func `a restored database has a new identity, and asks every host about its former one`() throws {
        let old: String
        do {
            let journal = try database.journal()
            _ = try journal.capturedSale()
            old = try journal.identitiesToConfirm(hostName: "simulated").current
        }
        _ = try backup()
        unlink(database.path)
        let restored = try restore(replacing: false)
        #expect(restored.formerIdentity == old)
        #expect(restored.kept == nil)
        #expect(restored.summary.identity != old)
        #expect(restored.summary.path == database.path)
        let journal = try database.journal()
        for name in ["simulated", "another"] {
            let question = try journal.identitiesToConfirm(hostName: name)
            #expect(question.current == restored.summary.identity)
            #expect(question.unconfirmed == [old])
        }
        // Nothing was lost, and yet it is a backup: an open attempt may have gone on.
        let answer = IdentityAnswer(current: restored.summary.identity, numbers: [old: 1], hostName: "simulated")
        let found = try #require(
            try journal.confirmIdentity(answer, successor: "00000000000000bb", at: at(5)))
        #expect(found.map(\.state) == [.restored])
        #expect(found.map(\.hostName) == ["simulated"])
        #expect(try journal.restoredThrough() == 1)
        let next = try journal.beginSale().attempt
        #expect(next.key == IdempotencyKey(identity: restored.summary.identity, number: 2))
        #expect(try journal.identitiesToConfirm(hostName: "another").unconfirmed.isEmpty)
    }

    @Test func `two restores of one backup have different identities`() throws {
        try closedDatabase()
        _ = try backup()
        let first = try restore().summary.identity
        let second = try restore().summary.identity
        #expect(first != second)
    }

    @Test func `numbers that were used after the backup are left out`() throws {
        try closedDatabase()
        _ = try backup()
        let restored = try restore()
        let journal = try database.journal()
        let answer = IdentityAnswer(
            current: restored.summary.identity, numbers: [restored.formerIdentity: 4], hostName: "simulated")
        _ = try journal.confirmIdentity(answer, successor: "00000000000000bb", at: at(5))
        #expect(try journal.beginSale().payment.name == "P000005")
    }

    @Test func `a database is replaced only on request, and kept`() throws {
        try closedDatabase(payments: 2)
        _ = try backup()
        try closedDatabase()
        #expect(throws: BackupError.exists(path: database.path)) { try restore(replacing: false) }
        #expect(try database.number("SELECT count(*) FROM payment") == 3)
        let restored = try restore()
        #expect(restored.kept == database.path + ".replaced-20260102T120000Z")
        #expect(try database.number("SELECT count(*) FROM payment") == 2)
        #expect(try DatabaseSummary(checking: #require(restored.kept)).payments == 3)
        // The second time in the same second.
        #expect(try restore().kept == database.path + ".replaced-20260102T120000Z-2")
    }

    @Test func `a database that is open is not replaced`() throws {
        let journal = try database.journal()
        _ = try journal.capturedSale()
        _ = try backup()
        let before = try names
        #expect(throws: BackupError.inUse(path: database.path)) { try restore() }
        #expect(try names == before)
        _ = try journal.capturedSale()
    }

    @Test func `a damaged database is replaced and kept with its log`() throws {
        try closedDatabase()
        _ = try backup()
        #expect(FileManager.default.createFile(atPath: database.path, contents: Data("all gone".utf8)))
        #expect(FileManager.default.createFile(atPath: database.path + "-wal", contents: Data("log".utf8)))
        let kept = try #require(try restore().kept)
        #expect(FileManager.default.contents(atPath: kept) == Data("all gone".utf8))
        #expect(FileManager.default.contents(atPath: kept + "-wal") == Data("log".utf8))
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `a log without a database is not applied to the restored one`() throws {
        try closedDatabase()
        _ = try backup()
        unlink(database.path)
        #expect(FileManager.default.createFile(atPath: database.path + "-wal", contents: Data("log".utf8)))
        #expect(throws: BackupError.exists(path: database.path)) { try restore(replacing: false) }
        let kept = try #require(try restore().kept)
        #expect(FileManager.default.contents(atPath: kept + "-wal") == Data("log".utf8))
    }

    @Test func `a database of another program is left alone`() throws {
        try closedDatabase()
        _ = try backup()
        unlink(database.path)
        try DatabaseQueue(path: database.path).write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
        let before = try names
        #expect(throws: BackupError.storage(.foreignDatabase(path: database.path))) { try restore() }
        #expect(try names == before)
    }

    @Test func `a backup of an old schema is migrated, and stays as it is`() throws {
        let old = try ReleasedDatabase.make(version: 8)
        _ = try DatabaseBackup.make(of: old.path, at: file("backup"), replacing: false)
        let before = FileManager.default.contents(atPath: file("backup"))
        let restored = try restore(replacing: false)
        #expect(restored.summary.schema == SchemaMigrator.current.steps.count)
        #expect(try database.text("SELECT hostName FROM formerIdentity") == "")
        #expect(FileManager.default.contents(atPath: file("backup")) == before)
    }

    @Test func `a damaged backup is not restored`() throws {
        try closedDatabase()
        _ = try backup()
        let bytes = try #require(FileManager.default.contents(atPath: file("backup")))
        #expect(FileManager.default.createFile(atPath: file("backup"), contents: bytes.prefix(bytes.count / 2)))
        let before = try names
        #expect(throws: BackupError.self) { try restore() }
        #expect(try names == before)
        #expect(try database.number("SELECT count(*) FROM formerIdentity") == 0)
    }

    @Test func `a backup is not restored onto itself`() throws {
        try closedDatabase()
        #expect(throws: BackupError.isTheDatabase(path: database.path)) {
            try DatabaseRestore(
                of: database.path, to: database.path, replacing: true, random: random, at: at(0))
        }
    }
}
