import ArgumentParser
import Determinism
import FoundationEssentials
import ScenarioFormat
import ScenarioRunner
import Synchronization
import WorkQueue

/// `simulate run`
struct SimulateRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run scenarios and check their results.",
        discussion: """
            EXAMPLES:
              cardpresent simulate run Simulator/Resources/Scenarios
              cardpresent simulate run scenario.yaml --seed 7 --repeat 100
              cardpresent simulate run scenarios --tag '!slow' --junit results.xml
              cardpresent simulate run scenarios --traces traces
              cardpresent simulate run scenarios --repeat 1000 --queue postgres://tester@db/work --workers 2

            Runs the program's own driver, kernel, and journal with simulated readers, cards, and time, so that waiting \
            takes no time. The same seed gives the same bytes for any --jobs; only the times in a JUnit file are real, \
            unless --virtual-times is given. See docs/scenarios.md for the file format.

            --queue shares the work with workers on any number of machines that have the same files ('cardpresent \
            simulate work'). The report is the same, with virtual times. See docs/distributed-search.md.

            Exits with 0 when all expectations are met, with 1 when one is not, with 64 when no scenario is selected, \
            and with 65 when a file is invalid.
            """)

    @Argument(help: "Scenario files or folders.", completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String]
    @Option(
        help: ArgumentHelp(
            "Run scenarios whose name contains this text or matches this pattern with '*'.", valueName: "text"))
    var filter: String?
    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("Run scenarios with this tag; '!TAG' excludes it. Can be repeated.", valueName: "tag"))
    var tags: [String] = []
    @Option(help: ArgumentHelp("Random seed, unless the scenario sets one.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Number of runs of each scenario, each with the next seed.", valueName: "number"))
    var repetitions = 1
    @Flag(help: "Run in a random order, which depends on the seed.")
    var shuffle = false
    @Option(
        help: ArgumentHelp("Run part I of N, to split the scenarios between machines.", valueName: "I/N"),
        transform: Self.shard)
    var shard: ScenarioSelection.Shard?
    @Option(help: ArgumentHelp("Number of parallel runs. Default: the number of processors.", valueName: "number"))
    var jobs: Int?
    @OptionGroup var queueOptions: QueueOptions
    @Flag(help: "Stop at the first failure.")
    var failFast = false
    @Flag(help: "Update the golden files instead of comparing with them.")
    var updateGolden = false
    @Option(
        help: ArgumentHelp("Write the results to this file as JUnit XML; '-' is stdout.", valueName: "file"),
        completion: .file())
    var junit: String?
    @Flag(help: "Write virtual times to the JUnit file instead of real ones, so that two runs have the same bytes.")
    var virtualTimes = false
    @Flag(help: "Print the results in TAP format (Test Anything Protocol).")
    var tap = false
    @Option(
        help: ArgumentHelp("Write the results to this file as JSON; '-' is stdout.", valueName: "file"),
        completion: .file())
    var jsonFile: String?
    @Option(
        help: ArgumentHelp("Write the results to this folder as HTML.", valueName: "folder"),
        completion: .directory)
    var html: String?
    @Option(
        help: ArgumentHelp(
            "Write the sessions to this new folder as steps of the models of payments (docs/proof.md).",
            valueName: "folder"),
        completion: .directory)
    var traces: String?
    @OptionGroup var output: OutputOptions

    private static func shard(_ text: String) throws -> ScenarioSelection.Shard {
        guard let shard = ScenarioSelection.Shard(text) else {
            throw ValidationError("'\(text)' is not a part such as 2/5")
        }
        return shard
    }

    func validate() throws {
        guard !paths.isEmpty else { throw ValidationError("give a scenario file or folder") }
        try check(repetitions, in: 1...1_000_000, "--repeat")
        try check(jobs, in: 1...256, "--jobs")
        guard queueOptions.queue == nil || (jobs == nil && !updateGolden) else {
            throw ValidationError("--queue cannot be used with --jobs or --update-golden")
        }
        guard [junit == "-", jsonFile == "-", output.json, tap].count(where: { $0 }) <= 1 else {
            throw ValidationError("only one of --tap, --json, --json-file -, and --junit - can write to stdout")
        }
    }

    func run() async throws {
        Display.begin(output, isJSON: output.json || jsonFile == "-")
        try await FailureReport(isJSON: output.json).reporting { try await Display.timing { try await runScenarios() } }
    }

    private func runScenarios() async throws {
        let found = try ScenarioPaths.find(paths)
        let selection = ScenarioSelection(
            filter: filter, tags: tags, shard: shard, seed: seed, repetitions: repetitions, isShuffled: shuffle)
        let runs = selection.runs(of: found)
        guard !runs.isEmpty else {
            throw CommandFailure(
                .usage, code: "nothing_chosen",
                message: found.isEmpty ? "no scenarios found" : "none of \(found.count) scenarios selected",
                fix: found.isEmpty ? "give a folder with .yaml files" : "check --filter, --tag, and --shard")
        }
        let traceFolder = try traces.map { path throws(CommandFailure) in try TraceFolder(path) }
        var runner = ScenarioRunner(
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, stopsAtFailure: failFast,
            updatesGolden: updateGolden, keepsEvents: html != nil)
        if let traceFolder {
            runner.onTrace = { name, seed, events in traceFolder.write("\(name)-\(seed)", events) }
        }
        let progress = RunProgress(count: runs.count)
        let (report, durations) = try await play(runs, runner, progress)
        progress.clear()
        if let traceFolder { StandardError.note(try traceFolder.finish()) }
        try write(report, virtualTimes ? nil : durations)
        if report.hasFailed { throw ExitCode(ExitStatus.internalError.rawValue) }
    }

    /// Plays the scenarios, here or with workers.
    ///
    /// - Returns: the report, and the real durations, which only one machine has.
    private func play(
        _ runs: [ScenarioSelection.Run], _ runner: ScenarioRunner, _ progress: RunProgress
    ) async throws -> (RunReport, [Duration]?) {
        guard let queue = queueOptions.queue else {
            let timed = await runner.run(runs, seed: seed, timedBy: SystemTimeSource()) { progress.show($0) }
            return (timed.report, timed.durations)
        }
        let spec = ScenarioSpec(
            paths: paths, filter: filter, tags: tags, shard: shard.map { "\($0.number)/\($0.count)" }, seed: seed,
            repetitions: repetitions, isShuffled: shuffle, digest: try ScenarioPaths.digest(paths))
        let seed = seed
        let report = try await QueueRun(queue, queueOptions).run(.run, spec) { dispatcher throws(WorkQueueError) in
            try await runner.run(runs, seed: seed, on: dispatcher) { progress.show($0) }
        }
        return (report, nil)
    }

    // MARK: Reports

    private func write(_ report: RunReport, _ durations: [Duration]?) throws {
        if let junit { try write(JUnitReport.text(report, durations: durations), to: junit) }
        if let jsonFile { try write(try JSONReport.text(report), to: jsonFile) }
        if output.json { try StandardOutput.write(try JSONReport.text(report)) }
        if let html { try ReportFolder.write(report, to: html) }
        if tap { try StandardOutput.write(TAPReport.text(report)) }
        for result in report.failures {
            let mark = WordColor.bad.onError("FAILED")
            StandardError.write(unmasked: "\n\(mark) \(result.name)\n\(FailureText.text(result))")
        }
        let isQuiet = tap || junit == "-" || jsonFile == "-" || output.json
        if isQuiet {
            StandardError.note((report.hasFailed ? WordColor.bad : .good).onError(report.sentence) + "\n")
        } else {
            try StandardOutput.write((report.hasFailed ? WordColor.bad : .good).onOutput(report.sentence) + "\n")
        }
        try tellGitHub(report, isQuiet: isQuiet)
    }

    private func write(_ text: String, to path: String) throws(CommandFailure) {
        guard path != "-" else { return try StandardOutput.write(text) }
        try OutputFile(path: path).write(Array(text.utf8))
    }

    /// Writes a job summary and line annotations when running in GitHub Actions.
    private func tellGitHub(_ report: RunReport, isQuiet: Bool) throws(CommandFailure) {
        let environment = ProcessInfo.processInfo.environment
        if environment["GITHUB_ACTIONS"] == "true", !isQuiet {
            try StandardOutput.write(GitHubReport.annotations(report))
        }
        if let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
            try AppendedFile(path: path).append(GitHubReport.summary(report))
        }
    }
}

/// Shows the progress of a run of scenarios.
private final class RunProgress: Sendable {
    private struct State {
        var done = 0
        var failed = 0
    }

    private let count: Int
    private let line = ProgressLine()
    private let state = Mutex(State())

    init(count: Int) { self.count = count }

    func show(_ result: ScenarioResult) {
        let (done, failed) = state.withLock { state in
            state.done += 1
            if result.isFailure { state.failed += 1 }
            return (state.done, state.failed)
        }
        line.show(
            "\(done)/\(count)\(line.timeLeft(Double(done) / Double(count)))" + (failed > 0 ? "  \(failed) failed" : "")
                + "  \(result.name)")
    }

    func clear() { line.clear() }
}
