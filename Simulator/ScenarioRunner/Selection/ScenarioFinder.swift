internal import FoundationEssentials
public import ScenarioFormat

/// Finds the scenarios under paths that people name.
public enum ScenarioFinder {
    /// A scenario and what it is called in a run.
    public struct Found: Sendable {
        /// Folder and name: `decline/by-cents[lost-card]`.
        public var name: String
        /// What was found.
        public var scenario: Scenario

        /// A scenario by a name.
        public init(name: String, scenario: Scenario) { (self.name, self.scenario) = (name, scenario) }
    }

    /// Why there are no scenarios.
    public enum Failure: Error, Sendable {
        /// Neither a file nor a folder.
        case noSuchPath(String)
        /// Files with mistakes, each with all of its own.
        case malformed([ScenarioFileError])
    }

    /// The scenarios of files and of folders, in the order of the paths and, within a folder, of their names. Of a folder,
    /// every `.yaml` and `.yml` counts, at any depth; what begins with `_` or `.` does not, nor does what lies in a folder
    /// `golden`. A file that is named twice counts once.
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
            // Named with its folder, so that it has the same name as in a run of the folder above.
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
