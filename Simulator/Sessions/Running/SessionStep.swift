internal import Determinism
internal import Synchronization

/// The step of a session that runs, or ran last.
final class SessionStep: Sendable {
    private struct State {
        var words: String
        var start: Timestamp
    }

    private let state: Mutex<State>

    /// The session itself begins.
    init(at moment: Timestamp) { state = Mutex(State(words: "begin", start: moment)) }

    var words: String { state.withLock { $0.words } }
    var start: Timestamp { state.withLock { $0.start } }

    func begin(_ words: String, at moment: Timestamp) { state.withLock { ($0.words, $0.start) = (words, moment) } }
}
