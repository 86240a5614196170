import Determinism
import Foundation
import GRDB
import Payments
import Synchronization
import Testing

@testable import Storage

@Suite struct SQLiteStorageManagerTests {
    @Test func `a commit of money is flushed to the disk`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let pragmas = try storage.writer.writeWithoutTransaction { connection in
            try ["synchronous", "foreign_keys", "busy_timeout"].map {
                try Int.fetchOne(connection, sql: "PRAGMA \($0)")
            }
        }
        #expect(pragmas == [2, 1, 5000])
        #expect(try database.text("PRAGMA journal_mode") == "wal")
    }

    @Test(arguments: Durability.allCases)
    func `the durability is the requested one`(_ durability: Durability) throws {
        let database = try TemporaryDatabase()
        let storage = try database.open(durability)
        let level = try storage.writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(level == durability.rawValue)
    }

    @Test func `missing folders are created, readable only by their owner`() throws {
        let database = try TemporaryDatabase()
        let path = database.folder.appendingPathComponent("data/shop/payments.sqlite").path
        _ = try SQLiteStorageManager(path: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `an error rolls back the whole operation`() throws {
        struct Stop: Error {}
        let database = try TemporaryDatabase()
        let storage = try database.open()
        #expect(throws: Stop.self) {
            try storage.performAndSave { storage in
                try storage.insertNewObject(
                    Payment(siteID: 1, orderID: nil, amount: try usd(100), createdAt: at(1)))
                throw Stop()
            }
        }
        #expect(try database.number("SELECT count(*) FROM payment") == 0)
    }

    @Test func `a canceled task still records its results`() async throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try storage.performAndSave { storage in
                try storage.insertNewObject(
                    Payment(siteID: 1, orderID: nil, amount: try usd(100), createdAt: at(1)))
            }
        }
        #expect(try await task.value.id == PaymentID(rawValue: 1))
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `a reader sees only committed records and does not wait for the writer`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        try storage.performAndSave { writing in
            try writing.insertNewObject(Payment(siteID: 1, orderID: nil, amount: try usd(100), createdAt: at(1)))
            #expect(try database.number("SELECT count(*) FROM payment") == 0)
        }
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `a database in memory works the same way`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 3))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let entry = try journal.capturedSale()
        #expect(try journal.payments() == [entry.payment])
    }

    // MARK: Databases that cannot be opened

    @Test func `a folder that cannot be created is reported with the reason`() throws {
        #expect(throws: StorageError.self) { try SQLiteStorageManager(path: "/proc/cardpresent/payments.sqlite") }
        let database = try TemporaryDatabase()
        try Data("a file".utf8).write(to: database.folder.appendingPathComponent("file"))
        let path = database.folder.appendingPathComponent("file/payments.sqlite").path
        #expect(throws: StorageError.notWritable(path: path, reason: "Not a directory")) {
            try SQLiteStorageManager(path: path)
        }
    }

    @Test func `a path of a folder is an error`() throws {
        let database = try TemporaryDatabase()
        let error = #expect(throws: StorageError.self) { try SQLiteStorageManager(path: database.folder.path) }
        guard case .notWritable? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write anywhere"))
    func `a read-only folder is reported`() throws {
        let database = try TemporaryDatabase()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: database.folder.path)
        #expect(throws: StorageError.notWritable(path: database.path, reason: "Permission denied")) {
            try database.open()
        }
    }

    @Test func `a file that is not a database stays unchanged`() throws {
        let database = try TemporaryDatabase()
        let text = Data(String(repeating: "minutes of the meeting\n", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: database.path))
        #expect(throws: StorageError.notADatabase(path: database.path)) { try database.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.path)) == text)
    }

    @Test func `a database of another program stays unchanged`() throws {
        let database = try TemporaryDatabase()
        try database.execute("CREATE TABLE recipe (name TEXT)")
        let before = try database.bytes()
        #expect(throws: StorageError.foreignDatabase(path: database.path)) { try database.open() }
        #expect(try database.bytes() == before)
    }

    @Test func `a damaged database is reported as damaged`() throws {
        let database = try TemporaryDatabase()
        do { _ = try database.open() }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: database.path))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 3000))
        try handle.close()
        let error = #expect(throws: StorageError.self) { try database.open() }
        guard case .corrupt? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test func `an invalid value is reported as damage, not a crash`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        _ = try journal.beginSale()
        try database.execute("PRAGMA ignore_check_constraints = ON; UPDATE payment SET state = 'paid'")
        #expect(
            throws: JournalError.storage(.corrupt(path: database.path, detail: "unreadable state in payment"))
        ) { try journal.payments() }
    }

    @Test func `a full disk loses nothing that was committed`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        try storage.writer.writeWithoutTransaction { connection in
            let pages = try Int.fetchOne(connection, sql: "PRAGMA page_count") ?? 0
            try connection.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        var begun = 0
        let error = #expect(throws: JournalError.self) {
            for _ in 0..<10_000 {
                _ = try journal.beginSale()
                begun += 1
            }
        }
        #expect(error == .storage(.diskFull(path: database.path)))
        #expect(begun > 0)
        #expect(try database.number("SELECT count(*) FROM payment") == begun)
        #expect(try database.number("SELECT count(*) FROM paymentAttempt") == begun)
        #expect(try database.number("SELECT count(*) FROM attemptTransition") == begun)
        #expect(try database.number("SELECT attempts FROM storeIdentity") == begun)

        try storage.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        #expect(try journal.beginSale().attempt.id == Int64(begun + 1))
    }

    @Test func `a database that another process keeps locked is busy`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        try storage.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
        try DatabaseQueue(path: database.path).inTransaction(.immediate) { _ in
            #expect(throws: StorageError.busy(path: database.path)) {
                try storage.performAndSave {
                    try $0.insertNewObject(
                        Payment(siteID: 1, orderID: nil, amount: try usd(100), createdAt: at(1)))
                }
            }
            return .rollback
        }
    }

    @Test func `a database is created once when many programs open it at the same time`() async throws {
        for _ in 0..<25 {
            let database = try TemporaryDatabase()
            let identities = try await withThrowingTaskGroup(of: String.self) { group in
                for seed in UInt64(1)...8 {
                    group.addTask {
                        let storage = try database.open(seed: seed)
                        return try storage.read { try DatabaseIdentity.load(from: $0).databaseID }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(identities.count == 1)
        }
    }

    @Test func `a program waits while another one creates the database`() throws {
        let database = try TemporaryDatabase()
        let other = try OtherProgram(holding: database.path)
        let paused = Paused()
        let retry = BusyRetry(pauses: [.milliseconds(1), .milliseconds(2), .milliseconds(4)]) { duration in
            if paused.add(duration) == 2 { other.letGo() }
        }
        let storage = try SQLiteStorageManager(
            path: database.path, durability: .full, random: SeededRandomSource(seed: 1), schema: .current,
            retry: retry)
        #expect(paused.durations == [.milliseconds(1), .milliseconds(2)])
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        let pragmas = try storage.writer.writeWithoutTransaction { connection in
            try ["synchronous", "busy_timeout"].map { try Int.fetchOne(connection, sql: "PRAGMA \($0)") }
        }
        #expect(pragmas == [2, 5000])
    }

    @Test func `a new database that stays locked is busy`() throws {
        let database = try TemporaryDatabase()
        let other = try OtherProgram(holding: database.path)
        let paused = Paused()
        let retry = BusyRetry(pauses: [.milliseconds(1), .milliseconds(2)]) { _ = paused.add($0) }
        #expect(throws: StorageError.busy(path: database.path)) {
            try SQLiteStorageManager(
                path: database.path, durability: .full, random: SeededRandomSource(seed: 1), schema: .current,
                retry: retry)
        }
        #expect(paused.durations == [.milliseconds(1), .milliseconds(2)])
        other.letGo()
        _ = try database.open()
    }

    @Test func `closing moves the log into the file, and later accesses fail`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        _ = try journal.capturedSale()
        // A connection that can only read is open too.
        #expect(try journal.payments().count == 1)
        let log = database.path + "-wal"
        #expect(FileManager.default.fileExists(atPath: log))
        storage.close()
        #expect(!FileManager.default.fileExists(atPath: log))
        #expect(!FileManager.default.fileExists(atPath: database.path + "-shm"))
        #expect(throws: JournalError.self) { try journal.payments() }
        #expect(throws: JournalError.self) { try journal.beginSale() }
        // Again, it does nothing.
        storage.close()
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `closing does not wait for another program, which keeps the log`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        _ = try PaymentJournal(storage: storage, lease: try ProcessLease(in: storage)).capturedSale()
        let other = try OtherProgram(holding: database.path)
        storage.close()
        #expect(FileManager.default.fileExists(atPath: database.path + "-wal"))
        other.letGo()
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `the retries last as long as SQLite's busy timeout`() {
        #expect(BusyRetry.standard.pauses.reduce(.zero, +) == .milliseconds(4988))
    }
}

/// A process that locks a database.
private struct OtherProgram: Sendable {
    private let connection: DatabaseQueue

    init(holding path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    func letGo() {
        do { try connection.writeWithoutTransaction { try $0.execute(sql: "COMMIT") } } catch { Issue.record(error) }
    }
}

/// Counts pauses instead of sleeping.
private final class Paused: Sendable {
    private let taken = Mutex<[Duration]>([])

    var durations: [Duration] { taken.withLock { $0 } }

    /// - Returns: The number of pauses so far.
    func add(_ duration: Duration) -> Int {
        taken.withLock {
            $0.append(duration)
            return $0.count
        }
    }
}
