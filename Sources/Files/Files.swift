internal import Glibc

/// Reads what lies in the file system, the kernel's own files among it, which have no length beforehand.
public enum Files {
    /// The names in a directory, in order, but none that begin with a dot.
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

    /// What is in a file. Nothing is waited for: a named pipe that nobody writes to is empty.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - limit: the most bytes that are read; what comes after them is left.
    /// - Returns: its bytes.
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

    /// Where a symbolic link points, as it is written.
    ///
    /// - Throws: ``FileError``, also when it is no link.
    public static func target(ofLink path: String) throws(FileError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw FileError(code: errno) }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
