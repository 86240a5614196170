public import Determinism
import GRDB
import Glibc
import Text

/// Puts a backup in the place of a database, as a database with a new identity.
///
/// The host may know attempts that the backup lacks, under numbers that the backup would use again. The identity of the
/// backup is therefore given up at once, and the till asks the host about it at the next opening; see
/// ``FormerIdentity``.
public struct DatabaseRestore: Hashable, Sendable {
    /// The contents of the restored database.
    public let summary: DatabaseSummary
    /// The identity that the backup had.
    public let formerIdentity: String
    /// Where the database that was replaced is now; nil when there was none.
    public let kept: String?

    /// Copies a backup, checks it, gives it a new identity, and puts it in the place of a database, which this process
    /// must not have open.
    ///
    /// - Parameters:
    ///   - backup: the path of the backup, which stays as it is.
    ///   - path: the path of the database. Missing folders are created.
    ///   - isReplacing: whether to replace a database. It is kept beside, under a name with the time.
    ///   - random: the source of the new identity.
    ///   - moment: the time of the restore.
    ///   - onProgress: called with the pages that are done and all pages; the work stops when it returns false.
    /// - Throws: ``BackupError``; the database is as it was then.
    public init(
        of backup: String, to path: String, replacing isReplacing: Bool, random: any RandomSource,
        at moment: Timestamp, onProgress: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(BackupError) {
        let place = try RestorePlace(path, apartFrom: backup)
        guard isReplacing || !place.isOccupied else { throw .exists(path: path) }
        let copy = try DatabaseCopy(of: backup, beside: path, onProgress: onProgress)
        do throws(BackupError) {
            formerIdentity = try DatabaseSummary(checking: copy.path).identity
            try Self.giveNewIdentity(to: copy.path, random: random, at: moment)
            try copy.flush(isOneFile: false)
            let summary = try DatabaseSummary(checking: copy.path)
            kept = try place.take(by: copy, replacing: isReplacing, at: moment)
            self.summary = summary.moved(to: path)
        } catch {
            copy.remove()
            throw error
        }
    }

    /// Migrates the copy to the current schema, and records its identity as one that a restore gave up.
    private static func giveNewIdentity(
        to path: String, random: any RandomSource, at moment: Timestamp
    ) throws(BackupError) {
        do {
            let queue = try DatabaseQueue(
                path: path, configuration: SQLiteStorageManager.configuration(path: path, schema: .current))
            try SchemaMigrator.current.migrate(queue, random: random)
            try queue.write { database in
                let storage = SQLiteStorage(database: database)
                var identity = try DatabaseIdentity.load(from: storage)
                let former = try storage.allObjects(ofType: FormerIdentity.self, matching: .all)
                let taken = Set([identity.databaseID] + former.flatMap { [$0.databaseID, $0.successor] })
                var successor = identity.databaseID
                for _ in 0...taken.count where taken.contains(successor) {
                    successor = random.bytes(8).lowercaseHexadecimal
                }
                guard !taken.contains(successor) else { throw JournalError.noNewIdentity }
                _ = try storage.insertNewObject(
                    FormerIdentity(identity, successor: successor, hostName: "", at: moment))
                identity.replace(by: successor)
                try storage.updateObject(identity)
            }
            try queue.close()
        } catch {
            throw BackupError(error, path: path)
        }
    }
}

/// The place of a database that is about to be restored.
private struct RestorePlace {
    private let path: String
    /// Whether a file there has, or may have, records: the database or its log.
    let isOccupied: Bool

    /// The files that SQLite keeps beside a database (sqlite.org/tempfiles.html), without the index of its log.
    private static let logs = ["-wal", "-journal"]

    /// - Throws: ``BackupError/isTheDatabase(path:)``, ``BackupError/notARegularFile(path:)``
    init(_ path: String, apartFrom backup: String) throws(BackupError) {
        // A link stays a link to the same place.
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        self.path = resolved.map { String(cString: $0) } ?? path
        var (own, other) = (stat(), stat())
        let exists = stat(path, &own) == 0
        if exists {
            guard own.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
            let isSame = stat(backup, &other) == 0 && own.st_ino == other.st_ino && own.st_dev == other.st_dev
            guard !isSame else { throw .isTheDatabase(path: backup) }
        }
        let databasePath = self.path
        isOccupied = exists || Self.logs.contains { DatabaseFile.exists(at: databasePath + $0) }
    }

    /// Puts the copy here, and what was here beside it. The place has a whole database at every moment.
    ///
    /// - Returns: Where the former database is; nil when there was none.
    /// - Throws: ``BackupError/inUse(path:)``, ``BackupError/exists(path:)``, ``BackupError/storage(_:)``,
    ///   ``BackupError/system(path:doing:reason:)``
    func take(
        by copy: DatabaseCopy, replacing isReplacing: Bool, at moment: Timestamp
    ) throws(BackupError) -> String? {
        guard isOccupied, isReplacing else {
            try copy.move(to: path, replacing: false)
            return nil
        }
        let use = try ExclusiveUse(of: path)
        defer { use.end() }
        let kept = try keep(at: moment)
        // The log belongs to the file that is kept: SQLite would apply it to the restored one.
        for suffix in Self.logs { try move(path + suffix, to: kept + suffix) }
        guard unlink(path + "-shm") == 0 || errno == ENOENT else { throw failure("replace", path + "-shm") }
        try copy.move(to: path, replacing: true)
        return kept
    }

    /// Gives the database a second name with the time.
    private func keep(at moment: Timestamp) throws(BackupError) -> String {
        let time = moment.civil(offsetSeconds: 0).description.filter { $0 != ":" && $0 != "-" }
        let name = "\(path).replaced-\(time)Z"
        for number in 1...99 {
            let kept = number == 1 ? name : "\(name)-\(number)"
            guard !Self.logs.contains(where: { DatabaseFile.exists(at: kept + $0) }) else { continue }
            if link(path, kept) == 0 { return kept }
            switch errno {
            case EEXIST: continue
            // Only the log was left.
            case ENOENT: return kept
            default: throw failure("keep", path)
            }
        }
        throw .exists(path: name)
    }

    private func move(_ old: String, to new: String) throws(BackupError) {
        guard rename(old, new) == 0 || errno == ENOENT else { throw failure("keep", old) }
    }

    private func failure(_ doing: String, _ path: String) -> BackupError {
        .system(path: path, doing: doing, reason: String(cString: strerror(errno)))
    }
}

/// Keeps every other process from a database.
///
/// A process that has a database with a write-ahead log open holds a shared lock on it all the time, so an exclusive
/// lock shows that there is none. The log is moved into the file: a process that has opened the file but not locked it
/// yet finds no log, and SQLite refuses its first change, because the file has another name by then.
private struct ExclusiveUse {
    /// SQLite's locks of a file: the pending byte, the reserved byte, and 510 shared ones (os.h of its source).
    private static let (lockStart, lockLength): (off_t, off_t) = (0x4000_0000, 512)

    private var queue: DatabaseQueue?
    private var descriptor: CInt = -1

    /// - Throws: ``BackupError/inUse(path:)``, ``BackupError/storage(_:)``,
    ///   ``BackupError/system(path:doing:reason:)``
    init(of path: String) throws(BackupError) {
        guard DatabaseFile.exists(at: path) else { return }
        guard Self.isSQLite(path) else {
            // SQLite would delete a log that it can't read.
            descriptor = try Self.lock(path)
            return
        }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            configuration.prepareDatabase { database in
                // Before the first query, so that the lock is kept from the first one on.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
                guard try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
                    throw StorageError.busy(path: path)
                }
                // Without this, closing would delete a journal of this name: it could be the restored database's.
                try database.execute(sql: "PRAGMA journal_mode = OFF")
                unlink(path + "-journal")
            }
            self.queue = queue
        } catch {
            switch StorageError(error, path: path) {
            case .busy: throw .inUse(path: path)
            // What SQLite can't read is moved as it is. A newer program's database is as good as damaged here.
            case .corrupt, .notADatabase, .newerSchema: descriptor = try Self.lock(path)
            case let failure: throw .storage(failure)
            }
        }
    }

    /// Returns whether a file is empty or begins as every SQLite database.
    private static func isSQLite(_ path: String) -> Bool {
        let header = Array("SQLite format 3\0".utf8)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: header.count)
        let count = read(descriptor, &bytes, bytes.count)
        return count <= 0 || bytes == header
    }

    /// Takes SQLite's locks without SQLite.
    private static func lock(_ path: String) throws(BackupError) -> CInt {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (lockStart, lockLength)
        guard descriptor >= 0, fcntl(descriptor, F_SETLK, &lock) == 0 else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            guard code != EAGAIN, code != EACCES else { throw .inUse(path: path) }
            throw .system(path: path, doing: "lock", reason: String(cString: strerror(code)))
        }
        return descriptor
    }

    func end() {
        try? queue?.close()
        if descriptor >= 0 { close(descriptor) }
    }
}
