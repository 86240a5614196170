import Files
import GRDB
import Glibc

/// The file and the folder of a database.
enum DatabaseFile {
    /// Returns whether there is something at `path`; also true when that can't be found out.
    static func exists(at path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Returns whether there is a folder at `path`.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates missing folders and an empty file, readable only by their owner.
    static func create(at path: String) throws(StorageError) {
        try createFolders(above: path)
        // mknod creates the file without opening it: closing a descriptor of a database would drop the locks that this
        // process holds on it.
        guard mknod(path, S_IFREG | 0o600, 0) != 0, errno != EEXIST else { return }
        throw failure(path, errno)
    }

    /// Creates missing folders and, unless it exists, a file with these bytes, flushed and readable only by its owner.
    ///
    /// Leaves no file behind when it fails.
    static func create(at path: String, image: [UInt8]) throws(StorageError) {
        try createFolders(above: path)
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw failure(path, errno)
        }
        defer { close(descriptor) }
        do {
            try write(image, to: descriptor, path: path)
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt, path: String) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, errno) }
            written += count
        }
        guard fdatasync(descriptor) == 0 else { throw failure(path, errno) }
    }

    /// Opens a file next to the database. Creates it when it is missing.
    static func open(_ path: String) throws(StorageError) -> CInt {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        return descriptor
    }

    private static func createFolders(above path: String) throws(StorageError) {
        do throws(FolderError) { try Files.createFolders(above: path) } catch { throw failure(path, error.error.code) }
    }

    private static func failure(_ path: String, _ code: CInt) -> StorageError {
        code == ENOSPC || code == EDQUOT
            ? .diskFull(path: path) : .notWritable(path: path, reason: String(cString: strerror(code)))
    }
}

extension StorageError {
    /// Converts any error of a database operation.
    ///
    /// `path`: the path of the database, `:memory:` for one without a file.
    public init(_ error: any Error, path: String) {
        self =
            StorageError(ofDatabase: error, path: path)
            ?? .failed(path: path, code: 1, message: String(describing: type(of: error)))
    }

    /// Converts an error of the database; returns nil for other errors.
    ///
    /// The message is SQLite's. It names tables and constraints, never values.
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
