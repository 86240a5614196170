internal import GRDB

extension StorageError {
    /// Translates any error that working with a database throws.
    ///
    /// `path`: the database, `:memory:` for one without a file.
    public init(_ error: any Error, path: String) {
        self =
            StorageError(ofDatabase: error, path: path)
            ?? .failed(path: path, code: 1, message: String(describing: type(of: error)))
    }

    /// Translates an error of the database, or answers nil when the error is somebody else's.
    ///
    /// The text is SQLite's own message: it names tables and rules, never a value.
    init?(ofDatabase error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
            return
        }
        if let error = error as? UnreadableRow {
            self = .corrupt(path: path, detail: error.description)
            return
        }
        guard let error = error as? DatabaseError else { return nil }
        let message = error.message ?? "no message"
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .diskFull(path: path)
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
            case .SQLITE_NOTADB: .notADatabase(path: path)
            case .SQLITE_CORRUPT: .corrupt(path: path, detail: message)
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
                .notWritable(path: path, reason: message)
            case .SQLITE_CONSTRAINT: .ruleBroken(path: path, rule: message)
            default:
                .failed(path: path, code: Int(error.extendedResultCode.rawValue), message: message)
            }
    }
}
