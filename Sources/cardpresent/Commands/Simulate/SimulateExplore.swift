internal import ArgumentParser
internal import Determinism
internal import Explorer
internal import FoundationEssentials
internal import ScenarioFormat

/// `simulate explore`
struct SimulateExplore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Looks for sessions that break what must hold, whatever goes wrong.",
        discussion: """
            Makes up sessions with faults in every layer and at every step, plays them, and looks whether the books \
            agree, nobody is charged twice, every attempt has an end, every approval is proven, no secret is told, \
            and nothing hangs or is left open. A session that breaks one of these is made small and written down as a \
            scenario, with the command that plays it again. The same seed makes the same sessions, whatever --jobs \
            says; what has not been seen yet is tried first. docs/explore.md tells more.

            Exits with 0 when nothing is broken, with 1 when something is, and with 65 when a file is wrong.
            """)

    @Option(help: ArgumentHelp("How many sessions. Default: 1000, or as many as --time lets.", valueName: "number"))
    var sessions: Int?
    @Option(help: ArgumentHelp("What chance is made of.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
    var time: Int?
    @Option(
        help: ArgumentHelp("How many sessions at the same time. Default: one for each processor.", valueName: "number"))
    var jobs: Int?
    @Flag(help: "Stop when something is broken.")
    var failFast = false
    @Option(
        help: ArgumentHelp("The folder for the scenarios of what is broken.", valueName: "folder"),
        completion: .directory)
    var out = "explored"
    @Option(
        help: ArgumentHelp("Write what was found to this file as JSON; '-' for stdout.", valueName: "file"),
        completion: .file())
    var json: String?
    @Option(
        name: .customLong("replay"),
        help: ArgumentHelp(
            "Play the sessions of this scenario file instead, and judge them. Give it again for more.",
            valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var replays: [String] = []

    func validate() throws {
        guard (1...1_000_000_000).contains(sessions ?? 1) else {
            throw ValidationError("--sessions is 1 to 1000000000")
        }
        guard (1...1_000_000).contains(time ?? 1) else { throw ValidationError("--time is 1 to 1000000 seconds") }
        guard (1...256).contains(jobs ?? 1) else { throw ValidationError("--jobs is 1 to 256") }
        guard replays.isEmpty || (sessions == nil && time == nil && json == nil) else {
            throw ValidationError("--replay plays what is in the files: leave --sessions, --time and --json out")
        }
    }

    func run() async throws {
        do {
            let hasFailed = replays.isEmpty ? try await explore() : try await replay()
            if hasFailed { throw ExitCode(ExitStatus.internalError.rawValue) }
        } catch let failure as CommandFailure {
            failure.report()
            throw ExitCode(failure.status.rawValue)
        }
    }

    private var explorer: Explorer {
        let folder = FileManager.default.temporaryDirectory.path + "/cardpresent-explore-\(UUID().uuidString)"
        return Explorer(
            seed: seed, sessions: sessions ?? (time == nil ? 1000 : nil),
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, stopsAtFailure: failFast, folder: folder)
    }

    private func explore() async throws -> Bool {
        let (explorer, clock) = (explorer, SystemTimeSource())
        defer { try? FileManager.default.removeItem(atPath: explorer.folder) }
        let began = clock.reading()
        let progress = ExplorationDisplay()
        let deadline = time.map { began + .seconds($0) }
        let report = await explorer.run {
            deadline.map { clock.reading() < $0 } ?? true
        } onProgress: {
            progress.show($0)
        }
        progress.end()
        try write(report.failures)
        if let json { try write(report, to: json) }
        let text = ExplorationSummary.text(report, took: clock.reading() - began)
        if json == "-" { StandardError.write(text) } else { try StandardOutput.write(text) }
        for failure in report.failures { StandardError.write(ExplorationSummary.text(failure, folder: out)) }
        return report.hasFailed
    }

    private func replay() async throws -> Bool {
        let explorer = explorer
        defer { try? FileManager.default.removeItem(atPath: explorer.folder) }
        var (failures, cases): ([FoundFailure], Int) = ([], 0)
        for path in replays {
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
                + (failures.isEmpty ? "nothing is broken\n" : "\(failures.count) broken\n"))
        return !failures.isEmpty
    }

    // MARK: Files

    private func write(_ failures: [FoundFailure]) throws(CommandFailure) {
        guard !failures.isEmpty else { return }
        do { try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true) } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "the folder '\(out)' cannot be made",
                fix: "give a folder that you may write to with --out")
        }
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
