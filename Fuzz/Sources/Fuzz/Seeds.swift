import Foundation

/// The initial inputs of the corpus: data of our own cards, readers, and files.
enum Seeds {
    /// Writes the seeds of every target into a separate folder. The working directory is the project's.
    static func write(to folder: String) throws {
        for target in FuzzTarget.all {
            let folder = "\(folder)/\(target.name)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (number, seed) in try target.seeds().enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed\(number)"))
            }
        }
    }

    /// Returns the contents of files of the project, in the order of their names.
    static func files(in folder: String, ending: String) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(ending) }
            .map { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
    }
}
