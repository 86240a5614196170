import ArgumentParser
import CardSecrets
import Concurrency
import Glibc
import Storage
import Synchronization
import Yosemite

/// Shows a watched list: a table that is redrawn on a terminal, one line per change elsewhere, JSON lines with
/// `--json`.
final class WatchDisplay<Row: CommandResult & TableRow & Equatable & Sendable>: Sendable {
    private enum Form {
        case table
        case lines
        case json
    }

    private struct State {
        var rows: [Row]?
        var problem: String?
        var isWaiting = false
    }

    private let name: String
    private let form: Form
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the plural of what is shown, for example `orders`.
    ///   - isJSON: whether `--json` was given.
    init(of name: String, isJSON: Bool) {
        self.name = name
        form = isJSON ? .json : StandardOutput.isTerminal ? .table : .lines
    }

    /// Shows every update of a watch, until the task is canceled.
    ///
    /// - Throws: `CommandFailure`; an error of the watch.
    func show(_ updates: WatchUpdate<Row>.Stream) async throws {
        do {
            for try await update in updates { try show(update) }
        } catch let error as StorageError {
            throw CommandFailure(error)
        }
    }

    private func show(_ update: WatchUpdate<Row>) throws(CommandFailure) {
        let isFirst = state.withLock { state in
            defer { state.rows = update.rows }
            return state.rows == nil
        }
        guard form != .table else { return try draw() }
        if isFirst {
            if update.rows.isEmpty { noteWaiting() }
            // The list has the newest first; a log has it last.
            // What came while there was nothing to watch yet is new.
            let word = state.withLock(\.isWaiting) && !update.rows.isEmpty ? "inserted" : "present"
            for row in update.rows.reversed() { try tell(word, row) }
        }
        for change in update.changes { try tell(change.word, change.row) }
    }

    /// Shows that nothing is recorded yet, once.
    func showWaiting() throws(CommandFailure) {
        guard form == .table else { return noteWaiting() }
        let isFirst = state.withLock { state in
            defer { state.rows = [] }
            return state.rows == nil
        }
        if isFirst { try draw() }
    }

    private func noteWaiting() {
        let isFirst = state.withLock { state in
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if isFirst { StandardError.note(waiting) }
    }

    /// Shows why the list may be out of date; nil when it no longer is. The same problem is shown once.
    func show(problem: String?) {
        let problem = problem.map(CardNumberMask.masked)
        let isNew = state.withLock { state in
            defer { state.problem = problem }
            return state.problem != problem
        }
        guard isNew else { return }
        if form == .table { try? draw() } else if let problem { StandardError.write("cardpresent: \(problem)\n") }
    }

    private func tell(_ change: String, _ row: Row) throws(CommandFailure) {
        guard form == .json else { return try StandardOutput.write(change.padded(to: 10) + row.text) }
        try StandardOutput.write(line: JSONObject(extending: row.json, with: ["change": change]))
    }

    // MARK: Table

    private var waiting: String { "No \(name) yet. Waiting for the first; press Ctrl-C to stop.\n" }

    private func draw() throws(CommandFailure) {
        let state = state.withLock { $0 }
        guard let rows = state.rows else { return }
        let size = Self.terminalSize
        func fitting(_ line: String) -> String { String(line.prefix(size.columns)) }
        var lines = [fitting("Watching \(name); press Ctrl-C to stop."), ""]
        if rows.isEmpty {
            lines = [fitting(String(waiting.dropLast()))]
        } else {
            // Its lines fit already, with colors that are not to be cut.
            lines += TextTable.text(of: rows, width: size.columns).split(separator: "\n").map(String.init)
        }
        if let problem = state.problem { lines.insert(fitting(problem), at: 1) }
        // The last line stays free for the cursor.
        let shown = lines.prefix(max(2, size.rows - 1))
        // From the top left corner, each line over the old one, and then nothing below.
        try StandardOutput.write("\u{1B}[H" + shown.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }

    private static var terminalSize: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}

extension WatchedChange {
    /// The word for it in the output.
    fileprivate var word: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .deleted: "deleted"
        }
    }
}

/// Work that goes on until the user stops it.
enum EndlessWork {
    /// Runs `work` until it fails, Ctrl-C or SIGTERM arrives, or the reader of the output goes away. The last three are
    /// no failures, and don't wait for what `work` is doing.
    static func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let end = FirstAnswer<Void, any Error>()
        try await CancellationSignals.watching(endsWithOutput: true, untilExit: true) {
            let working = Task {
                do {
                    try await work()
                    end.give(.success(()))
                } catch is CancellationError {
                    end.give(.success(()))
                } catch {
                    end.give(.failure(error))
                }
            }
            defer { working.cancel() }
            try await withCheckedContinuation { end.wait($0) }.get()
        } onSignal: {
            end.give(.success(()))
        }
    }
}

/// The length of a watched list.
struct WatchListOptions: ParsableArguments {
    /// Nil without the option, which a watch of a single row rejects.
    @Option(help: ArgumentHelp("Number of newest entries to watch. (default: 20)", valueName: "number"))
    var limit: Int?

    /// The number of rows.
    var count: Int { limit ?? 20 }

    func validate() throws { try checkPositive(limit, "--limit") }
}

/// A pause on the command line: `30s`, `5m`, `1h`.
struct Interval: ExpressibleByArgument, Hashable, Sendable {
    let duration: Duration
    let defaultValueDescription: String

    init?(argument: String) {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        let digits = argument.dropLast()
        guard let unit = argument.last.flatMap({ seconds[$0] }), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.utf8.count <= 4, let count = Int(digits), count > 0
        else { return nil }
        (duration, defaultValueDescription) = (.seconds(count * unit), argument)
    }

    /// Half a minute.
    static let standard = Interval(seconds: 30)

    private init(seconds: Int) { (duration, defaultValueDescription) = (.seconds(seconds), "\(seconds)s") }
}
