internal import Simulator
internal import Storage
internal import Synchronization

/// The disk that the journal is on.
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

    /// Why nothing can be written; nil when it can.
    func refusal(path: String) -> StorageError? {
        switch condition {
        case .working, .slow: nil
        case .full: .diskFull(path: path)
        case .readOnly: .notWritable(path: path, reason: "Read-only file system")
        case .failing: .failed(path: path, code: 10, message: "disk I/O error")
        }
    }

    /// Takes the time that a flush takes.
    func flush() {
        if case .slow(let duration) = condition { clock.elapse(duration) }
    }
}

extension DiskCondition {
    /// What a log calls it.
    var word: String {
        switch self {
        case .working: "working"
        case .full: "full"
        case .readOnly: "read_only"
        case .slow: "slow"
        case .failing: "failing"
        }
    }
}
