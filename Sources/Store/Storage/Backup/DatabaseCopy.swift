import GRDB
import GRDBSQLite
import Glibc

/// Copies a database, which other processes may use meanwhile, to a file of its own.
///
/// The copy has all records of one moment, also those in the write-ahead log (SQLite's online backup inside a read
/// transaction, sqlite.org/backup.html). It is one file: it needs no log.
struct DatabaseCopy {
    /// Called after each part with the pages that are done and all pages; the work stops when it returns false.
    typealias OnProgress = (_ done: Int, _ total: Int) -> Bool

    /// The pages of a part: 1 MiB.
    private static let part: CInt = 256

    /// The copy's own path, beside its final name.
    let path: String

    /// Copies a database to a new file beside `target`, readable only by its owner, and flushes it.
    ///
    /// - Throws: ``BackupError``; no file is left behind then.
    init(of source: String, beside target: String, onProgress: OnProgress) throws(BackupError) {
        path = "\(target).\(getpid()).new"
        do {
            let reader = try Self.open(source)
            defer { try? reader.close() }
            unlink(path)
            try DatabaseFile.create(at: path)
            try Self.copy(reader, to: path, onProgress)
            try flush(isOneFile: true)
        } catch {
            remove()
            let failure = BackupError(error, path: source)
            // It is the copy that needs room.
            if case .storage(.diskFull) = failure { throw .storage(.diskFull(path: target)) }
            throw failure
        }
    }

    /// Opens a database of any schema, also on a read-only disk. It is not migrated.
    private static func open(_ path: String) throws(StorageError) -> any DatabaseWriter {
        guard DatabaseFile.exists(at: path) else { throw .missing(path: path) }
        guard !DatabaseFile.isFolder(path) else { throw .notADatabase(path: path) }
        let configuration = SQLiteStorageManager.configuration(path: path, schema: .current)
        do { return try DatabaseQueue(path: path, configuration: configuration) } catch {
            let failure = StorageError(error, path: path)
            guard case .notWritable = failure else { throw failure }
            return try ReadOnlyDatabase.open(path, configuration, ofAnySchema: true)
        }
    }

    private static func copy(_ source: any DatabaseWriter, to path: String, _ onProgress: OnProgress) throws {
        let target = try DatabaseQueue(path: path)
        defer { try? target.close() }
        try source.read { source in
            // The first query fixes the moment of the copy.
            _ = try SchemaMigrator.version(of: source)
            try target.writeWithoutTransaction { target in
                // A half-written copy is deleted, and a whole one flushed at the end.
                try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                guard
                    let backup = sqlite3_backup_init(
                        target.sqliteConnection, "main", source.sqliteConnection, "main")
                else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: sqlite3_errcode(target.sqliteConnection)))
                }
                var code = SQLITE_OK
                var goesOn = true
                while goesOn, code == SQLITE_OK {
                    code = sqlite3_backup_step(backup, part)
                    let total = Int(sqlite3_backup_pagecount(backup))
                    goesOn = onProgress(total - Int(sqlite3_backup_remaining(backup)), total)
                }
                let ending = sqlite3_backup_finish(backup)
                guard goesOn || code == SQLITE_DONE else { throw BackupError.stopped }
                guard code == SQLITE_DONE, ending == SQLITE_OK else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code == SQLITE_DONE ? ending : code))
                }
            }
        }
    }

    /// Flushes the file, which no connection may have open.
    ///
    /// - Parameter isOneFile: whether to mark it first as a database without a write-ahead log.
    /// - Throws: ``BackupError/system(path:doing:reason:)``
    func flush(isOneFile: Bool) throws(BackupError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("write") }
        defer { close(descriptor) }
        if isOneFile {
            let (place, bytes) = (DatabaseTemplate.formatVersions, DatabaseTemplate.rollbackJournal)
            guard pwrite(descriptor, bytes, bytes.count, off_t(place.lowerBound)) == bytes.count else {
                throw failure("write")
            }
        }
        guard fsync(descriptor) == 0 else { throw failure("write") }
    }

    /// Gives the copy its final name.
    ///
    /// - Parameters:
    ///   - target: the final path.
    ///   - isReplacing: whether to replace a file of this name.
    /// - Throws: ``BackupError/exists(path:)``, ``BackupError/system(path:doing:reason:)``
    func move(to target: String, replacing isReplacing: Bool) throws(BackupError) {
        if isReplacing {
            guard rename(path, target) == 0 else { throw failure("write", target) }
        } else if link(path, target) == 0 {
            unlink(path)
        } else {
            guard errno != EEXIST else { throw .exists(path: target) }
            // A file system without links. An empty file of our own keeps the name until the copy is there.
            let descriptor = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw errno == EEXIST ? BackupError.exists(path: target) : failure("write", target)
            }
            close(descriptor)
            guard rename(path, target) == 0 else { throw failure("write", target) }
        }
        try Self.flushFolder(of: target)
    }

    /// Makes the names in a folder survive a power failure.
    static func flushFolder(of path: String) throws(BackupError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .system(path: folder, doing: "write", reason: String(cString: strerror(errno)))
        }
    }

    /// Deletes the copy and what SQLite leaves beside it.
    func remove() { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }

    private func failure(_ doing: String, _ other: String? = nil) -> BackupError {
        .system(path: other ?? path, doing: doing, reason: String(cString: strerror(errno)))
    }
}
