internal import Glibc

/// A file that a command makes. What was there before stays until all of the new one is written.
struct OutputFile: Sendable {
    let path: String

    /// - Throws: `CommandFailure`
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            return try writeThrough(bytes, isFolder: status.st_mode & S_IFMT == S_IFDIR)
        }
        let temporary = "\(path).\(getpid()).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw failure(errno) }
        var reason = writeAll(bytes, to: descriptor)
        if close(descriptor) != 0, reason == 0 { reason = errno }
        if reason == 0, rename(temporary, path) != 0 { reason = errno }
        guard reason == 0 else {
            unlink(temporary)
            throw failure(reason)
        }
    }

    /// To a device or a pipe, which cannot be replaced.
    private func writeThrough(_ bytes: [UInt8], isFolder: Bool) throws(CommandFailure) {
        guard !isFolder else { throw failure(EISDIR) }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        let reason = writeAll(bytes, to: descriptor)
        guard reason == 0 else { throw failure(reason) }
    }

    private func failure(_ reason: Int32) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "output_failed",
            message: "'\(path)' cannot be written: \(String(cString: strerror(reason)))",
            fix: "name a file in a folder that you may write to, or '-' for the standard output")
    }
}
