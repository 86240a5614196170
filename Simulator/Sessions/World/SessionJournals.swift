internal import Determinism
internal import FoundationEssentials
internal import Storage
internal import Synchronization

/// Journals on a disk for sessions that need no file of their own afterwards: they are written as in a shop, every commit
/// flushed, and emptied for the next session. They go away with this.
public final class SessionJournals: Sendable {
    private struct State {
        var idle: [ReusableDatabase] = []
        var count = 0
    }

    /// A folder that nobody else has.
    private let folder: String
    private let state = Mutex(State())

    /// - Parameter folder: where they are; it is made when it is missing. It says which disk they are on.
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when nothing can be written there.
    public init(in folder: String) throws(SimulatedSessionError) {
        self.folder = folder + "/sessions-" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        } catch {
            throw .plan("there is no room for journals in '\(folder)'; name a folder that you may write to")
        }
    }

    deinit {
        // They write into their files when they are closed.
        state.withLock { $0.idle = [] }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// An empty database with an identity drawn from `random`.
    func take(random: any RandomSource) throws(StorageError) -> ReusableDatabase {
        let (database, number) = state.withLock { state in
            let database = state.idle.popLast()
            if database == nil { state.count += 1 }
            return (database, state.count)
        }
        guard let database else {
            return try SessionDatabases.reusable(at: "\(folder)/\(number).sqlite", random: random)
        }
        try database.erase(random: random)
        // What stands beside it is of the session before.
        for ending in [".issuer", ".card-key", ".settings"] {
            try? FileManager.default.removeItem(atPath: (database.storage.path ?? "") + ending)
        }
        return database
    }

    /// Nobody uses the database any more.
    func give(back database: ReusableDatabase) { state.withLock { $0.idle.append(database) } }
}

extension SessionJournals: Hashable {
    public static func == (one: SessionJournals, other: SessionJournals) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
