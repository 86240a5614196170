import ArgumentParser
import Determinism
import Explorer
import FoundationEssentials
import Glibc
import ISO8583
import ScenarioFormat
import ScenarioRunner
import WorkQueue

/// `simulate explore`
struct SimulateExplore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Search for faults that break payment guarantees.",
        discussion: """
            EXAMPLES:
              cardpresent simulate explore --sessions 5000
              cardpresent simulate explore --time 600 --seed 7
              cardpresent simulate explore --html report
              cardpresent simulate explore --sessions 100000 --queue postgres://tester@db/work --workers 2
              cardpresent simulate explore --wire iso87-ascii
              cardpresent simulate explore --crash-pairs
              cardpresent simulate explore --replay explored/FILE.yaml
              cardpresent simulate explore --traces traces
              cardpresent simulate explore --validate traces/session-8.jsonl

            Runs random sessions with faults in every layer and step, and checks that the ledgers agree, no card is \
            charged twice, every attempt ends, every approval has a proof, no secrets leak, and nothing hangs or stays \
            open. A failing session is shrunk and saved as a scenario, with the command to replay it. The same seed \
            gives the same sessions for any --jobs. See docs/explore.md.

            --queue shares the work with workers on any number of machines ('cardpresent simulate work'), with the same \
            report. See docs/distributed-search.md.

            --validate checks that the log of a session, which --traces writes, is a path of the models of the payment \
            protocol. See docs/proof.md.

            Ctrl-C ends the search after the sessions that are being played, with the report so far.

            Exits with 0 when no check fails, with 1 when one fails or a log leaves its model, with 3 after Ctrl-C when \
            no check has failed, with 65 when a file is invalid or a log has nothing to check, and with 69 when the \
            models are not built.
            """)

    @Option(help: ArgumentHelp("Number of sessions. Default: 1000, or no limit with --time.", valueName: "number"))
    var sessions: Int?
    @Option(help: ArgumentHelp("Random seed.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Time limit.", valueName: "seconds"))
    var time: Int?
    @Option(help: ArgumentHelp("Number of parallel sessions. Default: the number of processors.", valueName: "number"))
    var jobs: Int?
    @Option(
        help: ArgumentHelp(
            "Number of sessions that are planned together. Another number gives other sessions. Many workers need "
                + "large rounds.", valueName: "number"))
    var round = Explorer.standardRound
    @OptionGroup var queueOptions: QueueOptions
    @Option(
        help: ArgumentHelp(
            "Put a wire of this message profile between till and issuer, with faults on it.", valueName: "profile"),
        completion: .list(MessageProfile.shippedNames))
    var wire: String?
    @Flag(help: "Die at every pair of places in some payments and their recovery, instead of random sessions.")
    var crashPairs = false
    @Flag(help: "Stop at the first failure.")
    var failFast = false
    @Option(
        help: ArgumentHelp("Folder for the scenarios of failures.", valueName: "folder"),
        completion: .directory)
    var out = "explored"
    @Option(
        help: ArgumentHelp("Write the report to this file as JSON; '-' is stdout.", valueName: "file"),
        completion: .file())
    var jsonFile: String?
    @Option(
        help: ArgumentHelp(
            "Write the failures to this folder as HTML, with the events of their sessions.", valueName: "folder"),
        completion: .directory)
    var html: String?
    @Option(
        name: .customLong("replay"),
        help: ArgumentHelp("Check the sessions of this scenario file instead. Can be repeated.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var replays: [String] = []
    @Option(
        help: ArgumentHelp(
            "Write the sessions to this new folder as steps of the models of payments.", valueName: "folder"),
        completion: .directory)
    var traces: String?
    @Option(
        name: .customLong("validate"),
        help: ArgumentHelp("Check this log of a session against the models instead.", valueName: "file"),
        completion: .file(extensions: ["jsonl"]))
    var log: String?
    @Option(
        help: ArgumentHelp("Folder of the models that Scripts/prove --traces builds.", valueName: "folder"),
        completion: .directory)
    var models = ".build/proof/trace"
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(sessions, in: 1...1_000_000_000, "--sessions")
        try check(time, in: 1...1_000_000, "--time", "seconds")
        try check(jobs, in: 1...256, "--jobs")
        try check(round, in: 1...1_000_000, "--round")
        guard queueOptions.queue == nil || (jobs == nil && !crashPairs && replays.isEmpty && log == nil) else {
            throw ValidationError("--queue cannot be used with --jobs, --crash-pairs, --replay, or --validate")
        }
        if let wire, !MessageProfile.shippedNames.contains(wire) {
            throw ValidationError("--wire must be one of \(MessageProfile.shippedNames.joined(separator: ", "))")
        }
        guard
            replays.isEmpty
                || (sessions == nil && time == nil && jsonFile == nil && !output.json && html == nil)
        else {
            throw ValidationError("--replay cannot be used with --sessions, --time, --json, --json-file, or --html")
        }
        guard
            !crashPairs
                || (sessions == nil && time == nil && jsonFile == nil && !output.json && html == nil && replays.isEmpty
                    && traces == nil && log == nil && wire == nil)
        else {
            throw ValidationError("--crash-pairs can only be used with --seed, --jobs, and --out")
        }
        guard
            log == nil
                || (sessions == nil && time == nil && jsonFile == nil && !output.json && html == nil && replays.isEmpty
                    && traces == nil && wire == nil)
        else {
            throw ValidationError("--validate can be used with --models only")
        }
        guard replays.isEmpty || traces == nil else {
            throw ValidationError("--replay cannot be used with --traces")
        }
        guard jsonFile != "-" || !output.json else {
            throw ValidationError("--json and --json-file - cannot be used together")
        }
    }

    func run() async throws {
        Display.begin(output, isJSON: output.json || jsonFile == "-")
        try await FailureReport(isJSON: output.json).reporting {
            let hasFailed = try await Display.timing { () async throws -> Bool in
                if let log { return try await !TraceValidation(log: log, models: models).run() }
                guard replays.isEmpty else { return try await replay() }
                return try await keepingFailures { crashPairs ? try await dieInPairs() : try await explore() }
            }
            if hasFailed { throw ExitCode(ExitStatus.internalError.rawValue) }
        }
    }

    private var explorer: Explorer {
        let folder = FileManager.default.temporaryDirectory.path + "/cardpresent-explore-\(UUID().uuidString)"
        return Explorer(
            seed: seed, sessions: sessions ?? (time == nil ? 1000 : nil),
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, round: round, stopsAtFailure: failFast,
            wire: wire, folder: folder
        ).judging { CommandWords($0) }
    }

    private func explorer(_ progress: ProgressLine, tracing folder: TraceFolder? = nil) -> Explorer {
        var explorer = explorer
        if let folder { explorer.onTrace = { number, events in folder.write("session-\(number)", events) } }
        // A search can take a night: what it finds is kept and shown at once. The end reports files that can't be
        // written.
        explorer.onFailure = { failure in
            progress.clear()
            try? write([failure])
            StandardError.write(unmasked: ExplorationSummary.text(failure, folder: out))
        }
        return explorer
    }

    private func explore() async throws -> Bool {
        let traceFolder = try traces.map { path throws(CommandFailure) in try TraceFolder(path) }
        let clock = SystemTimeSource()
        let progress = ProgressLine()
        let explorer = explorer(progress, tracing: traceFolder)
        defer { try? FileManager.default.removeItem(atPath: explorer.folder) }
        let began = clock.reading()
        let deadline = time.map { began + .seconds($0) }
        let cancellation = Cancellation()
        let goesOn: @Sendable () -> Bool = {
            !cancellation.isRequested && deadline.map { clock.reading() < $0 } ?? true
        }
        let report: ExplorationReport
        if let queue = queueOptions.queue {
            let limit = time
            report = try await QueueRun(queue, queueOptions).run(.explore, ExplorationSpec(seed: seed)) {
                dispatcher throws(WorkQueueError) in
                try await explorer.run(on: dispatcher, goesOn: goesOn) {
                    let workers = dispatcher.processes.progress.workers
                    progress.show($0, sessions: explorer.sessions, time: limit, workers: workers)
                }
            }
        } else {
            report = await CancellationSignals.watching {
                await explorer.run(goesOn: goesOn) { progress.show($0, sessions: explorer.sessions, time: time) }
            } onSignal: {
                await cancellation.request()
            }
        }
        progress.clear()
        if let traceFolder { StandardError.note(try traceFolder.finish()) }
        try write(report.failures)
        if let jsonFile { try write(report, to: jsonFile) }
        if output.json { try write(report, to: "-") }
        if let html { try ReportFolder.write(try await pages(of: report), to: html) }
        let text = ExplorationSummary.text(report, took: clock.reading() - began)
        if jsonFile == "-" || output.json {
            if !Display.isQuiet { StandardError.write(unmasked: text) }
        } else {
            try StandardOutput.write(text)
        }
        if cancellation.isRequested, !report.hasFailed { throw ExitCode(ExitStatus.canceled.rawValue) }
        return report.hasFailed
    }

    private func dieInPairs() async throws -> Bool {
        let progress = ProgressLine()
        let explorer = explorer(progress)
        let cancellation = Cancellation()
        let report = await CancellationSignals.watching {
            await explorer.crashPairs(goesOn: { !cancellation.isRequested }) { progress.show("\($0) sessions") }
        } onSignal: {
            await cancellation.request()
        }
        progress.clear()
        try write(report.failures)
        try StandardOutput.write(
            "\(report.sessions) sessions: "
                + (report.failures.isEmpty ? "no failures\n" : "\(report.failures.count) failures\n"))
        if cancellation.isRequested, report.failures.isEmpty { throw ExitCode(ExitStatus.canceled.rawValue) }
        return !report.failures.isEmpty
    }

    private func replay() async throws -> Bool {
        let explorer = explorer
        defer { try? FileManager.default.removeItem(atPath: explorer.folder) }
        var (failures, cases): ([FoundFailure], Int) = ([], 0)
        let progress = ProgressLine()
        defer { progress.clear() }
        for (index, path) in replays.enumerated() {
            progress.show(
                "checking \(path.harmless), file \(index + 1) of \(replays.count)"
                    + progress.timeLeft(Double(index) / Double(replays.count)))
            do throws(ScenarioFileError) {
                let replayed = try await explorer.replay(path)
                failures += replayed.failures
                cases += replayed.cases
            } catch {
                throw CommandFailure(.badData, code: "malformed_scenario", message: error.description)
            }
        }
        for failure in failures {
            try StandardOutput.write("\(failure.fileName): \(failure.invariant.rawValue): \(failure.detail)\n")
        }
        try StandardOutput.write(
            "\(cases) session\(cases == 1 ? "" : "s"): "
                + (failures.isEmpty ? "no failures\n" : "\(failures.count) failed\n"))
        return !failures.isEmpty
    }

    // MARK: Files

    private func pages(of report: ExplorationReport) async throws(CommandFailure) -> RunReport {
        do throws(ScenarioFileError) {
            return try await report.runReport(folder: out)
        } catch {
            throw CommandFailure(.badData, code: "malformed_scenario", message: error.description)
        }
    }

    /// Makes the folder for failures, so that what a long search finds can be kept.
    ///
    /// - Returns: whether it was not there.
    private func makeFolder() throws(CommandFailure) -> Bool {
        if FileManager.default.fileExists(atPath: out + "/") { return false }
        do { try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true) } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "cannot create the folder '\(out)'",
                fix: "choose a writable folder with --out")
        }
        return true
    }

    /// Searches with a folder for failures, which is gone again afterward when there are none.
    private func keepingFailures(_ search: () async throws -> Bool) async throws -> Bool {
        let isNew = try makeFolder()
        defer { if isNew { rmdir(out) } }
        return try await search()
    }

    private func write(_ failures: [FoundFailure]) throws(CommandFailure) {
        guard !failures.isEmpty else { return }
        _ = try makeFolder()
        for failure in failures {
            try OutputFile(path: "\(out)/\(failure.fileName)").write(Array(failure.text.utf8))
        }
    }

    private func write(_ report: ExplorationReport, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(report)) + [UInt8(ascii: "\n")]
        if path == "-" { try StandardOutput.write(bytes: bytes) } else { try OutputFile(path: path).write(bytes) }
    }
}

extension ProgressLine {
    /// Shows the progress of an exploration until the limit of sessions or of seconds, whichever comes first.
    fileprivate func show(_ progress: ExplorationProgress, sessions: Int?, time: Int?, workers: Int? = nil) {
        guard progress.sessions.isMultiple(of: 16) else { return }
        let ofSessions = sessions.map { Double(progress.sessions) / Double($0) } ?? 0
        let ofTime = time.map { elapsed / .seconds($0) } ?? 0
        let count = "\(progress.sessions)" + (sessions.map { " of \($0)" } ?? "") + " sessions"
        let failures = progress.failures > 0 ? "  \(progress.failures) failed" : ""
        let hands = workers.map { "  \($0) worker\($0 == 1 ? "" : "s")" } ?? ""
        show("\(count)\(timeLeft(max(ofSessions, ofTime)))  \(progress.states) states\(failures)\(hands)")
    }
}

/// The text report of an exploration.
enum ExplorationSummary {
    /// Returns the summary. `took` is the elapsed real time.
    static func text(_ report: ExplorationReport, took: Duration) -> String {
        let seconds = took / .seconds(1)
        let rate = seconds > 0 ? Int(Double(report.sessions) / seconds) : 0
        var lines = [
            "\(report.sessions) sessions in \(Int(seconds.rounded())) s, \(rate) per second, seed \(report.seed)",
            "\(report.stateCount) states covered: "
                + report.coverage.map { "\(name($0.group)) \($0.states)" }.joined(separator: ", "),
            "growth: " + milestones(report.growth).map { "\($0.states) after \($0.sessions)" }.joined(separator: ", ")
                + "; \(report.fresh.newStates) by \(report.fresh.sessions) new sessions, "
                + "\(report.variations.newStates) by \(report.variations.sessions) variations",
        ]
        if report.refused > 0 { lines.append("\(report.refused) sessions could not start") }
        if report.unreadable > 0 { lines.append("\(report.unreadable) drafts were not valid scenarios") }
        lines.append(
            report.failures.isEmpty
                ? "no failures"
                : "\(report.failures.count) failures, seen \(report.failures.count + report.repetitions) times")
        return lines.joined(separator: "\n") + "\n"
    }

    static func text(_ failure: FoundFailure, folder: String) -> String {
        let file = "\(folder)/\(failure.fileName)"
        return """

            FAILED \(failure.invariant.rawValue): \(failure.detail)
              session \(failure.session.map(String.init) ?? "-"), seed \(failure.seed), \(failure.stepsBefore) steps, \
            \(failure.steps) after shrinking
              saved to  \(file)
              check with: cardpresent simulate explore --replay \(file)
              replay with: cardpresent simulate run \(file)

            """
    }

    /// Returns the first point, and then each point at which the number of sessions has doubled.
    private static func milestones(_ growth: [ExplorationReport.Growth]) -> [ExplorationReport.Growth] {
        var found: [ExplorationReport.Growth] = []
        for point in growth where point.sessions >= (found.last?.sessions ?? 0) * 2 || point == growth.last {
            found.append(point)
        }
        return found
    }

    private static func name(_ group: CoverageGroup) -> String {
        switch group {
        case .faultAtPlace: "faults at places"
        case .journalStep: "steps of the journal"
        case .captureStep: "steps of captures"
        case .outcome: "outcomes"
        case .error: "errors"
        case .kernel: "kernel phases"
        case .exchange: "card exchanges"
        case .issuer: "issuer messages"
        case .store: "store requests"
        case .reader: "reader events"
        case .print: "print states"
        }
    }
}
