import Determinism
import Files
import GRDB
import Glibc
import Simulator

/// The durable ledger of the simulated acquirer: an SQLite database, or nothing for one in memory.
///
/// Changes are collected, and ``commit()`` writes all that there are in one transaction that the disk has confirmed.
/// Messages that come at the same time therefore share one.
public final class AcquirerLedger: Sendable {
    private let writer: LedgerWriter?
    /// Keeps other acquirers out as long as this object is there.
    private let lock: LedgerLock?
    /// What the file had when it was opened.
    let records: [AcquirerRecord]
    let entries: [IssuerLedgerEntry]

    /// A ledger in memory, which ends with the process.
    public init() { (writer, lock, records, entries) = (nil, nil, [], []) }

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
            self.lock = lock
            writer = LedgerWriter(queue, path: path)
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

    func add(_ record: AcquirerRecord) { writer?.add(.record(record)) }

    func update(_ record: AcquirerRecord) { writer?.add(.update(record)) }

    /// Keeps an entry of the issuer.
    func add(_ entry: IssuerLedgerEntry) { writer?.add(.entry(entry)) }

    /// Tries again after a failure, so that nothing is decided while the disk takes nothing.
    ///
    /// - Throws: ``AcquirerLedgerError``
    func recover() async throws(AcquirerLedgerError) {
        if writer?.hasFailed == true { try await commit() }
    }

    /// Returns when everything added before is on the disk.
    ///
    /// - Throws: ``AcquirerLedgerError``; the changes stay, and the next call tries again.
    func commit() async throws(AcquirerLedgerError) {
        guard let writer, let target = writer.unwritten else { return }
        let outcome = await RunQueue.outside { () async -> LedgerWriter.Outcome in
            await withCheckedContinuation { writer.wait(for: target, $0) }
        }
        try outcome.get()
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
