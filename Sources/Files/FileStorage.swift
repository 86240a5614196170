internal import Glibc

/// Keeps small files that are read and replaced whole: settings, and secrets.
///
/// A file is replaced by another one that is on the disk before it gets the name, so that whoever reads it finds the old
/// content or the new one, after a power cut too. Changes are made under a lock, so that two processes do not lose each
/// other's. Files are readable by their owner alone. What cannot be read is an error, and is never overwritten.
public struct FileStorage: Sendable {
    /// Who may have written what is read.
    public enum Trust: Sendable {
        /// Whoever could.
        case anybody
        /// Nobody but the user, and nobody else can read it: it holds secrets, and is no link.
        case ownerAlone
    }

    private let trust: Trust
    private let limit: Int

    /// - Parameters:
    ///   - trust: who may have written what is read.
    ///   - limit: the longest file, in bytes.
    public init(trust: Trust = .anybody, limit: Int = 1 << 20) { (self.trust, self.limit) = (trust, limit) }

    /// What is in a file; nil when there is none.
    ///
    /// - Throws: ``FileStorageError``
    public func contents(of path: String) throws(FileStorageError) -> [UInt8]? {
        let link = trust == .ownerAlone ? O_NOFOLLOW : 0
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | link)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw .notARegularFile(path: path)
            default: throw FileStorageError.system(path: path, doing: "read", FileError(code: errno))
            }
        }
        defer { close(descriptor) }
        try check(descriptor, path)
        return try bytes(of: descriptor, path)
    }

    /// Replaces a file, or makes it with the folders above it.
    ///
    /// - Throws: ``FileStorageError``; then the file is as it was.
    public func replace(_ path: String, with bytes: [UInt8]) throws(FileStorageError) {
        try update(path) { _ throws(FileStorageError) in (bytes, ()) }
    }

    /// Deletes a file. It does nothing when there is none.
    ///
    /// - Throws: ``FileStorageError``
    public func delete(_ path: String) throws(FileStorageError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw .system(path: path, doing: "delete", FileError(code: errno))
    }

    /// Makes another content of the one that a file has, while no other process does.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - change: gets what is there, nil for no file, and returns what is to be there, nil to leave it as it is, and
    ///     a value of its own.
    /// - Returns: that value.
    /// - Throws: ``FileStorageError``; then the file is as it was.
    public func update<Value>(
        _ path: String, _ change: ([UInt8]?) throws(FileStorageError) -> (bytes: [UInt8]?, value: Value)
    ) throws(FileStorageError) -> Value {
        try createFolders(above: path)
        let lock = try FileLock(beside: path)
        defer { lock.release() }
        // What cannot be read must not be lost.
        let (changed, value) = try change(try contents(of: path))
        guard var bytes = changed else { return value }
        defer { if trust == .ownerAlone { for index in bytes.indices { bytes[index] = 0 } } }
        try write(bytes, to: path)
        return value
    }

    private func check(_ descriptor: CInt, _ path: String) throws(FileStorageError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .system(path: path, doing: "read", FileError(code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        guard trust == .ownerAlone else { return }
        guard status.st_uid == geteuid() else { throw .belongsToAnother(path: path) }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers(path: path) }
    }

    private func bytes(of descriptor: CInt, _ path: String) throws(FileStorageError) -> [UInt8] {
        // Room for all of it, so that nothing of a secret is left behind in a smaller array.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(path: path, doing: "read", FileError(code: errno)) }
            guard count > 0 else {
                bytes.removeLast(bytes.count - length)
                return bytes
            }
            length += count
        }
        throw .tooLong(path: path, limit: limit)
    }

    private func write(_ bytes: [UInt8], to path: String) throws(FileStorageError) {
        // The lock makes this name nobody else's; what a killed process left under it goes.
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
        defer { close(descriptor) }
        guard Self.writeAll(bytes, to: descriptor), fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .system(path: path, doing: "write", FileError(code: code))
        }
        // The name must outlive a power cut as well.
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    private func createFolders(above path: String) throws(FileStorageError) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += folder.isEmpty || folder.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            var status = stat()
            // A folder that is there may answer that it cannot be made for many reasons.
            guard stat(folder, &status) == 0 else {
                throw .system(path: path, doing: "write", FileError(code: code))
            }
        }
    }
}
