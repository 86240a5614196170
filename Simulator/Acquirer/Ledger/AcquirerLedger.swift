internal import Determinism
internal import Files
internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import Simulator
internal import Synchronization

/// The durable ledger of the simulated acquirer: an SQLite database, or nothing for one in memory.
///
/// Changes are collected, and ``commit()`` writes all that there are in one transaction that the disk has confirmed.
/// Messages that come at the same time therefore share one.
public final class AcquirerLedger: Sendable {
    /// A change that is not on the disk yet.
    private enum Change {
        case record(AcquirerRecord)
        case update(AcquirerRecord)
        case entry(String)
    }

    private struct Pending {
        var changes: [Change] = []
        /// Whether the last try to write them failed.
        var hasFailed = false
    }

    private let writer: Writer?
    private let pending = Mutex(Pending())
    /// What the file had when it was opened.
    let records: [AcquirerRecord]
    let entries: [IssuerLedgerEntry]

    /// A ledger in memory, which ends with the process.
    public init() { (writer, records, entries) = (nil, [], []) }

    /// Opens a ledger file, and makes it when there is none. No other acquirer can open it meanwhile.
    ///
    /// - Throws: ``AcquirerLedgerError``; ``AcquirerLedgerError/busy(path:)`` when another acquirer has it.
    public init(path: String) throws(AcquirerLedgerError) {
        do {
            try Files.createFolders(above: path)
            let lock = try LedgerLock(path)
            let isNew = access(path, F_OK) != 0
            if isNew { _ = mknod(path, S_IFREG | 0o600, 0) }
            let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
            // Outside a transaction, where SQLite would ignore it.
            try queue.writeWithoutTransaction { database in
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            try queue.write { try AcquirerSchema.prepare($0) }
            let found = try queue.read { try AcquirerSchema.contents($0) }
            (records, entries) = (found.records, found.entries)
            writer = Writer(queue, path: path, lock)
        } catch {
            throw AcquirerLedgerError(error, path: path)
        }
    }

    /// Returns the records of a ledger file, which an acquirer may have open. Writes nothing.
    ///
    /// - Throws: ``AcquirerLedgerError``; ``AcquirerLedgerError/missing(path:)`` when there is no such file.
    public static func records(path: String) throws(AcquirerLedgerError) -> [AcquirerRecord] {
        guard access(path, F_OK) == 0 else { throw .missing(path: path) }
        do {
            var configuration = configuration
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.read { database in
                guard try AcquirerSchema.isLedger(database) else { throw AcquirerLedgerError.noLedger(path: path) }
                return try AcquirerSchema.contents(database).records
            }
        } catch {
            throw AcquirerLedgerError(error, path: path)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        return configuration
    }

    func add(_ record: AcquirerRecord) { collect(.record(record)) }

    func update(_ record: AcquirerRecord) { collect(.update(record)) }

    /// Keeps an entry of the issuer.
    func add(_ entry: IssuerLedgerEntry) {
        guard writer != nil, let json = try? JSONEncoder().encode(entry) else { return }
        collect(.entry(String(decoding: json, as: UTF8.self)))
    }

    private func collect(_ change: Change) {
        guard writer != nil else { return }
        pending.withLock { $0.changes.append(change) }
    }

    /// Tries again after a failure, so that nothing is decided while the disk takes nothing.
    ///
    /// - Throws: ``AcquirerLedgerError``
    func recover() async throws(AcquirerLedgerError) {
        if pending.withLock({ $0.hasFailed }) { try await commit() }
    }

    /// Returns when everything added before is on the disk.
    ///
    /// - Throws: ``AcquirerLedgerError``; the changes stay, and the next call tries again.
    func commit() async throws(AcquirerLedgerError) { try await writer?.write(self) }

    /// Writes the changes. One task at a time writes; those that waited find their changes written.
    private actor Writer {
        private let queue: DatabaseQueue
        private let path: String
        private let lock: LedgerLock
        /// The file that was opened. Another one at its place would not have the records.
        private let file: UInt64?

        init(_ queue: DatabaseQueue, path: String, _ lock: LedgerLock) {
            (self.queue, self.path, self.lock) = (queue, path, lock)
            file = Self.file(at: path)
        }

        /// The number of the file at a path (its inode); nil without one.
        private static func file(at path: String) -> UInt64? {
            var status = stat()
            return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
        }

        func write(_ ledger: AcquirerLedger) throws(AcquirerLedgerError) {
            let changes = ledger.pending.withLock { $0.changes }
            guard !changes.isEmpty else { return }
            do {
                guard let file, Self.file(at: path) == file else { throw AcquirerLedgerError.removed(path: path) }
                try queue.write { database in
                    for change in changes {
                        switch change {
                        case .record(let record): try AcquirerSchema.insert(record, database)
                        case .update(let record): try AcquirerSchema.update(record, database)
                        case .entry(let json): try AcquirerSchema.insert(entry: json, database)
                        }
                    }
                }
            } catch {
                ledger.pending.withLock { $0.hasFailed = true }
                throw AcquirerLedgerError(error, path: path)
            }
            ledger.pending.withLock { pending in
                pending.changes.removeFirst(changes.count)
                pending.hasFailed = false
            }
        }
    }
}

/// Keeps other acquirers out of a ledger, until it goes away or the process ends (flock(2)). Readers need no lock.
private final class LedgerLock: Sendable {
    private let descriptor: CInt

    /// - Throws: ``AcquirerLedgerError``
    init(_ path: String) throws(AcquirerLedgerError) {
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .failed(path: path, reason: "cannot open its lock: " + String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .busy(path: path)
        }
    }

    deinit { close(descriptor) }
}

/// Why the acquirer's ledger cannot be used.
public enum AcquirerLedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing(path: String)
    /// The file is something else.
    case noLedger(path: String)
    /// Another program holds the file for too long.
    case busy(path: String)
    /// The file is gone, or another one is in its place, while the acquirer has it open.
    case removed(path: String)
    /// The text is SQLite's; it names tables, never values.
    case failed(path: String, reason: String)

    init(_ error: any Error, path: String) {
        if let error = error as? AcquirerLedgerError {
            self = error
        } else if let error = error as? DatabaseError {
            self =
                switch error.resultCode {
                case .SQLITE_NOTADB: .noLedger(path: path)
                case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
                default: .failed(path: path, reason: error.message ?? "\(error.resultCode)")
                }
        } else {
            self = .failed(path: path, reason: "\(error)")
        }
    }

    public var description: String {
        switch self {
        case .missing(let path): "there is no acquirer's ledger at '\(path)'"
        case .noLedger(let path): "'\(path)' is not an acquirer's ledger"
        case .busy(let path): "the acquirer's ledger '\(path)' is in use by another program"
        case .removed(let path): "the acquirer's ledger '\(path)' was removed or replaced"
        case .failed(let path, let reason): "the acquirer's ledger '\(path)' cannot be used: \(reason)"
        }
    }
}
