import Explorer
import FoundationEssentials
import ScenarioFormat
import ScenarioRunner
import Sessions
import Text
import WorkQueue

/// The kinds of jobs.
enum JobKind: String {
    case explore, run
}

/// What all batches of `simulate explore` have in common.
struct ExplorationSpec: Hashable, Sendable, Codable {
    var seed: UInt64
}

/// What all batches of `simulate run` have in common: where the scenarios are, and which of them run in which order.
struct ScenarioSpec: Hashable, Sendable, Codable {
    var paths: [String]
    var filter: String?
    var tags: [String]
    var shard: String?
    var seed: UInt64
    var repetitions: Int
    var isShuffled: Bool
    /// The digest of the files.
    var digest: String

    var selection: ScenarioSelection {
        ScenarioSelection(
            filter: filter, tags: tags, shard: shard.flatMap { ScenarioSelection.Shard($0) }, seed: seed,
            repetitions: repetitions, isShuffled: isShuffled)
    }
}

/// What a worker does with the batches of a job.
struct BatchPerformer: Sendable {
    /// Does a batch on the calling thread; nil when it was given up.
    let perform: @Sendable (_ batch: [UInt8], _ isWanted: @escaping @Sendable () -> Bool) throws -> [UInt8]?

    /// Prepares the work on a job.
    ///
    /// - Parameters:
    ///   - job: the job.
    ///   - folder: a folder for the files of sessions.
    /// - Throws: `CommandFailure` when this machine can't work on the job.
    init(_ job: Job, folder: String) throws(CommandFailure) {
        switch JobKind(rawValue: job.kind) {
        case .explore:
            guard let spec = BatchCoding.value(job.spec, as: ExplorationSpec.self) else { throw Self.unknown(job) }
            let worker = ExplorationWorker(
                Explorer(seed: spec.seed, folder: folder).judging { CommandWords($0) })
            perform = { batch, isWanted in try worker.result(of: batch, isWanted: isWanted) }
        case .run:
            guard let spec = BatchCoding.value(job.spec, as: ScenarioSpec.self) else { throw Self.unknown(job) }
            let runs = spec.selection.runs(of: try ScenarioPaths.find(spec.paths))
            guard try ScenarioPaths.digest(spec.paths) == spec.digest else {
                throw CommandFailure(
                    .configuration, code: "other_scenarios",
                    message: "the scenarios below '\(spec.paths.joined(separator: "', '"))' are not those of the job",
                    fix: "copy the scenario files here, and start the worker in the folder that has the same paths")
            }
            perform = { batch, isWanted in try ScenarioRunner.result(of: batch, from: runs, isWanted: isWanted) }
        case nil: throw Self.unknown(job)
        }
    }

    /// Does a batch on a thread of its own.
    func outcome(
        of batch: [UInt8], isWanted: @escaping @Sendable () -> Bool
    ) async -> QueueWorker.Outcome {
        let outcomes = await SessionPool(jobs: 1).run(1) { [perform] _ -> QueueWorker.Outcome in
            do {
                return try perform(batch, isWanted).map { .result($0) } ?? .unfinished
            } catch {
                return .failure("\(error)")
            }
        }
        return outcomes.first ?? .unfinished
    }

    private static func unknown(_ job: Job) -> CommandFailure {
        CommandFailure(.badData, code: "unknown_job", message: "job \(job.id) is of an unknown kind: '\(job.kind)'")
    }
}

/// The scenario files of a command.
enum ScenarioPaths {
    /// Returns the scenarios of files and folders.
    ///
    /// - Throws: `CommandFailure`
    static func find(_ paths: [String]) throws(CommandFailure) -> [ScenarioFinder.Found] {
        do throws(ScenarioFinder.Failure) {
            return try ScenarioFinder.scenarios(at: paths)
        } catch {
            switch error {
            case .noSuchPath(let path):
                throw CommandFailure(.usage, code: "no_such_path", message: "no such file or folder: '\(path)'")
            case .malformed(let errors):
                let count = errors.reduce(0) { $0 + $1.errors.count }
                throw CommandFailure(
                    .badData, code: "malformed_scenario",
                    message: errors.map(\.description).joined(separator: "\ncardpresent: ")
                        + "\ncardpresent: nothing was run: \(count) error\(count == 1 ? "" : "s") in "
                        + "\(errors.count) file\(errors.count == 1 ? "" : "s")")
            }
        }
    }

    /// Returns a digest of the paths and the contents of the files, with every file of a folder, but none whose name
    /// begins with a dot. Files elsewhere that a scenario names are not part of it.
    ///
    /// - Throws: `CommandFailure`
    static func digest(_ paths: [String]) throws(CommandFailure) -> String {
        var digests: [UInt8] = []
        for path in paths { try add(path, depth: 16, to: &digests) }
        return try ProgramIdentity.digest(digests).hexadecimal
    }

    private static func add(_ path: String, depth: Int, to digests: inout [UInt8]) throws(CommandFailure) {
        if depth > 0, let entries = try? FileManager.default.contentsOfDirectory(atPath: path) {
            for entry in entries.sorted() where !entry.hasPrefix(".") {
                try add(path + "/" + entry, depth: depth - 1, to: &digests)
            }
        } else if let content = FileManager.default.contents(atPath: path) {
            digests += try ProgramIdentity.digest(Array(path.utf8))
            digests += try ProgramIdentity.digest(Array(content))
        }
    }
}
