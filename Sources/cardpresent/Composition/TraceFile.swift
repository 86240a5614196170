internal import Glibc
internal import SmartCard
internal import Synchronization

/// A file of exchanges with a card, a JSON object a line.
final class TraceFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The `errno` of the first write that failed; 0 while everything is written.
    private let failedWrite = Mutex<Int32>(0)

    /// Opens the file and empties it. What holds anything but a trace is left alone.
    ///
    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String) throws(CommandFailure) {
        self.path = path
        // Masked or not, a trace is nobody else's business.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .unavailable, code: "trace_not_writable",
                message: "cannot write the trace file '\(path)': \(String(cString: strerror(errno)))",
                fix: "give a path in a folder that you may write to")
        }
        guard Self.isReplaceable(descriptor) else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "'\(path)' is there and is no trace: it is left as it is",
                fix: "give another path")
        }
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else {
            throw CommandFailure(
                .unavailable, code: "trace_not_writable",
                message: "cannot empty the trace file '\(path)': \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ entry: TraceEntry) {
        let line = Array((entry.jsonLine + "\n").utf8)
        let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // A trace that cannot be written must not stop a payment.
        guard count != line.count else { return }
        let reason = count < 0 ? errno : ENOSPC
        failedWrite.withLock { if $0 == 0 { $0 = reason } }
    }

    /// What is to be said about a trace that is not complete.
    var warning: String? {
        let reason = failedWrite.withLock { $0 }
        return reason == 0 ? nil : "the trace file '\(path)' is not complete: \(String(cString: strerror(reason)))"
    }

    /// Whether this is the file at another path.
    func isFile(at path: String) -> Bool {
        var (own, other) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &other) == 0 else { return false }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Whether the file is empty, a trace, or no regular file at all, as a pipe is.
    private static func isReplaceable(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            return true
        }
        let beginning = Array(#"{"c":""#.utf8)
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }
}
