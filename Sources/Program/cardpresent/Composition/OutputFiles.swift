import Glibc
import SmartCard
import Synchronization
import Text

/// An output that is written in parts. A file is moved to its final name when it is complete; until then, or when the
/// draft is dropped, an existing file stays unchanged.
final class OutputDraft {
    private static let bufferSize = 65_536

    /// Nil for standard output.
    private let path: String?
    /// The temporary path; nil for a device or pipe, which cannot be replaced.
    private var temporary: String?
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The `errno` of the failed write.
    private var reason: Int32 = 0

    /// Whether writing failed.
    var hasFailed: Bool { reason != 0 }

    /// - Parameters:
    ///   - path: The path of the file; nil for standard output.
    ///   - mode: The access rights of the file, from which those of umask(2) are taken away.
    /// - Throws: `CommandFailure`
    init(path: String?, mode: mode_t = 0o644) throws(CommandFailure) {
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
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
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

    /// - Returns: False when writing failed; ``commit()`` throws the error.
    @discardableResult
    func append(_ bytes: some Collection<UInt8>) -> Bool {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { flush() }
        return !hasFailed
    }

    /// Ends the output and moves the file to its final name.
    ///
    /// - Parameter replacing: Whether to replace an existing file. Otherwise, one that another process has created in
    ///   the meantime is an error.
    /// - Throws: `CommandFailure`. A closed pipe, as after `head`, is not a failure.
    func commit(replacing: Bool = true) throws(CommandFailure) {
        flush()
        if reason == 0, let temporary, let path {
            if replacing {
                if rename(temporary, path) == 0 { self.temporary = nil } else { reason = errno }
            } else if link(temporary, path) != 0 {
                reason = errno
            }
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
                ? "use -o FILE" : "choose a file in a writable folder, or '-' for standard output")
    }
}

/// Writes a file. An existing file stays unchanged until the new one is complete.
struct OutputFile: Sendable {
    let path: String

    /// - Throws: `CommandFailure`
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let draft = try OutputDraft(path: path)
        draft.append(bytes)
        try draft.commit()
    }
}

/// Appends to a file that other programs also write to.
struct AppendedFile: Sendable {
    let path: String

    /// - Throws: `CommandFailure`
    func append(_ text: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        let reason = writeAll(Array(text.utf8), to: descriptor)
        guard reason == 0 else { throw failure(reason) }
    }

    private func failure(_ reason: Int32) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "output_failed",
            message: "cannot append to '\(path)': \(String(cString: strerror(reason)))")
    }
}

/// A file of card exchanges as JSON lines.
final class TraceFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The `errno` of the first failed write; 0 without one.
    private let failedWrite = Mutex<Int32>(0)

    /// Opens and empties the file. Rejects a file that is not a trace.
    ///
    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String) throws(CommandFailure) {
        self.path = path
        // Only the user may read a trace, even though card data is masked.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .unavailable, code: "trace_not_writable",
                message: "cannot write the trace file '\(path)': \(String(cString: strerror(errno)))",
                fix: "choose a path in a writable folder")
        }
        guard Self.isReplaceable(descriptor) else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "'\(path)' exists and is not a trace",
                fix: "choose another path")
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

    func write(_ entry: TraceEntry) { write(line: entry.jsonLine) }

    /// Writes an exchange of a simulated card, unmasked.
    func write(command: [UInt8], _ response: ResponseAPDU) {
        write(line: #"{"c":"\#(command.hexadecimal)","r":"\#(response.bytes.hexadecimal)"}"#)
    }

    private func write(line text: String) {
        let line = Array((text + "\n").utf8)
        let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // A trace that cannot be written must not stop a payment.
        guard count != line.count else { return }
        let reason = count < 0 ? errno : ENOSPC
        failedWrite.withLock { if $0 == 0 { $0 = reason } }
    }

    /// A warning about an incomplete trace.
    var warning: String? {
        let reason = failedWrite.withLock { $0 }
        return reason == 0 ? nil : "the trace file '\(path)' is incomplete: \(String(cString: strerror(reason)))"
    }

    /// Returns whether the path names the same file.
    func isFile(at path: String) -> Bool {
        var (own, other) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &other) == 0 else { return false }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Returns whether the file is empty, a trace, or not a regular file.
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
