import Glibc

/// Reads and replaces small files as a whole: settings and secrets.
///
/// Replacing a file is atomic: a reader finds the old content or the new one, also after a power failure. A lock
/// protects changes against other processes. Files are readable by their owner only, unless the permissions say
/// more. A file that cannot be read is an error and is never overwritten.
public struct FileStorage: Sendable {
    /// Which files are accepted.
    public enum Trust: Sendable {
        /// Files of any user.
        case anyUser
        /// Only files that belong to the user, that no other user can read, and that are not links: for secrets.
        case ownerAlone
    }

    private let trust: Trust
    private let limit: Int
    private let permissions: UInt32

    /// - Parameters:
    ///   - trust: which files are accepted.
    ///   - limit: the longest file, in bytes.
    ///   - permissions: those of written files, reduced by the process's mask (umask(2)).
    public init(trust: Trust = .anyUser, limit: Int = 1 << 20, permissions: UInt32 = 0o600) {
        (self.trust, self.limit, self.permissions) = (trust, limit, permissions)
    }

    /// Returns the content of a file; nil when there is none.
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

    /// Replaces a file, or creates it and its folders.
    ///
    /// - Throws: ``FileStorageError``; the file is unchanged then.
    public func replace(_ path: String, with bytes: [UInt8]) throws(FileStorageError) {
        try update(path) { _ throws(FileStorageError) in (bytes, ()) }
    }

    /// Deletes a file, if there is one.
    ///
    /// - Throws: ``FileStorageError``
    public func delete(_ path: String) throws(FileStorageError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw .system(path: path, doing: "delete", FileError(code: errno))
    }

    /// Changes the content of a file while no other process does.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - change: gets the current content, nil for no file. It returns the new content, nil for no change, and a
    ///     value.
    /// - Returns: the value of `change`.
    /// - Throws: ``FileStorageError``; the file is unchanged then.
    public func update<Value>(
        _ path: String, _ change: ([UInt8]?) throws(FileStorageError) -> (bytes: [UInt8]?, value: Value)
    ) throws(FileStorageError) -> Value {
        try createFolders(above: path)
        let lock = try FileLock(beside: path)
        defer { lock.release() }
        // A file that cannot be read must not be overwritten.
        let (changed, value) = try change(try contents(of: path))
        guard var bytes = changed else { return value }
        defer { if trust == .ownerAlone { for index in bytes.indices { bytes[index] = 0 } } }
        try write(bytes, to: path)
        return value
    }

    /// Does something while no other process does it with the same path.
    ///
    /// - Parameters:
    ///   - path: names the work. The lock file is beside it, and the folders above it are made.
    ///   - work: the work.
    /// - Returns: what the work returned or threw.
    /// - Throws: ``FileStorageError``; the work was not begun then.
    public func whileLocked<Value, Failure: Error>(
        _ path: String, _ work: () throws(Failure) -> Value
    ) throws(FileStorageError) -> Result<Value, Failure> {
        try createFolders(above: path)
        let lock = try FileLock(beside: path)
        defer { lock.release() }
        do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
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
        // Large enough for the whole file, so that no part of a secret stays behind in a smaller array.
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
        // The lock reserves this name. A killed process may have left a file behind.
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
        guard descriptor >= 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
        defer { close(descriptor) }
        guard Self.writeAll(bytes, to: descriptor), fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .system(path: path, doing: "write", FileError(code: code))
        }
        // The name must survive a power failure, too.
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(path: path, doing: "write", FileError(code: errno)) }
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
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
        do throws(FolderError) { try Files.createFolders(above: path) } catch {
            throw .system(path: path, doing: "write", error.error)
        }
    }
}

/// The reason why ``FileStorage`` cannot read or write a file. The file is unchanged.
public enum FileStorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A link, a folder or a device.
    case notARegularFile(path: String)
    /// Other users than its owner may read or write it.
    case openToOthers(path: String)
    /// Another user made it.
    case belongsToAnother(path: String)
    /// The file is longer than the limit, in bytes.
    case tooLong(path: String, limit: Int)
    /// Another process holds the lock for too long.
    case busy(path: String)
    /// The content is wrong. The reason does not quote it.
    case malformed(path: String, reason: String)
    /// A newer program wrote it.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The system call failed; `doing` is a verb.
    case system(path: String, doing: String, FileError)

    public var description: String {
        switch self {
        case .notARegularFile(let path): "'\(path)' is a link, a folder or a device: move it away"
        case .openToOthers(let path):
            "other users have access to '\(path)': run 'chmod 600 \(path)'"
        case .belongsToAnother(let path): "'\(path)' belongs to another user: move it away"
        case .tooLong(let path, let limit): "'\(path)' is longer than \(limit) bytes: move it away"
        case .busy(let path): "another program is busy with '\(path)': try again"
        case .malformed(let path, let reason): "'\(path)' cannot be used, because \(reason): fix it, or move it away"
        case .newerVersion(let path, let found, let supported):
            "'\(path)' has version \(found), but this program supports only versions up to \(supported): use a newer version"
        case .system(let path, let doing, let error):
            "cannot \(doing) '\(path)': \(error); check the permissions, or choose another folder"
        }
    }
}

/// A lock on a `.lock` file beside another file. The kernel releases it when the process ends (flock(2)).
struct FileLock: Sendable {
    private let descriptor: CInt

    /// How often and how long to wait for another process, in milliseconds of real time.
    private static let (attempts, pause): (Int, CInt) = (250, 20)

    /// - Throws: ``FileStorageError``
    init(beside path: String) throws(FileStorageError) {
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path: path, doing: "lock", FileError(code: errno)) }
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            poll(nil, 0, Self.pause)
        }
        let code = errno
        close(descriptor)
        guard code != EWOULDBLOCK else { throw .busy(path: path) }
        throw .system(path: path, doing: "lock", FileError(code: code))
    }

    func release() { close(descriptor) }
}
