internal import Foundation

/// Where results go. Everything that is not a result goes to ``StandardError``.
enum StandardOutput {
    /// Writes at once: a killed process loses nothing that it has said.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// One JSON value, keys in order, ended by a newline.
    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }
}

/// Where progress, warnings and errors go.
enum StandardError {
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Whether a person is watching.
    static var isTerminal: Bool { isatty(2) == 1 }
}

extension StandardOutput {
    /// One JSON value on a line of its own, for results that go on.
    static func write(line value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }
}
