import Glibc

/// A folder for the databases of a run, removed with its content.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter parent: a folder on the disk to measure. A memory file system would not flush.
    /// - Throws: `BenchmarkError`
    init(in parent: String) throws {
        var template = Array((parent + "/benchmark-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw BenchmarkError("cannot make a folder in \(parent)") }
        path = String(cString: made)
    }

    /// Removes a database of a session and the files next to it.
    static func remove(_ database: String) {
        for ending in ["", "-wal", "-shm", ".lease", ".issuer", ".card-key", ".settings", ".settings.lock"] {
            unlink(database + ending)
        }
    }

    deinit {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(path + "/" + name)
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

/// The reason why a benchmark has no result.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
