internal import FoundationEssentials
internal import Glibc

/// Where results go. Everything that is not a result goes to ``StandardError``.
enum StandardOutput {
    /// Writes at once: a killed process loses nothing that it has said.
    ///
    /// - Throws: `CommandFailure` when not all of it could be written. A reader that has gone away, as `head`
    ///   does, has got what it wanted and is no failure.
    static func write(_ text: String) throws(CommandFailure) { try write(bytes: Array(text.utf8)) }

    /// The same for what is no text.
    ///
    /// - Throws: `CommandFailure`
    static func write(bytes: [UInt8]) throws(CommandFailure) {
        let reason = writeAll(bytes, to: STDOUT_FILENO)
        guard reason != 0, reason != EPIPE else { return }
        throw CommandFailure(
            .unavailable, code: "output_failed",
            message: "the result cannot be written: \(String(cString: strerror(reason)))",
            fix: "the records are safe: 'cardpresent payments list' shows them")
    }

    /// Whether a person is watching.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// One JSON value, keys in order, ended by a newline.
    ///
    /// - Throws: `CommandFailure`
    static func write(json value: some Encodable) throws(CommandFailure) {
        try write(text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]).withShortEmptyLists + "\n")
    }

    /// One JSON value on a line of its own, for results that go on.
    ///
    /// - Throws: `CommandFailure`
    static func write(line value: some Encodable) throws(CommandFailure) {
        try write(text(value, [.sortedKeys, .withoutEscapingSlashes]) + "\n")
    }

    private static func text(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws(CommandFailure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the result is no JSON: \(error)")
        }
    }
}

/// Where progress, warnings and errors go.
enum StandardError {
    static func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }

    /// Whether a person is watching.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// - Returns: 0, or the `errno` of the write that failed.
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
    /// The JSON text with every list without elements on one line. In JSON a line break is never part of a string.
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
