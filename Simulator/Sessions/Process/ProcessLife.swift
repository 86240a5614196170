internal import Determinism
internal import Synchronization

/// Whether a process still lives. What has died does nothing any more: its boundaries refuse every call, and nothing
/// of it is written down.
final class ProcessLife: Sendable {
    private struct State {
        var isAlive = true
        var mourners: [@Sendable () -> Void] = []
    }

    /// 1 and up within the session.
    let number: Int
    private let log: SessionLog
    private let state = Mutex(State())

    init(number: Int, log: SessionLog) { (self.number, self.log) = (number, log) }

    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// Writes down what the process does, as long as it does anything.
    func note(_ kind: SessionEventKind, _ detail: String = "") {
        if isAlive { log.note(kind, detail) }
    }

    /// Ends the process. Once it is dead, it stays so.
    func end() {
        let mourners = state.withLock { state in
            defer { (state.isAlive, state.mourners) = (false, []) }
            return state.mourners
        }
        for mourner in mourners { mourner() }
    }

    /// Does something when the process ends; at once when it has.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.isAlive { state.mourners.append(action) }
            return !state.isAlive
        }
        if isOver { action() }
    }
}
