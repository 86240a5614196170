internal import Foundation

/// The package whose models are read and whose files are written.
struct PackageFolder {
    let root: String

    /// The files in which models are, in the order of their paths.
    func models() throws -> [SourceFile] {
        try ["Networking", "Yosemite"].flatMap { module in
            let folder = "Sources/\(module)/Models"
            return try swiftFiles(in: folder).filter { !$0.hasPrefix("Copies/") }.map { path in
                let parts = path.split(separator: "/").dropLast()
                return SourceFile(
                    module: module, family: parts.joined(separator: "/"), path: "\(folder)/\(path)",
                    text: try String(contentsOfFile: "\(root)/\(folder)/\(path)", encoding: .utf8))
            }
        }
    }

    /// What would be written, removed or changed.
    func stale(_ output: Output) throws -> [String] {
        let changed = output.files.filter { path, text in
            (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)) != text
        }
        return (changed.keys + (try leftOver(output))).sorted()
    }

    /// Writes what is not there yet or is stale, and removes what no model asks for.
    ///
    /// - Returns: how many files it has written or removed.
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

    /// Empty when there is no such folder.
    private func swiftFiles(in folder: String) throws -> [String] {
        var isFolder: ObjCBool = false
        let path = "\(root)/\(folder)"
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return []
        }
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.sorted()
    }
}
