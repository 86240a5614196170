import Determinism
import FoundationEssentials
import Simulator
import Storage
import Synchronization

/// Databases for sessions. A migration takes longer than a session, so databases in memory are reused and files are
/// copies of one template.
enum SessionDatabases {
    private static let idle = Mutex<[SQLiteStorageManager]>([])

    /// Returns an empty database with an identity drawn from `random`.
    static func take(random: any RandomSource) throws(StorageError) -> SQLiteStorageManager {
        guard let database = idle.withLock({ $0.popLast() }) else {
            return try SQLiteStorageManager(rewindableWith: random)
        }
        try database.rewind(random: random)
        return database
    }

    /// Returns a database to the pool.
    static func give(back database: SQLiteStorageManager) { idle.withLock { $0.append(database) } }

    /// Creates an empty database with an identity drawn from `random`, unless the file exists.
    ///
    /// - Returns: `path`.
    static func make(at path: String, random: any RandomSource) throws(StorageError) -> String {
        try DatabaseTemplate.shared().copy(to: path, random: random)
        return path
    }

    /// Creates a database in a file that sessions reuse.
    static func reusable(
        at path: String, durability: Durability, random: any RandomSource
    ) throws(StorageError) -> ReusableDatabase {
        try ReusableDatabase(path: path, template: .shared(), durability: durability, random: random)
    }
}

/// A pool of journal files for sessions that don't need to keep theirs. A file is emptied for the next session. The
/// files are deleted with the pool.
public final class SessionJournals: Sendable {
    private struct State {
        var idle: [ReusableDatabase] = []
        var count = 0
    }

    /// The pool's own folder.
    private let folder: String
    private let durability: Durability
    private let state = Mutex(State())

    /// Creates a pool whose commits are flushed as in production.
    ///
    /// - Parameter folder: the folder for the files; created if missing. Choose one on the disk to use.
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when the folder is not writable.
    public convenience init(in folder: String) throws(SimulatedSessionError) {
        try self.init(at: folder + "/sessions-" + UUID().uuidString, durability: .full)
    }

    /// Creates a pool without flushes, for simulated processes that die but lose no power.
    ///
    /// - Parameter folder: the pool's own folder; created if missing, and deleted with the pool.
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when the folder is not writable.
    public convenience init(unflushedAt folder: String) throws(SimulatedSessionError) {
        try self.init(at: folder, durability: .off)
    }

    private init(at folder: String, durability: Durability) throws(SimulatedSessionError) {
        (self.folder, self.durability) = (folder, durability)
        do {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        } catch {
            throw .plan("cannot create journals in '\(folder)'; choose a writable folder")
        }
    }

    deinit {
        // Closing a database writes to its file, so close all before the folder is deleted.
        state.withLock { $0.idle = [] }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns an empty database with an identity drawn from `random`.
    func take(random: any RandomSource) throws(StorageError) -> ReusableDatabase {
        let (database, number) = state.withLock { state in
            let database = state.idle.popLast()
            if database == nil { state.count += 1 }
            return (database, state.count)
        }
        guard let database else {
            return try SessionDatabases.reusable(
                at: "\(folder)/\(number).sqlite", durability: durability, random: random)
        }
        try database.erase(random: random)
        // The files beside it belong to the previous session.
        for ending in [".issuer", ".card-key", ".settings"] {
            try? FileManager.default.removeItem(atPath: (database.storage.path ?? "") + ending)
        }
        return database
    }

    /// Returns a database to the pool.
    func give(back database: ReusableDatabase) { state.withLock { $0.idle.append(database) } }
}

extension SessionJournals: Hashable {
    public static func == (one: SessionJournals, other: SessionJournals) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The disk that holds the journal.
final class SessionDisk: Sendable {
    private let clock: SimulationClock
    private let state: Mutex<DiskCondition>

    init(_ condition: DiskCondition, clock: SimulationClock) {
        self.clock = clock
        state = Mutex(condition)
    }

    var condition: DiskCondition {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns the error of a write; nil when writes work.
    func refusal(path: String) -> StorageError? {
        switch condition {
        case .working, .slow: nil
        case .full: .diskFull(path: path)
        case .readOnly: .notWritable(path: path, reason: "Read-only file system")
        case .failing: .failed(path: path, code: 10, message: "disk I/O error")
        }
    }

    /// Lets the time of a flush pass.
    func flush() {
        if case .slow(let duration) = condition { clock.elapse(duration) }
    }
}
