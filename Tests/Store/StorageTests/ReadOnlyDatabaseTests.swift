import Foundation
import GRDB
import Glibc
import Payments
import Synchronization
import Testing

@testable import Storage

@Suite struct ReadOnlyDatabaseTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    /// Takes the right to write to the folder and its files away, also from root, while `body` runs.
    private func onReadOnlyDisk<T>(_ body: @escaping @Sendable () throws -> T) throws -> T where T: Sendable {
        let files = try FileManager.default.contentsOfDirectory(atPath: database.folder.path)
        for file in files { chmod(database.folder.path + "/" + file, 0o444) }
        chmod(database.folder.path, 0o555)
        defer { chmod(database.folder.path, 0o755) }
        let result = OneResult<T>()
        // The rights of a thread to files are its own (setfsuid(2)). It ends with them.
        let thread = Thread {
            typealias Call = @convention(c) (uid_t) -> Int32
            if geteuid() == 0, let setfsuid = dlsym(nil, "setfsuid") {
                _ = unsafeBitCast(setfsuid, to: Call.self)(65534)
            }
            result.give(Result { try body() })
        }
        thread.start()
        return try result.wait().get()
    }

    @Test func `a database that does not exist is not created`() throws {
        let path = database.folder.path + "/shop/typo.sqlite"
        #expect(throws: StorageError.missing(path: path)) { _ = try SQLiteStorageManager(existingAt: path) }
        #expect(throws: StorageError.missing(path: path)) { _ = try SQLiteStorageManager(readingAt: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.folder.path).isEmpty)
    }

    @Test func `an existing database is opened and migrated as always`() throws {
        let old = try ReleasedDatabase.make(version: 3)
        let storage = try SQLiteStorageManager(existingAt: old.path)
        #expect(!storage.isReadOnly)
        #expect(try old.number("PRAGMA user_version") == SchemaMigrator.current.steps.count)
    }

    @Test(arguments: [false, true])
    func `on a read-only disk a database is read and stays as it was`(isOpenElsewhere: Bool) throws {
        var till: PaymentJournal? = try database.journal()
        _ = try till?.capturedSale(1250)
        let open = try #require(try till?.beginSale(700).attempt.id)
        // The last connection moves the log into the file when it closes.
        if !isOpenElsewhere { till = nil }
        // Closing a file that SQLite has open would drop its locks.
        let before = isOpenElsewhere ? Data() : try database.bytes()
        let path = database.path
        try onReadOnlyDisk {
            #expect(throws: StorageError.self) {
                let storage = try SQLiteStorageManager(existingAt: path)
                _ = try ProcessLease(in: storage)
            }
            let storage = try SQLiteStorageManager(readingAt: path)
            #expect(storage.isReadOnly)
            let journal = PaymentJournal(reading: storage)
            #expect(try journal.payments().map(\.amount) == [try usd(700), try usd(1250)])
            #expect(try journal.attempts(of: PaymentID(rawValue: 2)).map(\.id) == [open])
            #expect(throws: JournalError.self) { try journal.beginSale() }
        }
        if !isOpenElsewhere { #expect(try database.bytes() == before) }
        #expect(try database.number("SELECT count(*) FROM payment") == 2)
        withExtendedLifetime(till) {}
    }

    @Test func `changes that a power cut left in the log are not passed over in silence`() throws {
        let journal = try database.journal()
        _ = try journal.capturedSale()
        let cut = try database.afterCut()
        let tests = try ReadOnlyDatabaseTests(of: cut)
        let path = cut.path
        try tests.onReadOnlyDisk {
            let error = #expect(throws: StorageError.self) { _ = try SQLiteStorageManager(readingAt: path) }
            guard case .notReadable(path, let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("-wal"))
        }
    }

    @Test func `an older database is not read, since it can't be migrated`() throws {
        let old = try ReleasedDatabase.make(version: 8)
        let newest = SchemaMigrator.current.steps.count
        #expect(
            throws: StorageError.notReadable(
                path: old.path, reason: "it has schema 8 and must be migrated to schema \(newest) first")
        ) { _ = try SQLiteStorageManager(readingAt: old.path) }
        #expect(try old.number("PRAGMA user_version") == 8)
    }

    @Test func `another program's database is refused`() throws {
        try database.execute("CREATE TABLE t (a)")
        #expect(throws: StorageError.foreignDatabase(path: database.path)) {
            _ = try SQLiteStorageManager(readingAt: database.path)
        }
    }

    private init(of database: TemporaryDatabase) throws { self.database = database }
}

/// Hands a result from one thread to another.
private final class OneResult<T: Sendable>: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<T, any Error>?>(nil)

    func give(_ result: Result<T, any Error>) {
        self.result.withLock { $0 = result }
        semaphore.signal()
    }

    func wait() -> Result<T, any Error> {
        semaphore.wait()
        return result.withLock { $0 } ?? .failure(CancellationError())
    }
}
