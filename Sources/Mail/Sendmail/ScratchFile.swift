internal import Glibc

/// Why a file without a name cannot be made.
struct ScratchFileError: Error {
    let reason: String
}

/// A file that has no name any more, so that nobody else opens it and it goes with its last descriptor.
enum ScratchFile {
    /// The most that is read of what a program says.
    private static let endingLimit = 4096

    /// A descriptor of a file with these bytes, at its beginning. The caller closes it.
    static func open(holding bytes: [UInt8]) throws(ScratchFileError) -> CInt {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder.isEmpty ? "/tmp" : folder)/cardpresent-XXXXXX".utf8CString)
        // Made for its owner alone.
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw failure() }
        unlink(path)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw failure(closing: descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(closing: descriptor) }
            written += count
        }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure(closing: descriptor) }
        return descriptor
    }

    /// The last bytes of the file, wherever its descriptor stands.
    static func ending(of descriptor: CInt) -> [UInt8] {
        let length = lseek(descriptor, 0, SEEK_END)
        guard length > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(Int(length), endingLimit))
        let count = pread(descriptor, &bytes, bytes.count, length - off_t(bytes.count))
        return Array(bytes.prefix(max(0, count)))
    }

    private static func failure(closing descriptor: CInt? = nil) -> ScratchFileError {
        let reason = String(cString: strerror(errno))
        if let descriptor { close(descriptor) }
        return ScratchFileError(reason: reason)
    }
}
