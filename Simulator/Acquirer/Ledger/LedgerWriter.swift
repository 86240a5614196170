import Dispatch
import GRDB
import Glibc
import Simulator
import Synchronization

/// Writes the changes of a ledger to its file in groups: while the disk flushes one transaction, changes come together
/// for the next one.
///
/// It writes on a thread of its own. The threads of tasks, of which there is one for each processor, never wait for the
/// disk, and decide about further messages meanwhile.
final class LedgerWriter: Sendable {
    /// A change that is not on the disk yet.
    enum Change: Sendable {
        case record(AcquirerRecord)
        case update(AcquirerRecord)
        case entry(IssuerLedgerEntry)
    }

    typealias Outcome = Result<Void, AcquirerLedgerError>

    /// A task that waits until so many changes are on the disk.
    private struct Waiting {
        let target: Int
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        /// The changes that are in no transaction, oldest first.
        var changes: [Change] = []
        /// How many changes came, and how many of them are on the disk.
        var (added, written) = (0, 0)
        var waiting: [Waiting] = []
        /// Whether the thread is at work.
        var isWriting = false
        /// Whether the last try failed.
        var hasFailed = false
    }

    private let queue: DatabaseQueue
    private let path: String
    /// The file that was opened. Another one at its place would not have the records.
    private let file: UInt64?
    private let thread = DispatchQueue(label: "acquirer-ledger")
    private let state = Mutex(State())

    init(_ queue: DatabaseQueue, path: String) {
        (self.queue, self.path) = (queue, path)
        file = Self.file(at: path)
    }

    /// The number of the file at a path (its inode); nil without one.
    private static func file(at path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Whether the last try to write failed, so that changes are left.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// The number of changes so far; nil when all of them are on the disk.
    var unwritten: Int? { state.withLock { $0.written < $0.added ? $0.added : nil } }

    func add(_ change: Change) {
        state.withLock { state in
            state.changes.append(change)
            state.added += 1
        }
    }

    /// Resumes a task when the first changes, `target` in number, are on the disk, or when the try to write them
    /// failed. What failed stays, and the next group begins with it.
    func wait(for target: Int, _ continuation: CheckedContinuation<Outcome, Never>) {
        let (isWritten, begins) = state.withLock { state -> (Bool, Bool) in
            guard state.written < target else { return (true, false) }
            state.waiting.append(Waiting(target: target, continuation: continuation))
            let begins = !state.isWriting
            state.isWriting = true
            return (false, begins)
        }
        if isWritten { continuation.resume(returning: .success(())) }
        if begins { thread.async { @Sendable in self.writeGroups() } }
    }

    /// Writes group by group until no task waits.
    private func writeGroups() {
        while true {
            let group = state.withLock { state in
                let group = state.changes
                state.changes = []
                return group
            }
            let outcome = write(group)
            let (answered, goesOn) = state.withLock { state -> ([Waiting], Bool) in
                let end = state.written + group.count
                switch outcome {
                case .success: (state.written, state.hasFailed) = (end, false)
                case .failure: (state.changes, state.hasFailed) = (group + state.changes, true)
                }
                let answered = state.waiting.filter { $0.target <= end }
                state.waiting.removeAll { $0.target <= end }
                state.isWriting = !state.waiting.isEmpty
                return (answered, state.isWriting)
            }
            for waiting in answered { waiting.continuation.resume(returning: outcome) }
            guard goesOn else { return }
        }
    }

    /// Writes changes in one transaction.
    private func write(_ changes: [Change]) -> Outcome {
        do {
            guard let file, Self.file(at: path) == file else { throw AcquirerLedgerError.removed(path: path) }
            try queue.write { database in
                for change in changes {
                    switch change {
                    case .record(let record): try AcquirerSchema.insert(record, database)
                    case .update(let record): try AcquirerSchema.update(record, database)
                    case .entry(let entry): try AcquirerSchema.insert(entry: entry.jsonText, database)
                    }
                }
            }
            return .success(())
        } catch {
            return .failure(AcquirerLedgerError(error, path: path))
        }
    }
}
