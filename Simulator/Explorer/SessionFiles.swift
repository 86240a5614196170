import FoundationEssentials
import Sessions
import Synchronization

/// Where an explored session keeps its records.
enum SessionPlace: Hashable, Sendable {
    case memory
    /// In files that sessions use one after the other. The tills of a session have connections of their own, which stay
    /// open with the statements that they have prepared: opening a database takes longer than a payment.
    case usedFiles
    /// In files that nothing else uses. Every start of a till opens them as in production, and each commit is flushed.
    case ownFiles
}

/// The folder of a session that keeps its records in files. It is deleted with this object.
final class SessionFiles: Sendable {
    let folder: String
    let journal: SessionPlan.Journal

    /// Takes a new folder for one session.
    ///
    /// - Throws: an error of `FileManager`.
    init(ownIn folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        (self.folder, journal) = (folder, .file("\(folder)/till.sqlite"))
    }

    /// Takes a new folder for one session after the other. No session loses power, so nothing is flushed.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    init(reusedIn folder: String) throws(SimulatedSessionError) {
        (self.folder, journal) = (folder, .shared(try SessionJournals(unflushedAt: folder)))
    }

    deinit {
        // A pool of journals deletes its folder by itself, when it has closed them.
        if case .file = journal { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Whether a file of this name is open between sessions, too.
    func staysOpen(_ name: String) -> Bool {
        guard case .shared = journal else { return false }
        return [".sqlite", ".sqlite-wal", ".sqlite-shm"].contains { name.hasSuffix($0) }
    }
}

/// Files of sessions that have ended, for the next ones. There are as many as sessions were played at the same time.
final class UsedFiles: Sendable {
    /// Numbers all files of this process: a folder is deleted a moment after its last session, and another search in
    /// the same place must not begin in it.
    private static let numbers = Atomic(0)

    private let idle = Mutex<[SessionFiles]>([])

    /// - Throws: ``SimulatedSessionError/plan(_:)``
    func take(in folder: String) throws(SimulatedSessionError) -> SessionFiles {
        if let files = idle.withLock({ $0.popLast() }) { return files }
        let number = Self.numbers.add(1, ordering: .relaxed).newValue
        return try SessionFiles(reusedIn: "\(folder)/files-\(number)")
    }

    /// Takes the files of a session that left nothing behind; see ``SessionRecord/leftNothing``.
    func give(back files: SessionFiles) { idle.withLock { $0.append(files) } }
}

extension SessionRecord {
    /// Whether nothing of the session can change what the next one with its files finds: it ended, nothing goes on, and
    /// no secret is in the deleted parts of its files.
    var leftNothing: Bool {
        refusal == nil && breakdown == nil && stuckStep == nil && leaks.isEmpty && openFiles.isEmpty
            && openResources == .none
    }
}
