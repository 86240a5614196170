internal import Glibc

/// A folder for the databases of a run, removed with all that is in it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter parent: on the disk that is measured; a memory file system would flush nothing.
    /// - Throws: `BenchmarkError`
    init(in parent: String) throws {
        var template = Array((parent + "/benchmark-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw BenchmarkError("cannot make a folder in \(parent)") }
        path = String(cString: made)
    }

    /// Removes a database of a session with all that stands beside it.
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

/// Why a benchmark measured nothing.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
