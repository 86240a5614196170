internal import Explorer

/// How far an exploration has come, on one line that is written again and again. Quiet when nobody is watching.
final class ExplorationDisplay: Sendable {
    private let isShown = StandardError.isTerminal

    func show(_ progress: ExplorationProgress) {
        guard isShown, progress.sessions.isMultiple(of: 16) else { return }
        let failures = progress.failures > 0 ? "  \(progress.failures) broken" : ""
        StandardError.write("\r\u{1B}[K\(progress.sessions) sessions  \(progress.states) states\(failures)")
    }

    /// Clears the line.
    func end() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
