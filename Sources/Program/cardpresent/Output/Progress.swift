internal import Synchronization

/// One line of progress on a terminal, which is overwritten again and again. Writes nothing when stderr is not a terminal.
final class ProgressLine: Sendable {
    /// Columns of a narrow terminal: a longer line could not be overwritten.
    private static let width = 78
    private static let barCells = 30

    private let isShown: Bool
    private let shown = Mutex("")

    /// - Parameter isShown: Whether to write to stderr.
    init(isShown: Bool = StandardError.isTerminal) { self.isShown = isShown }

    /// Replaces the line with a text.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let text = String(text().prefix(Self.width))
        let isNew = shown.withLock { shown in
            defer { shown = text }
            return shown != text
        }
        if isNew { StandardError.write("\r\u{1B}[K" + text) }
    }

    /// Shows a bar with the number of finished items. Redraws it once per percent.
    ///
    /// - Parameters:
    ///   - done: The number of finished items.
    ///   - total: The number of all items, at least 1.
    ///   - what: The plural of the items, for example `receipts`.
    func showBar(_ done: Int, of total: Int, _ what: String) {
        guard done == 0 || done * 100 / total != (done - 1) * 100 / total else { return }
        let full = min(Self.barCells, done * Self.barCells / total)
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.barCells - full)
        show("\(bar) \(done) of \(total) \(what)")
    }

    /// Clears the line.
    func clear() { end(with: "\r\u{1B}[K") }

    /// Keeps the line and starts a new one.
    func end() { end(with: "\n") }

    private func end(with text: String) {
        let isOpen = shown.withLock { shown in
            defer { shown = "" }
            return !shown.isEmpty
        }
        if isOpen { StandardError.write(text) }
    }
}
