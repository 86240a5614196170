internal import Glibc

/// An output that is written a piece at a time. A file gets its name when all of it is written; until then what was there
/// before stays, and so it does when the draft is dropped.
final class OutputDraft {
    private static let bufferSize = 65_536

    /// Nil for the standard output.
    private let path: String?
    /// What the file is called until it is whole; nil for what cannot be replaced, such as a device or a pipe.
    private var temporary: String?
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The `errno` of the write that failed.
    private var reason: Int32 = 0

    /// Whether what follows is lost.
    var hasFailed: Bool { reason != 0 }

    /// - Parameter path: of the file; nil for the standard output.
    /// - Throws: `CommandFailure`
    init(path: String?) throws(CommandFailure) {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw Self.failure(EISDIR, path) }
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let temporary = "\(path).\(getpid()).new"
            self.temporary = temporary
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        }
        if descriptor < 0 {
            temporary = nil
            throw Self.failure(errno, path)
        }
        buffer.reserveCapacity(Self.bufferSize)
    }

    deinit {
        if path != nil, descriptor >= 0 { close(descriptor) }
        if let temporary { unlink(temporary) }
    }

    /// - Returns: false when it cannot be kept; ``commit()`` says why.
    @discardableResult
    func append(_ bytes: some Collection<UInt8>) -> Bool {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { flush() }
        return !hasFailed
    }

    /// Ends the output and gives the file its name.
    ///
    /// - Throws: `CommandFailure`. A reader of the standard output that has gone away, as `head` does, has got what it
    ///   wanted and is no failure.
    func commit() throws(CommandFailure) {
        flush()
        if reason == 0, let temporary, let path {
            if rename(temporary, path) == 0 { self.temporary = nil } else { reason = errno }
        }
        guard reason != 0, path != nil || reason != EPIPE else { return }
        throw Self.failure(reason, path)
    }

    private func flush() {
        if reason == 0 { reason = writeAll(buffer, to: descriptor) }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ reason: Int32, _ path: String?) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "output_failed",
            message:
                "\(path.map { "'\($0)'" } ?? "the result") cannot be written: \(String(cString: strerror(reason)))",
            fix: path == nil
                ? "give -o FILE" : "name a file in a folder that you may write to, or '-' for the standard output")
    }
}
