public import ArgumentParser
import CardSecrets
import Determinism
import Glibc
import Monitoring
import Synchronization

/// The log of a command that serves.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a line to stderr for each request: json, logfmt, or text.",
            discussion: "Lines have a time in UTC and typed fields, never contents. The journal of systemd takes them.",
            valueName: "format"))
    var log: LogFormat?
    @Option(
        help: ArgumentHelp(
            "File to append the log to instead of stderr.",
            discussion: "SIGHUP opens it again, so that it can be moved away first.", valueName: "file"),
        completion: .file())
    var logFile: String?

    func validate() throws {
        guard logFile == nil || log != nil else { throw ValidationError("--log-file needs --log FORMAT") }
    }

    /// Opens the log; nil without one.
    ///
    /// - Throws: `CommandFailure`
    func open() throws(CommandFailure) -> ServerLog? {
        guard let log else { return nil }
        return try ServerLog(log, path: logFile)
    }
}

extension LogFormat: ExpressibleByArgument {}

/// Writes the lines of a log to stderr or to a file.
final class ServerLog: Sendable {
    private let format: LogFormat
    private let path: String?
    private let descriptor: Mutex<Int32>

    /// - Parameters:
    ///   - format: The form of the lines.
    ///   - path: The path of the file; nil for stderr.
    /// - Throws: `CommandFailure`
    init(_ format: LogFormat, path: String?) throws(CommandFailure) {
        (self.format, self.path) = (format, path)
        descriptor = Mutex(try path.map(Self.file) ?? STDERR_FILENO)
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if path != nil { close(descriptor) }
    }

    /// Writes a line.
    var writer: @Sendable (LogLine) -> Void { { [self] line in write(line) } }

    func write(_ line: LogLine) {
        let text = line.text(format) + "\n"
        guard path != nil else { return StandardError.write(text) }
        let bytes = Array(CardNumberMask.masked(text).utf8)
        descriptor.withLock { _ = writeAll(bytes, to: $0) }
    }

    /// Opens the file again, which may have been moved away. Stderr stays as it is.
    ///
    /// - Throws: `CommandFailure`; the log is as it was then.
    func reopen() throws(CommandFailure) {
        guard let path else { return }
        let new = try Self.file(path)
        let old = descriptor.withLock { descriptor in
            defer { descriptor = new }
            return descriptor
        }
        close(old)
    }

    private static func file(_ path: String) throws(CommandFailure) -> Int32 {
        // Without O_NONBLOCK, a named pipe would wait for a reader.
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw failure(path, String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw failure(path, "not a regular file")
        }
        return descriptor
    }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "output_failed", message: "the log '\(path)' cannot be opened: \(reason)",
            fix: "check the permissions of its folder, or choose another file with --log-file")
    }
}

/// Reads the files of a running server again on SIGHUP, part by part. A part that can't be read stays as it was.
final class ServerReload: Sendable {
    /// A part and how to read it again.
    typealias Part = (name: String, read: @Sendable () throws(CommandFailure) -> Void)

    private let parts: [Part]
    private let log: ServerLog?
    private let time: any TimeSource
    // Signals may come faster than files are read.
    private let turn = Mutex<Void>(())

    /// - Parameters:
    ///   - parts: The parts besides the log, which comes first.
    ///   - log: The log, which says what was read and what was not. Without one, only failures are reported, on stderr.
    ///   - time: The clock of the log.
    init(_ parts: [Part], log: ServerLog?, time: any TimeSource) {
        (self.parts, self.log, self.time) = (parts, log, time)
    }

    func run() {
        turn.withLock { _ in
            if let log { read(("log", { () throws(CommandFailure) in try log.reopen() })) }
            for part in parts { read(part) }
        }
    }

    private func read(_ part: Part) {
        do throws(CommandFailure) {
            try part.read()
            log?.write(LogLine("reloaded", at: time.now(), [("part", .word(part.name))]))
        } catch {
            guard let log else { return error.report() }
            log.write(
                LogLine(
                    "reload_failed", .error, at: time.now(),
                    [("part", .word(part.name)), ("code", .word(error.code))]))
        }
    }
}
