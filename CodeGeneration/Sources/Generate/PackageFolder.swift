import Foundation

/// The package whose models are read and whose generated files are written.
struct PackageFolder {
    let root: String

    /// Reads the files that declare models, sorted by path.
    func models() throws -> [SourceFile] {
        try Self.modelFolders.flatMap { module, folder in
            try swiftFiles(in: folder).compactMap { path in
                let file = SourceFile(
                    module: module, domain: Self.domain(of: path), path: "\(folder)/\(path)",
                    text: try String(contentsOfFile: "\(root)/\(folder)/\(path)", encoding: .utf8))
                // Networking keeps its models apart. Yosemite has a few among files that need not be readable here.
                return module == "Networking" || file.hasAnnotation ? file : nil
            }
        }
    }

    private static let modelFolders = [
        ("Networking", "Sources/Store/Networking/Models"), ("Yosemite", "Sources/Store/Yosemite"),
    ]

    /// The first folder of a model's path, or the name of its file when it is in none: `Orders/Order.swift` and
    /// `Orders.swift` are in the domain `Orders`.
    private static func domain(of path: String) -> String {
        let parts = path.split(separator: "/").drop { $0 == "Models" }
        return parts.first.map { $0.hasSuffix(".swift") ? String($0.dropLast(6)) : String($0) } ?? path
    }

    /// Returns the paths of the files that would be written or removed.
    func stale(_ output: Output) throws -> [String] {
        let changed = output.files.filter { path, text in
            (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)) != text
        }
        return (changed.keys + (try leftOver(output))).sorted()
    }

    /// Writes the files that are missing or stale, and removes generated files that no model asks for.
    ///
    /// - Returns: The number of files that were written or removed.
    func write(_ output: Output) throws -> Int {
        let stale = try stale(output)
        for path in stale {
            let url = URL(fileURLWithPath: "\(root)/\(path)")
            guard let text = output.files[path] else {
                try FileManager.default.removeItem(at: url)
                continue
            }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .atomic)
        }
        return stale.count
    }

    private func leftOver(_ output: Output) throws -> [String] {
        try Output.folders.flatMap { folder in
            try swiftFiles(in: folder).map { "\(folder)/\($0)" }.filter { output.files[$0] == nil }
        }
    }

    /// Returns the Swift files below a folder, sorted; none when the folder does not exist.
    private func swiftFiles(in folder: String) throws -> [String] {
        var isFolder: ObjCBool = false
        let path = "\(root)/\(folder)"
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return []
        }
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.sorted()
    }
}
