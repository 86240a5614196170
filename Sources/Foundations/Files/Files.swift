import Glibc

/// Reads files, directories, and links, including kernel files that do not report a length.
public enum Files {
    /// Returns the sorted names in a directory, without hidden ones.
    ///
    /// - Throws: ``FileError``
    public static func names(in directory: String) throws(FileError) -> [String] {
        guard let stream = opendir(directory) else { throw FileError(code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the content of a file. It never waits: a named pipe without a writer is empty.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes to read.
    /// - Returns: the bytes.
    /// - Throws: ``FileError``
    public static func contents(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError(code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < limit {
            let count = read(file, &chunk, min(chunk.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(code: errno) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// Returns the target of a symbolic link as written.
    ///
    /// - Throws: ``FileError``, also when the file is not a link.
    public static func target(ofLink path: String) throws(FileError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw FileError(code: errno) }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Creates the missing folders above a file, for their owner only.
    ///
    /// - Throws: ``FolderError`` for the first one that can't be created.
    public static func createFolders(above path: String) throws(FolderError) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += folder.isEmpty || folder.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(folder, 0o700) != 0 else { continue }
            let code = errno
            var status = stat()
            // For an existing folder, mkdir can fail for several reasons.
            if stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
            throw FolderError(folder: folder, error: FileError(code: code == EEXIST ? ENOTDIR : code))
        }
    }
}

/// A folder that can't be created.
public struct FolderError: Error, Hashable, Sendable {
    public let folder: String
    public let error: FileError
}

/// An error of a system call on a file, a directory or a link.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno`.
    public let code: Int32

    /// Takes a number of errno(3).
    public init(code: Int32) { self.code = code }

    /// `ENOENT`
    public static let noSuchFile = FileError(code: ENOENT)

    /// The system's text: `No such file or directory`.
    public var description: String { String(cString: strerror(code)) }
}
