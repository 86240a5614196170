internal import ArgumentParser
internal import FoundationEssentials
internal import ScenarioFormat
internal import ScenarioRunner

/// `simulate run`
struct SimulateRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs scenarios: simulated sessions with what must come of them.",
        discussion: """
            A path is a scenario file, or a folder with some. Everything above the USB transport is the program as it \
            is; time is virtual, so that waiting costs nothing; the same seed gives the same bytes, whatever --jobs \
            says. docs/scenarios.md describes the files.

            Exits with 0 when all is as expected, with 1 when something is not, with 64 when nothing is chosen, and \
            with 65 when a file is wrong.
            """)

    @Argument(help: "Scenario files, and folders with some.", completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String]
    @Option(
        help: ArgumentHelp(
            "Run those whose name contains this or, with a '*' in it, is like this.", valueName: "text"))
    var filter: String?
    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp(
            "Run those with one of these tags; '!TAG' leaves those with it out. Give it again for more.",
            valueName: "tag"))
    var tags: [String] = []
    @Option(help: ArgumentHelp("What chance is made of, where a scenario does not say it.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("How often each one runs, each time with the next seed.", valueName: "number"))
    var repetitions = 1
    @Flag(help: "Run them in another order, which the seed decides.")
    var shuffle = false
    @Option(
        help: ArgumentHelp("Run the Ith of N parts, so that several machines share them.", valueName: "I/N"),
        transform: Self.shard)
    var shard: ScenarioSelection.Shard?
    @Option(
        help: ArgumentHelp(
            "How many run at the same time. Default: one for each processor.", valueName: "number"))
    var jobs: Int?
    @Flag(help: "Begin no more when one has failed.")
    var failFast = false
    @Flag(help: "Write the golden files instead of comparing with them.")
    var updateGolden = false
    @Option(
        help: ArgumentHelp("Write the results to this file as JUnit XML; '-' for stdout.", valueName: "file"),
        completion: .file())
    var junit: String?
    @Flag(help: "Print the results in the Test Anything Protocol.")
    var tap = false
    @Option(
        help: ArgumentHelp("Write the results to this file as JSON; '-' for stdout.", valueName: "file"),
        completion: .file())
    var json: String?
    @Option(
        help: ArgumentHelp("Write the results as web pages into this folder.", valueName: "folder"),
        completion: .directory)
    var html: String?

    private static func shard(_ text: String) throws -> ScenarioSelection.Shard {
        guard let shard = ScenarioSelection.Shard(text) else {
            throw ValidationError("'\(text)' is no part: write one such as 2/5")
        }
        return shard
    }

    func validate() throws {
        guard !paths.isEmpty else { throw ValidationError("name a scenario file, or a folder with some") }
        guard (1...1_000_000).contains(repetitions) else { throw ValidationError("--repeat is 1 to 1000000") }
        guard (1...256).contains(jobs ?? 1) else { throw ValidationError("--jobs is 1 to 256") }
        guard [junit == "-", json == "-", tap].count(where: { $0 }) <= 1 else {
            throw ValidationError("only one of --tap, --junit - and --json - can go to stdout")
        }
    }

    func run() async throws {
        do {
            try await runScenarios()
        } catch let failure as CommandFailure {
            failure.report()
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func runScenarios() async throws {
        let found = try find()
        let selection = ScenarioSelection(
            filter: filter, tags: tags, shard: shard, seed: seed, repetitions: repetitions, isShuffled: shuffle)
        let runs = selection.runs(of: found)
        guard !runs.isEmpty else {
            throw CommandFailure(
                .usage, code: "nothing_chosen",
                message: found.isEmpty ? "there are no scenarios here" : "none of \(found.count) scenarios is chosen",
                fix: found.isEmpty ? "name a folder with .yaml files" : "look at --filter, --tag and --shard")
        }
        let runner = ScenarioRunner(
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, stopsAtFailure: failFast,
            updatesGolden: updateGolden, keepsEvents: html != nil)
        let progress = RunProgress(count: runs.count)
        let report = await runner.run(runs, seed: seed) { progress.show($0) }
        progress.end()
        try write(report)
        if report.hasFailed { throw ExitCode(ExitStatus.internalError.rawValue) }
    }

    private func find() throws(CommandFailure) -> [ScenarioFinder.Found] {
        do throws(ScenarioFinder.Failure) {
            return try ScenarioFinder.scenarios(at: paths)
        } catch {
            switch error {
            case .noSuchPath(let path):
                throw CommandFailure(.usage, code: "no_such_path", message: "there is no '\(path)'")
            case .malformed(let errors):
                let count = errors.reduce(0) { $0 + $1.errors.count }
                throw CommandFailure(
                    .badData, code: "malformed_scenario",
                    message: errors.map(\.description).joined(separator: "\ncardpresent: ")
                        + "\ncardpresent: nothing was run: \(count) mistake\(count == 1 ? "" : "s") in "
                        + "\(errors.count) file\(errors.count == 1 ? "" : "s")")
            }
        }
    }

    // MARK: Reports

    private func write(_ report: RunReport) throws {
        if let junit { try write(JUnitReport.text(report), to: junit) }
        if let json { try write(try JSONReport.text(report), to: json) }
        if let html { try writePages(HTMLReport.pages(report), to: html) }
        if tap { try StandardOutput.write(TAPReport.text(report)) }
        for result in report.failures { StandardError.write("\nFAILED \(result.name)\n\(FailureText.text(result))") }
        let isQuiet = tap || junit == "-" || json == "-"
        if isQuiet {
            StandardError.write(report.sentence + "\n")
        } else {
            try StandardOutput.write(report.sentence + "\n")
        }
        try tellGitHub(report, isQuiet: isQuiet)
    }

    private func write(_ text: String, to path: String) throws(CommandFailure) {
        guard path != "-" else { return try StandardOutput.write(text) }
        try OutputFile(path: path).write(Array(text.utf8))
    }

    private func writePages(_ pages: [HTMLReport.Page], to folder: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "the folder '\(folder)' cannot be made",
                fix: "give a folder that you may write to")
        }
        for page in pages { try OutputFile(path: folder + "/" + page.fileName).write(Array(page.text.utf8)) }
    }

    /// A summary under the job and annotations at the lines, where the program runs as a step of GitHub Actions.
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
