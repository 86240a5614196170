import ArgumentParser
import Glibc
import ISO8583
import Synchronization
import TillConfiguration

/// `--host-trace`
struct HostTraceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write each message to and from the payment host to this file as JSON lines, with card data masked.",
            valueName: "file"),
        completion: .file())
    var hostTrace: String?

    /// Opens the file.
    ///
    /// - Returns: nil without `--host-trace`.
    /// - Throws: `CommandFailure`
    func open() throws(CommandFailure) -> HostTraceFile? {
        if let hostTrace { try HostTraceFile(path: hostTrace) } else { nil }
    }

    /// Opens the file of a till.
    ///
    /// - Returns: nil without `--host-trace`.
    /// - Throws: `CommandFailure`; also when the till's host is in this process, and gets no messages.
    func open(_ settings: TillConfiguration) throws(CommandFailure) -> HostTraceFile? {
        guard hostTrace != nil else { return nil }
        guard case .iso8583 = settings.host else {
            throw CommandFailure(
                .usage, code: "no_host",
                message: "the configured host is '\(settings.host.kind)', which gets no messages to trace",
                fix: "omit --host-trace, or give a configuration with host.kind: iso8583")
        }
        return try open()
    }
}

/// A file with the messages to and from a host as JSON lines. Card data is masked.
final class HostTraceFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The `errno` of the first failed write; 0 without one.
    private let failedWrite = Mutex<Int32>(0)

    private static let beginning = Array(#"{"direction":""#.utf8)

    /// Opens and empties the file, and tries to write to it. Rejects a file that is no trace.
    ///
    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String) throws(CommandFailure) {
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        guard Self.isReplaceable(descriptor) else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "'\(path)' exists and is not a trace of a host",
                fix: "choose another path with --host-trace")
        }
        // A full disk is an error now, and not after the first message has left.
        let reason = writeAll([0x0A], to: descriptor)
        guard reason == 0 else { throw Self.failure(reason, path) }
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else { throw Self.failure(errno, path) }
        _ = lseek(descriptor, 0, SEEK_SET)
        // Only the user may read a trace, also where an earlier one was open to others.
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { _ = fchmod(descriptor, 0o600) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes the messages of a link.
    var observer: @Sendable (TracedMessage) -> Void { { self.write($0) } }

    private func write(_ message: TracedMessage) {
        // A trace that cannot be written any more must not stop a reversal.
        let reason = writeAll(Array((message.jsonLine + "\n").utf8), to: descriptor)
        guard reason != 0 else { return }
        failedWrite.withLock { if $0 == 0 { $0 = reason } }
    }

    /// Warns on stderr about an incomplete trace.
    func warn() {
        let reason = failedWrite.withLock { $0 }
        guard reason != 0 else { return }
        StandardError.complain("the trace file '\(path)' is incomplete: \(String(cString: strerror(reason)))")
    }

    /// Returns whether the path names the same file.
    func isFile(at path: String) -> Bool {
        var (own, other) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &other) == 0 else { return false }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    private static func failure(_ reason: Int32, _ path: String) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "trace_not_writable",
            message: "cannot write the trace file '\(path)': \(String(cString: strerror(reason)))",
            fix: "nothing was sent: choose a path in a writable folder with --host-trace")
    }

    /// Returns whether the file is empty, a trace, or not a regular file.
    private static func isReplaceable(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            return true
        }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }
}
