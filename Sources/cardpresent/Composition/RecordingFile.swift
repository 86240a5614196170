internal import Glibc

/// The file that a recorded payment goes to. Whether it can be written is found out before the payment begins; it gets its
/// name when it is whole.
final class RecordingFile: Sendable {
    let path: String
    private let isForced: Bool
    private let temporary: String
    private let descriptor: Int32

    /// How a recording begins, by which it is known.
    private static let beginning = Array("# Recorded by 'cardpresent pay --record'".utf8)

    /// - Parameter isForced: whether an older recording is replaced. What is no recording never is.
    /// - Throws: `CommandFailure`
    init(path: String, isForced: Bool) throws(CommandFailure) {
        (self.path, self.isForced) = (path, isForced)
        try Self.check(path, isForced)
        temporary = "\(path).\(getpid()).new"
        // Masked or not, a payment is nobody else's business.
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw Self.failure(path, errno, fix: "give a path in a folder that you may write to")
        }
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            unlink(temporary)
        }
    }

    private static func check(_ path: String, _ isForced: Bool) throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard isForced else {
            throw CommandFailure(
                .usage, code: "record_exists", message: "'\(path)' is there already: it is left as it is",
                fix: "give another path, or --force to replace an older recording")
        }
        guard status.st_mode & S_IFMT == S_IFREG, isRecording(path) else {
            throw CommandFailure(
                .usage, code: "record_not_a_recording",
                message: "'\(path)' is there and is no recording: it is left as it is", fix: "give another path")
        }
    }

    private static func isRecording(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }

    /// Writes all of it and gives the file its name.
    ///
    /// - Throws: `CommandFailure`; then there is no file.
    func write(_ text: String) throws(CommandFailure) {
        let reason = writeAll(Array(text.utf8), to: descriptor)
        guard reason == 0 else { throw Self.failure(path, reason) }
        guard fsync(descriptor) == 0 else { throw Self.failure(path, errno) }
        if isForced {
            guard rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
        } else {
            // Unlike a rename, it replaces nothing that has come there meanwhile.
            guard link(temporary, path) == 0 else { throw Self.failure(path, errno) }
        }
    }

    private static func failure(_ path: String, _ reason: Int32, fix: String? = nil) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "record_not_writable",
            message: "cannot write the recording '\(path)': \(String(cString: strerror(reason)))", fix: fix)
    }
}
