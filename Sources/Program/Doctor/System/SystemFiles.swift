public import Determinism
import Files
import Glibc

/// The files of this system, or of another system below a root directory.
public struct SystemFiles: Sendable {
    /// The maximum number of bytes to read from a file.
    private static let mostBytes = 1 << 20

    private let root: String

    /// - Parameter root: The prefix of all paths, without a slash at its end.
    public init(root: String = "") { self.root = root }

    /// Returns the sorted names in a directory, without hidden files; empty when it cannot be read.
    public func names(in directory: String) -> [String] { (try? Files.names(in: root + directory)) ?? [] }

    /// Returns a file's contents, up to 1 MiB; nil when it cannot be read.
    public func contents(_ path: String) -> [UInt8]? { try? Files.contents(root + path, atMost: Self.mostBytes) }

    /// Returns a file's contents as text; nil when it cannot be read.
    public func text(_ path: String) -> String? { contents(path).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the first line of a kernel attribute; nil when it cannot be read.
    public func attribute(_ path: String) -> String? {
        text(path).map { String($0.prefix { !$0.isNewline }) }
    }

    /// Returns the target of a symbolic link; nil when it is not one.
    public func target(ofLink path: String) -> String? { try? Files.target(ofLink: root + path) }

    /// Returns the status of a file, following links; nil when it does not exist.
    public func status(_ path: String) -> FileStatus? {
        var status = stat()
        guard stat(root + path, &status) == 0 else { return nil }
        return FileStatus(
            mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid,
            isDirectory: status.st_mode & S_IFMT == S_IFDIR,
            modified: Timestamp(
                milliseconds: Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000))
    }

    /// Returns whether there is a file at the path.
    public func exists(_ path: String) -> Bool { status(path) != nil }

    /// Returns whether this process may read and write a file.
    public func isAccessible(_ path: String) -> Bool {
        faccessat(AT_FDCWD, root + path, R_OK | W_OK, AT_EACCESS) == 0
    }

    // MARK: Writing

    /// Installs a file atomically. Keeps a previous file that differs with the extension `.old`.
    ///
    /// - Throws: ``RepairError/file(path:reason:)``
    func install(_ contents: [UInt8], at path: String) throws(RepairError) {
        guard self.contents(path) != contents else { return }
        let place = root + path
        try makeFolders(above: path)
        let new = "\(place).\(getpid()).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Self.failure(path) }
        let isWritten = Self.writeAll(contents, to: file) && fchmod(file, 0o644) == 0 && fsync(file) == 0
        let reason = errno
        close(file)
        guard isWritten else {
            unlink(new)
            throw Self.failure(path, reason)
        }
        var status = stat()
        if lstat(place, &status) == 0 {
            unlink("\(place).old")
            link(place, "\(place).old")
        }
        guard rename(new, place) == 0 else {
            let reason = errno
            unlink(new)
            throw Self.failure(path, reason)
        }
    }

    /// Writes a value to a kernel attribute.
    ///
    /// - Throws: ``RepairError/file(path:reason:)``
    func write(_ value: String, to path: String) throws(RepairError) {
        let file = open(root + path, O_WRONLY | O_CLOEXEC | O_TRUNC)
        guard file >= 0 else { throw Self.failure(path) }
        defer { close(file) }
        guard Self.writeAll(Array((value + "\n").utf8), to: file) else { throw Self.failure(path) }
    }

    private func makeFolders(above path: String) throws(RepairError) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            guard mkdir(root + folder, 0o755) != 0, errno != EEXIST else { continue }
            throw Self.failure(folder)
        }
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> RepairError {
        .file(path: path, reason: String(cString: strerror(code)))
    }
}

/// The status of a file.
public struct FileStatus: Hashable, Sendable {
    /// The permission bits, the low twelve of `st_mode`.
    public var mode: UInt32
    public var owner: UInt32
    public var group: UInt32
    public var isDirectory: Bool
    /// When the contents last changed.
    public var modified: Timestamp

    /// Takes the permission bits, the numbers of user and group, the kind, and the time of the last change.
    public init(mode: UInt32, owner: UInt32, group: UInt32, isDirectory: Bool, modified: Timestamp) {
        (self.mode, self.owner, self.group) = (mode, owner, group)
        (self.isDirectory, self.modified) = (isDirectory, modified)
    }
}
