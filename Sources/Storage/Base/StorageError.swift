/// Why the database could not be opened, read or written. Whatever the case, nothing is half written.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder or the file cannot be created, opened or written.
    case notWritable(path: String, reason: String)
    /// The file system that holds the database has no room left.
    case diskFull(path: String)
    /// A newer program wrote the database; this one must not touch it.
    case newerSchema(path: String, found: Int, supported: Int)
    /// The file is an SQLite database whose content is damaged.
    case corrupt(path: String, detail: String)
    /// Another process held the database for longer than the busy timeout.
    case busy(path: String)
    /// The file is there and is no SQLite database.
    case notADatabase(path: String)
    /// The file is an SQLite database that another program made.
    case foreignDatabase(path: String)
    /// A rule of the schema refused a row: a fault of the program, not of its user.
    case ruleBroken(path: String, rule: String)
    /// The disk failed, or SQLite answered something that has no case of its own.
    case failed(path: String, code: Int, message: String)

    public var description: String {
        switch self {
        case .notWritable(let path, let reason):
            "cannot write the database '\(path)': \(reason); give a path in a folder that you may write to"
        case .diskFull(let path):
            "no room left to write the database '\(path)': free some disk space and try again; nothing was half written"
        case .newerSchema(let path, let found, let supported):
            "the database '\(path)' has schema \(found), and this program knows schemas up to \(supported): "
                + "use the newer program; the database was left as it is"
        case .corrupt(let path, let detail):
            "the database '\(path)' is damaged (\(detail)): keep the file, with its -wal file, and restore a backup"
        case .busy(let path):
            "another program is busy with the database '\(path)': try again"
        case .notADatabase(let path):
            "'\(path)' is not a database: give another path, or move the file away"
        case .foreignDatabase(let path):
            "the database '\(path)' belongs to another program: give another path"
        case .ruleBroken(let path, let rule):
            "the database '\(path)' refused a row: \(rule)"
        case .failed(let path, let code, let message):
            "the database '\(path)' failed: \(message) (SQLite result \(code))"
        }
    }
}
