internal import CardSecrets
internal import Determinism
internal import Networking

/// Passwords and tokens: from a file, from standard input, or typed at the terminal and not shown. They never stand among
/// the arguments, which every user of the machine can read.
enum SecretInput {
    /// In bytes.
    private static let longest = 4096
    private static let patience: Duration = .seconds(300)

    /// Reads the secret in a file, or on standard input when it is named `-`. One line end at its end is no part of it.
    ///
    /// - Throws: `CommandFailure`
    static func read(_ file: String) throws(CommandFailure) -> Secret {
        var bytes = try InputFile.read(file, atMost: longest)
        defer { bytes.wipe() }
        return try secret(bytes, from: file == "-" ? "standard input" : "'\(file)'")
    }

    /// Asks for the secret at the terminal.
    ///
    /// - Throws: `CommandFailure` when nobody is there to type it, or nobody does.
    static func ask(_ question: String, orGive option: String) throws(CommandFailure) -> Secret {
        guard Keyboard.isThere else {
            throw CommandFailure(
                .usage, code: "no_secret", message: "there is no terminal to ask for the password",
                fix: "give \(option) FILE, or '\(option) -' for standard input")
        }
        StandardError.write(question)
        defer { StandardError.write("\n") }
        var bytes: [UInt8]
        do throws(Keyboard.Failure) {
            bytes = try Keyboard(time: SystemTimeSource(), longest: longest).line(echo: false, within: patience)
        } catch {
            throw CommandFailure(.cancelled, code: "cancelled", message: "no password was typed")
        }
        defer { bytes.wipe() }
        return try secret(bytes, from: "the terminal")
    }

    private static func secret(_ bytes: [UInt8], from place: String) throws(CommandFailure) -> Secret {
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(.usage, code: "no_secret", message: "what comes from \(place) \(reason)")
        }
        var line = bytes[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        guard !line.isEmpty else { throw failure("is empty") }
        guard let text = String(validating: line, as: UTF8.self), !text.unicodeScalars.contains(where: isControl) else {
            throw failure("is no password: it is binary, or has more than one line")
        }
        return Secret(text)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
