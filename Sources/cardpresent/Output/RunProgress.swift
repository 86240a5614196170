internal import ScenarioRunner
internal import Synchronization

/// How far a run of scenarios has come, on one line that is written again and again. Quiet when nobody is watching.
final class RunProgress: Sendable {
    private struct State {
        var done = 0
        var failed = 0
    }

    private let count: Int
    private let isShown = StandardError.isTerminal
    private let state = Mutex(State())

    /// Characters of a narrow terminal: a longer line would not be written over.
    private static let width = 78

    init(count: Int) { self.count = count }

    func show(_ result: ScenarioResult) {
        guard isShown else { return }
        let (done, failed) = state.withLock { state in
            state.done += 1
            if result.isFailure { state.failed += 1 }
            return (state.done, state.failed)
        }
        let line = "\(done)/\(count)" + (failed > 0 ? "  \(failed) failed" : "") + "  \(result.name)"
        StandardError.write("\r\u{1B}[K" + line.prefix(Self.width))
    }

    /// Clears the line.
    func end() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
