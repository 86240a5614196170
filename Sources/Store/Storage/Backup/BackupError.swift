/// The reason why a backup could not be made or restored. The database is as it was.
public enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is a file already.
    case exists(path: String)
    /// The file is the database itself.
    case isTheDatabase(path: String)
    /// Another process has the database open.
    case inUse(path: String)
    /// A folder, a link, or a device.
    case notARegularFile(path: String)
    /// The copy breaks a rule that holds for every database.
    case damaged(path: String, detail: String)
    /// The caller stopped the work.
    case stopped
    /// The system call failed; `doing` is a verb.
    case system(path: String, doing: String, reason: String)
    case storage(StorageError)

    public var description: String {
        switch self {
        case .exists(let path): "'\(path)' exists"
        case .isTheDatabase(let path): "'\(path)' is the database itself"
        case .inUse(let path): "another program has the database '\(path)' open"
        case .notARegularFile(let path): "'\(path)' is a link, a folder, or a device"
        case .damaged(let path, let detail): "'\(path)' is damaged: \(detail)"
        case .stopped: "stopped before the end"
        case .system(let path, let doing, let reason): "cannot \(doing) '\(path)': \(reason)"
        case .storage(let error): error.description
        }
    }

    /// Converts any error of a database operation.
    init(_ error: any Error, path: String) {
        self = error as? BackupError ?? .storage(StorageError(error, path: path))
    }
}
