import CardSecrets
import Determinism
import Glibc
import Networking
import Simulator

/// Reads passwords and tokens from a file, standard input, or a prompt without echo. They are never arguments, which
/// all users of the machine can read.
enum SecretInput {
    /// The maximum length in bytes.
    private static let longest = 4096
    private static let timeLimit: Duration = .seconds(300)

    /// Reads the secret from a file, or from standard input for `-`. Removes a line break at the end.
    ///
    /// - Throws: `CommandFailure`
    static func read(_ file: String) throws(CommandFailure) -> Secret {
        var bytes = try InputFile.read(file, atMost: longest)
        defer { bytes.wipe() }
        return try secret(bytes, from: file == "-" ? "standard input" : "'\(file)'")
    }

    /// Prompts for the secret on the terminal.
    ///
    /// - Throws: `CommandFailure` without a terminal or input.
    static func ask(_ question: String, orGive option: String) throws(CommandFailure) -> Secret {
        guard Keyboard.isThere else {
            throw CommandFailure(
                .usage, code: "no_secret", message: "no terminal for the password prompt",
                fix: "use \(option) FILE, or '\(option) -' for standard input")
        }
        StandardError.write(question)
        defer { StandardError.write("\n") }
        var bytes: [UInt8]
        do throws(Keyboard.Failure) {
            bytes = try Keyboard(time: SystemTimeSource(), longest: longest).line(echo: false, within: timeLimit)
        } catch {
            throw CommandFailure(.canceled, code: "cancelled", message: "no password was entered")
        }
        defer { bytes.wipe() }
        return try secret(bytes, from: "the terminal")
    }

    private static func secret(_ bytes: [UInt8], from place: String) throws(CommandFailure) -> Secret {
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(.usage, code: "no_secret", message: "the input from \(place) \(reason)")
        }
        var line = bytes[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        guard !line.isEmpty else { throw failure("is empty") }
        guard let text = String(validating: line, as: UTF8.self), !text.unicodeScalars.contains(where: isControl) else {
            throw failure("is not a password: it is binary or has several lines")
        }
        return Secret(text)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}

/// The PIN from the command line or standard input.
enum PINOption {
    /// - Returns: One digit per byte; nil without a PIN.
    /// - Throws: `CommandFailure` when it is not 4 to 12 digits. The message does not contain it.
    static func digits(_ option: String?) throws(CommandFailure) -> SealedBytes? {
        guard let option else { return nil }
        var characters = option == "-" ? readLine() : Array(option.utf8)
        defer { for index in characters.indices { characters[index] = 0 } }
        guard (4...12).contains(characters.count), characters.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommandFailure(.usage, code: "invalid_pin", message: "a PIN must have 4 to 12 digits")
        }
        for index in characters.indices { characters[index] -= 0x30 }
        return SealedBytes(characters)
    }

    /// Reads a line of standard input as bytes, so that no `String` ever holds it.
    private static func readLine() -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(16)
        var byte: UInt8 = 0
        while line.count < 16, read(0, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
        return line
    }
}

/// Reads card numbers from standard input, one per line, as bytes, so that no `String` ever holds one.
///
/// On a terminal, prompts for one number without showing it. Skips empty lines and lines that start with `#` in files
/// and pipes.
enum CardNumberInput {
    private static let lineLimit = 200

    /// Passes each number to `body`.
    ///
    /// - Throws: `CommandFailure` with the number of an invalid line, without its contents.
    static func forEach(
        _ body: (borrowing PrimaryAccountNumber) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        let silence = isTerminal ? SilentTerminal() : nil
        if isTerminal { StandardError.write("Card number (not shown): ") }
        defer { silence?.end() }
        var (line, number, count) = ([UInt8](), 0, 0)
        line.reserveCapacity(lineLimit + 1)
        defer { line.wipe() }
        while try readLine(into: &line) {
            number += 1
            let isComment = line.first == 0x23 || line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isComment {
                try body(try pan(line, number))
                count += 1
            }
            line.wipe()
            line.removeAll(keepingCapacity: true)
            if isTerminal { break }
        }
        guard count > 0 else {
            throw CommandFailure(
                .usage, code: "no_card_number", message: "no card number on standard input",
                fix: "enter one at the prompt, or pass a file: cardpresent exceptions add < FILE")
        }
    }

    /// Parses a card number with optional spaces and hyphens.
    private static func pan(_ line: [UInt8], _ number: Int) throws(CommandFailure) -> PrimaryAccountNumber {
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(
                .badData, code: "invalid_card_number", message: "line \(number) is not a card number: \(reason)",
                fix: "Nothing was saved. Fix line \(number) and retry.")
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(lineLimit)
        defer { digits.wipe() }
        for byte in line {
            switch byte {
            case 0x30...0x39: digits.append(byte - 0x30)
            case 0x20, 0x2D, 0x09, 0x0D: break
            default: throw failure("it contains characters other than digits")
            }
        }
        if !digits.count.isMultiple(of: 2) { digits.append(0x0F) }
        var packed = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        defer { packed.wipe() }
        let pan: PrimaryAccountNumber
        do throws(PrimaryAccountNumberError) { pan = try PrimaryAccountNumber(compressedNumeric: packed) } catch {
            throw failure("it must have 8 to 19 digits")
        }
        guard pan.hasValidCheckDigit else { throw failure("the check digit is wrong") }
        return pan
    }

    /// - Returns: false at the end of the input.
    private static func readLine(into line: inout [UInt8]) throws(CommandFailure) -> Bool {
        var (byte, isAnything) = (UInt8(0), false)
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR {
                throw CommandFailure(.canceled, code: "cancelled", message: "canceled; nothing was saved")
            }
            guard count == 1 else { return isAnything }
            isAnything = true
            if byte == 0x0A { return true }
            // A line that is too long is not a card number.
            if line.count <= lineLimit { line.append(byte) }
        }
    }
}

/// Turns off the echo of a terminal and restores it at the end. A signal that would end the program in
/// between only ends the waiting read.
struct SilentTerminal {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private var settings = termios()
    private var actions: [sigaction] = []

    init() {
        tcgetattr(STDIN_FILENO, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        for signal in Self.signals {
            var (interrupting, before) = (sigaction(), sigaction())
            interrupting.__sigaction_handler.sa_handler = { _ in }
            sigaction(signal, &interrupting, &before)
            actions.append(before)
        }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    }

    func end() {
        var shown = settings
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
        for (signal, before) in zip(Self.signals, actions) {
            var before = before
            sigaction(signal, &before, nil)
        }
        StandardError.write("\n")
    }
}
