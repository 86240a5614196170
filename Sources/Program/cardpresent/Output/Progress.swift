import CardSecrets
import Determinism
import Simulator
import Synchronization

/// One line of progress on a terminal, which is overwritten again and again and cleared at the end.
///
/// Writes nothing when stderr is not a terminal, with `--quiet`, and when JSON goes into a pipe or a file. Anything
/// else that the program writes takes the place of the line.
final class ProgressLine: Sendable {
    /// The text on the last line of the terminal.
    private struct Shown {
        /// The progress that has the line; nil when it is free.
        var owner: ObjectIdentifier?
        var text = ""
    }

    /// Columns of a narrow terminal: a longer line could not be overwritten.
    private static let width = 78
    private static let barCells = 30
    private static let clearing = "\r\u{1B}[K"
    /// The process has one terminal.
    private static let shown = Mutex(Shown())

    let isShown: Bool
    private let time: any TimeSource
    private let began: Duration

    /// - Parameters:
    ///   - isShown: Whether to write to stderr.
    ///   - time: Measures the work, from now.
    init(isShown: Bool = ProgressLine.isWanted, time: any TimeSource = SystemTimeSource()) {
        (self.isShown, self.time, began) = (isShown, time, time.reading())
    }

    /// Whether a command shows progress.
    static var isWanted: Bool {
        StandardError.isTerminal && !Display.isQuiet && (StandardOutput.isTerminal || !Display.isJSON)
    }

    /// Replaces the line with a text.
    ///
    /// - Parameters:
    ///   - text: The text, without line breaks.
    ///   - isModest: Whether to leave the line to another progress that has it.
    func show(_ text: @autoclosure () -> String, modestly isModest: Bool = false) {
        guard isShown else { return }
        let text = String(CardNumberMask.masked(text()).prefix(Self.width))
        Self.shown.withLock { shown in
            let own = ObjectIdentifier(self)
            guard !isModest || shown.owner == nil || shown.owner == own, shown.text != text else { return }
            shown = Shown(owner: own, text: text)
            StandardError.draw(Self.clearing + text)
        }
    }

    /// Shows a bar with the number of finished items and the time that is left. Redraws it once per percent.
    ///
    /// - Parameters:
    ///   - done: The number of finished items.
    ///   - total: The number of all items, at least 1.
    ///   - what: The plural of the items, for example `receipts`.
    func showBar(_ done: Int, of total: Int, _ what: String) {
        guard done == 0 || done * 100 / total != (done - 1) * 100 / total else { return }
        let full = min(Self.barCells, done * Self.barCells / total)
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.barCells - full)
        show("\(bar) \(done) of \(total) \(what)\(timeLeft(Double(done) / Double(total)))")
    }

    /// Estimates the time that the work still takes.
    ///
    /// - Parameter part: The part of the work that is done, 0...1.
    /// - Returns: The time after a comma; empty as long as it can't be estimated.
    func timeLeft(_ part: Double) -> String { TimeLeft.text(part, after: time.elapsed(since: began)) }

    /// The time since the progress began.
    var elapsed: Duration { time.elapsed(since: began) }

    /// Clears the line, unless another progress has it.
    func clear() {
        Self.shown.withLock { shown in
            guard shown.owner == ObjectIdentifier(self) else { return }
            if !shown.text.isEmpty { StandardError.draw(Self.clearing) }
            shown = Shown()
        }
    }

    /// Clears the line for other output. The next progress is drawn below it.
    static func makeRoom() {
        shown.withLock { shown in
            guard !shown.text.isEmpty else { return }
            StandardError.draw(clearing)
            shown.text = ""
        }
    }
}

/// Estimates how long work still takes, as if the rest took as long as what is done.
enum TimeLeft {
    /// Work that is over sooner needs no estimate.
    private static let patience = 2.0

    /// - Parameters:
    ///   - part: The part of the work that is done, 0...1.
    ///   - elapsed: The time that it took.
    /// - Returns: For example `, about 12 s left`; empty at the start and at the end.
    static func text(_ part: Double, after elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        guard seconds >= patience, part > 0, part < 1 else { return "" }
        let left = seconds * (1 - part) / part
        guard left >= 1 else { return "" }
        if left < 90 { return ", about \(Int(left.rounded(.up))) s left" }
        if left < 5400 { return ", about \(Int((left / 60).rounded(.up))) min left" }
        return left < 360_000 ? ", about \(Int((left / 3600).rounded(.up))) h left" : ""
    }
}

/// Shows what a command waits for when that takes long and the end cannot be estimated.
enum Waiting {
    /// The wait that needs no explanation, in seconds.
    private static let patience = 2

    /// Waits for `work`. After two seconds, shows on a terminal what it waits for, and the time.
    ///
    /// Does nothing in a simulated world, whose time is not that of the user.
    ///
    /// - Parameters:
    ///   - what: What the command waits for, for example `Waiting for the printer`.
    ///   - work: The work. It may write, and show progress of its own.
    /// - Returns: The value of `work`.
    /// - Throws: The error of `work`.
    static func on<Value, Failure: Error>(
        _ what: String, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let line = ProgressLine()
        guard line.isShown, RunQueue.current == nil else { return try await work() }
        let ticking = Task.detached {
            for seconds in 1... {
                do { try await SystemTimeSource().sleep(for: .seconds(1)) } catch { return }
                if seconds >= patience { line.show("\(what), \(seconds) s", modestly: true) }
            }
        }
        let result: Result<Value, Failure>
        do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
        ticking.cancel()
        await ticking.value
        line.clear()
        return try result.get()
    }
}
