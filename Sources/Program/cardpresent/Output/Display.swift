import ArgumentParser
import Determinism
import FoundationEssentials
import Glibc
import Synchronization

/// How much a command prints besides its result, and whether in color.
protocol DisplayChoice {
    var quiet: Bool { get }
    var verbose: Bool { get }
    var color: ColorChoice { get }
}

extension DisplayChoice {
    /// Checks that the options agree.
    ///
    /// - Throws: `ValidationError`
    func checkDisplay() throws {
        guard !quiet || !verbose else { throw ValidationError("--quiet and --verbose cannot be used together") }
    }
}

/// The amount of output of a command without `--json`.
struct DisplayOptions: ParsableArguments, DisplayChoice {
    @Flag(help: .quiet) var quiet = false
    @Flag(help: .verbose) var verbose = false
    @Option(help: .color) var color = ColorChoice.auto

    func validate() throws { try checkDisplay() }
}

extension ArgumentHelp {
    static let quiet: ArgumentHelp = "Print only the result and errors."
    static let verbose: ArgumentHelp = "Also print files, requests, and times."
    static var color: ArgumentHelp { ArgumentHelp("When to use color.", valueName: "when") }
}

/// When to use color on the command line.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Hashable, Sendable {
    /// On a terminal, unless `NO_COLOR` is set.
    case auto
    case always
    case never
}

/// The choices of output of this process. A command sets them once, before its work.
enum Display {
    private struct State {
        var isQuiet = false
        var isVerbose = false
        var isJSON = false
        var color = ColorChoice.auto
        /// The files that were reported.
        var files: Set<String> = []
    }

    private static let state = Mutex(State())

    /// - Parameters:
    ///   - options: The options of the command.
    ///   - isJSON: Whether the result goes to stdout as JSON.
    static func begin(_ options: some DisplayChoice, isJSON: Bool) {
        state.withLock {
            $0 = State(
                isQuiet: options.quiet, isVerbose: options.verbose, isJSON: isJSON, color: options.color)
        }
    }

    /// Uses the color that arguments ask for which could not be parsed.
    static func begin(arguments: [String]) {
        guard let color = TypedWords(arguments).value(of: "--color").flatMap(ColorChoice.init) else { return }
        state.withLock { $0.color = color }
    }

    static var isQuiet: Bool { state.withLock { $0.isQuiet } }

    /// Whether the result goes to stdout as JSON.
    static var isJSON: Bool { state.withLock { $0.isJSON } }

    static var isVerbose: Bool { state.withLock { $0.isVerbose } }

    /// Returns whether a stream gets color. A terminal without a name in `TERM` may not know it. See
    /// https://no-color.org for `NO_COLOR`.
    static func hasColor(
        isTerminal: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Bool {
        switch state.withLock({ $0.color }) {
        case .always: true
        case .never: false
        case .auto: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && (environment["TERM"] ?? "dumb") != "dumb"
        }
    }

    /// Returns whether `--verbose` has not reported the file yet, and records that it has.
    fileprivate static func isNew(_ file: String) -> Bool {
        state.withLock { $0.isVerbose && $0.files.insert(file).inserted }
    }

    /// Measures a command for `--verbose`.
    static func timing<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        let time = SystemTimeSource()
        let began = time.reading()
        defer { StandardError.detail("took \(Int((time.reading() - began) / .milliseconds(1))) ms") }
        return try await work()
    }

    /// Measures synchronous work in the same way.
    static func timing<Result>(_ work: () throws -> Result) rethrows -> Result {
        let time = SystemTimeSource()
        let began = time.reading()
        defer { StandardError.detail("took \(Int((time.reading() - began) / .milliseconds(1))) ms") }
        return try work()
    }
}

/// The colors of words, by their meaning.
enum WordColor: String, Hashable, Sendable {
    case good = "32"
    case bad = "1;31"
    case doubtful = "33"

    /// Returns a word with this color on standard output, where that gets color.
    func onOutput(_ word: String) -> String { colored(word, Display.hasColor(isTerminal: StandardOutput.isTerminal)) }

    /// Returns a word with its color, if it has one, on standard output, padded with spaces that have none.
    static func onOutput(_ word: String, _ color: WordColor?, paddedTo width: Int = 0) -> String {
        (color?.onOutput(word) ?? word) + "".padded(to: width - word.count)
    }

    /// Returns a word with this color on standard error, where that gets color.
    func onError(_ word: String) -> String { colored(word, Display.hasColor(isTerminal: StandardError.isTerminal)) }

    /// SGR (ECMA-48 §8.3.117), ended by its default rendition.
    private func colored(_ word: String, _ hasColor: Bool) -> String {
        hasColor ? "\u{1B}[\(rawValue)m\(word)\u{1B}[0m" : word
    }
}

extension StandardError {
    /// Writes progress or a hint, which `--quiet` leaves out.
    static func note(_ text: String) {
        if !Display.isQuiet { write(text) }
    }

    /// Writes a line about what the command does, for `--verbose` only.
    static func detail(_ text: @autoclosure () -> String) {
        if Display.isVerbose { write("cardpresent: \(text())\n") }
    }

    /// Writes which file the command uses, once, for `--verbose` only.
    static func detail(_ what: String, file: String) {
        if Display.isNew(file) { write("cardpresent: \(what): \(file)\n") }
    }

    /// Writes an error or a warning, after the name of the program.
    static func complain(_ text: String) { write(WordColor.bad.onError("cardpresent:") + " \(text)\n") }
}
