import Synchronization

/// What was seen while something else went on.
final class SeenState<State: Sendable>: Sendable {
    private let seen = Mutex<[State]>([])

    var states: [State] { seen.withLock { $0 } }

    func note(_ state: State) { seen.withLock { $0.append(state) } }
}
