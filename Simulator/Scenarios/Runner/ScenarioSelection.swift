import Determinism
import FoundationEssentials
public import ScenarioFormat
import Settings

/// Selects the scenarios to run, their repetitions, and their order.
public struct ScenarioSelection: Hashable, Sendable {
    /// A part of the scenarios, to split a run among machines.
    public struct Shard: Hashable, Sendable {
        /// The number of this part, 1...``count``.
        public var number: Int
        /// The number of parts.
        public var count: Int

        /// Reads a shard such as `2/5`; nil if malformed.
        public init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), (1...10_000).contains(count),
                (1...count).contains(number)
            else { return nil }
            (self.number, self.count) = (number, count)
        }
    }

    /// One run of one scenario.
    public struct Run: Sendable {
        /// The name, with the repetition if there are several: `approve/visa-credit #2`.
        public var name: String
        /// The scenario to run.
        public var found: ScenarioFinder.Found
        public var seed: UInt64
    }

    /// The text that names must contain, or a pattern with `*` for the whole name; nil for any.
    public var filter: String?
    /// Tags, of which a scenario must have one. A tag after `!` excludes scenarios.
    public var tags: [String]
    /// The part to run; nil for all.
    public var shard: Shard?
    /// The random seed for scenarios without their own. Each repetition adds 1.
    public var seed: UInt64
    /// The number of runs of each scenario.
    public var repetitions: Int
    /// Whether to shuffle the order, by the seed.
    public var isShuffled: Bool

    /// Creates a selection; by default, all scenarios once, in order.
    public init(
        filter: String? = nil, tags: [String] = [], shard: Shard? = nil, seed: UInt64 = 1, repetitions: Int = 1,
        isShuffled: Bool = false
    ) {
        (self.filter, self.tags, self.shard, self.seed) = (filter, tags, shard, seed)
        (self.repetitions, self.isShuffled) = (max(1, repetitions), isShuffled)
    }

    /// Returns the selected runs, in order. Each run is in exactly one shard of the same selection.
    public func runs(of found: [ScenarioFinder.Found]) -> [Run] {
        var runs: [Run] = []
        let chosen = found.filter { fits($0) }
        for repetition in 0..<repetitions {
            for entry in chosen {
                runs.append(
                    Run(
                        name: entry.name + (repetitions > 1 ? " #\(repetition + 1)" : ""), found: entry,
                        seed: (entry.scenario.seed ?? seed) &+ UInt64(repetition)))
            }
        }
        if isShuffled { shuffle(&runs) }
        guard let shard else { return runs }
        return runs.enumerated().filter { $0.offset % shard.count == shard.number - 1 }.map(\.element)
    }

    private func fits(_ found: ScenarioFinder.Found) -> Bool {
        if let filter {
            let fits =
                filter.contains("*") ? TextPattern(filter).matches(found.name) : found.name.contains(filter)
            guard fits else { return false }
        }
        let wanted = tags.filter { !$0.hasPrefix("!") }
        let unwanted = tags.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
        let own = found.scenario.tags
        return (wanted.isEmpty || wanted.contains { own.contains($0) }) && !unwanted.contains { own.contains($0) }
    }

    private func shuffle(_ runs: inout [Run]) {
        let random = SeededRandomSource(seed: seed).stream("order of scenarios")
        for index in runs.indices.dropFirst().reversed() {
            runs.swapAt(index, Int(random.number(in: 0...UInt32(clamping: index))))
        }
    }
}

/// Finds scenarios in files and folders.
public enum ScenarioFinder {
    /// A scenario and its name in a run.
    public struct Found: Sendable {
        /// The folder and the name: `decline/by-cents[lost-card]`.
        public var name: String
        /// The scenario.
        public var scenario: Scenario

        /// Creates an entry.
        public init(name: String, scenario: Scenario) { (self.name, self.scenario) = (name, scenario) }
    }

    /// An error of a search for scenarios.
    public enum Failure: Error, Sendable {
        /// The path is neither a file nor a folder.
        case noSuchPath(String)
        /// The files with errors.
        case malformed([ScenarioFileError])
    }

    /// Returns the scenarios of files and folders, in the order of the paths, and by name within a folder. Searches
    /// folders at any depth for `.yaml` and `.yml` files; skips names that begin with `_` or `.`, and folders named
    /// `golden`. A file that is given twice counts once.
    ///
    /// - Throws: ``Failure``
    public static func scenarios(at paths: [String]) throws(Failure) -> [Found] {
        var files: [(path: String, name: String)] = []
        for path in paths {
            for file in try self.files(at: path) where !files.contains(where: { $0.path == file.path }) {
                files.append(file)
            }
        }
        var found: [Found] = []
        var errors: [ScenarioFileError] = []
        for file in files {
            do throws(ScenarioFileError) {
                for scenario in try ScenarioFile.scenarios(path: file.path) {
                    let group = file.name.lastIndex(of: "/").map { file.name[...$0] } ?? ""
                    found.append(Found(name: group + scenario.name, scenario: scenario))
                }
            } catch {
                errors.append(error)
            }
        }
        guard errors.isEmpty else { throw .malformed(errors) }
        return found
    }

    private static func files(at path: String) throws(Failure) -> [(path: String, name: String)] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .noSuchPath(path) }
        guard isFolder else {
            // Includes the folder, so that the name is the same as in a run of the parent folder.
            return [(path, path.split(separator: "/").suffix(2).joined(separator: "/"))]
        }
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        var files: [(path: String, name: String)] = []
        collect(folder, name: "", depth: 16, into: &files)
        return files
    }

    private static func collect(
        _ folder: String, name: String, depth: Int, into files: inout [(path: String, name: String)]
    ) {
        guard depth > 0, let entries = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for entry in entries.sorted() where !entry.hasPrefix("_") && !entry.hasPrefix(".") && entry != "golden" {
            let (path, name) = (folder + "/" + entry, name.isEmpty ? entry : name + "/" + entry)
            var isFolder = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            if isFolder {
                collect(path, name: name, depth: depth - 1, into: &files)
            } else if entry.hasSuffix(".yaml") || entry.hasSuffix(".yml") {
                files.append((path, name))
            }
        }
    }
}

/// The command that repeats a run; for a scenario in code, its location and seed.
enum RerunCommand {
    static func text(_ run: ScenarioSelection.Run) -> String {
        if run.found.scenario.origin == .code { return "\(run.found.scenario.location) with seed \(run.seed)" }
        var words = ["cardpresent", "simulate", "run", run.found.scenario.location.file]
        let name = run.found.scenario.name
        if let bracket = name.firstIndex(of: "[") { words += ["--filter", String(name[bracket...])] }
        words += ["--seed", String(run.seed)]
        return words.map(Words.shell).joined(separator: " ")
    }
}
