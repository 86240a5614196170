import CardSecrets
import Dispatch
import FoundationEssentials
import Glibc

/// Standard output, for results only. Everything else goes to ``StandardError``.
enum StandardOutput {
    /// Writes immediately, so that a killed process loses no output.
    ///
    /// - Throws: `CommandFailure` when the output could not be written. A closed pipe, as after `head`, is not a
    ///   failure.
    static func write(_ text: String) throws(CommandFailure) { try write(bytes: Array(text.utf8)) }

    /// Writes binary data.
    ///
    /// - Throws: `CommandFailure`
    static func write(bytes: [UInt8]) throws(CommandFailure) {
        if isTerminal { ProgressLine.makeRoom() }
        let reason = writeAll(bytes, to: STDOUT_FILENO)
        guard reason != 0, reason != EPIPE else { return }
        throw CommandFailure(
            .unavailable, code: "output_failed",
            message: "cannot write the result: \(String(cString: strerror(reason)))",
            fix: "the records are saved; see 'cardpresent payments list'")
    }

    /// Whether the stream is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes one JSON value with sorted keys and a newline.
    ///
    /// - Throws: `CommandFailure`
    static func write(json value: some Encodable) throws(CommandFailure) {
        try write(text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]).withShortEmptyLists + "\n")
    }

    /// Writes one JSON value as a line, for streams of results.
    ///
    /// - Throws: `CommandFailure`
    static func write(line value: some Encodable) throws(CommandFailure) {
        try write(text(value, [.sortedKeys, .withoutEscapingSlashes]) + "\n")
    }

    /// Writes one JSON value as a line of a stream of events. A failure is reported, and the stream goes on.
    static func write(event value: some Encodable) {
        do throws(CommandFailure) { try write(line: value) } catch { error.report() }
    }

    private static func text(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws(CommandFailure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot encode the result as JSON: \(error)")
        }
    }
}

/// Standard error, for progress, warnings, and errors.
enum StandardError {
    /// Writes a text, with digits masked that may be a card number: what is quoted here was typed, or is in a file.
    static func write(_ text: String) { write(unmasked: CardNumberMask.masked(text)) }

    /// Writes a text with long numbers of the program itself, such as random seeds, and nothing from outside.
    static func write(unmasked text: String) {
        ProgressLine.makeRoom()
        draw(text)
    }

    /// Writes to the place of the cursor, for ``ProgressLine`` only.
    static func draw(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }

    /// Whether the stream is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// Writes all bytes to a file descriptor.
///
/// - Returns: 0, or the `errno` of the failed write.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
            Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        }
        if count < 0 {
            guard errno != EINTR else { continue }
            return errno
        }
        written += count
    }
    return 0
}

extension String {
    /// The JSON text with empty arrays on one line. Line breaks are never part of a JSON string.
    fileprivate var withShortEmptyLists: String {
        var lines: [Substring] = []
        for line in split(separator: "\n", omittingEmptySubsequences: true) {
            if let opening = lines.last, opening.hasSuffix("["), line.drop(while: { $0 == " " }).first == "]" {
                lines[lines.count - 1] = opening + line.drop { $0 == " " }
            } else {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// Detects when the reader of standard output closes the pipe, as `head -1` does, to end a stream of results.
/// Files and terminals never close.
final class OutputWatch: Sendable {
    /// Two connected sockets: a byte written to one ends the wait.
    private let bell: Int32
    private let alarm: Int32

    /// Starts watching; nil when the process has no free file descriptor.
    ///
    /// - Parameter onEnd: Called once, on another thread, when the pipe is closed.
    init?(onEnd: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (bell, alarm) = (ends[0], ends[1])
        DispatchQueue(label: "cardpresent.output").async { [self] in
            var files = [
                // No events requested: poll(2) always reports errors.
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&files, 2, -1) < 0, errno == EINTR {}
            if files[1].revents == 0, Int32(files[0].revents) & (POLLERR | POLLHUP) != 0 { onEnd() }
        }
    }

    deinit {
        close(bell)
        close(alarm)
    }

    /// Stops watching.
    func end() { _ = write(bell, [1], 1) }
}
