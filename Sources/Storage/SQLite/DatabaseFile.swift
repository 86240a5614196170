internal import Glibc

/// The file and the folder that a database lives in.
enum DatabaseFile {
    /// Makes the folders and an empty file where there are none, readable by their owner alone.
    static func create(at path: String) throws(StorageError) {
        try createFolders(above: path)
        // mknod makes the file without opening it: closing a descriptor of a database drops the locks
        // that this process holds on it.
        guard mknod(path, S_IFREG | 0o600, 0) != 0, errno != EEXIST else { return }
        throw failure(path, errno)
    }

    /// Makes the folders, and a file with these bytes where there is none, flushed and readable by its owner alone.
    ///
    /// When it fails, there is no file.
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

    /// Opens a file beside the database, and makes it when it is missing.
    static func open(_ path: String) throws(StorageError) -> CInt {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        return descriptor
    }

    private static func createFolders(above path: String) throws(StorageError) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += folder.isEmpty || folder.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(folder, 0o700) != 0 else { continue }
            let code = errno
            var status = stat()
            // A folder that is there may answer that it cannot be made for many reasons.
            if stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
            throw failure(path, code == EEXIST ? ENOTDIR : code)
        }
    }

    private static func failure(_ path: String, _ code: CInt) -> StorageError {
        code == ENOSPC || code == EDQUOT
            ? .diskFull(path: path) : .notWritable(path: path, reason: String(cString: strerror(code)))
    }
}
