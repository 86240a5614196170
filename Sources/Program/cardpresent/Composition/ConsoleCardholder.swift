import CardSecrets
import Determinism
import EMV
import Glibc
import Payments
import Simulator
import TillConfiguration

/// The cardholder at this terminal, who answers prompts on the keyboard. Each prompt has a time limit.
struct ConsoleCardholder: CardholderInterface {
    /// The PIN from the command line.
    let pin: SealedBytes?
    let pinPad: SimulatedPINPad
    private let receipt: ReceiptSettings
    private let keyboard: Keyboard

    /// Enciphers online PINs under the test keys, until there is a PIN pad with its own keys.
    ///
    /// - Throws: `CommandFailure`
    init(
        pin: SealedBytes?, pinPad scheme: PINPadScheme, receipt: ReceiptSettings, random: any RandomSource,
        time: any TimeSource
    ) throws(CommandFailure) {
        do {
            pinPad = try SimulatedPINPad(keys: TestKeys.embedded(), scheme: scheme.keyScheme, random: random)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "cannot create the test PIN pad: \(error)")
        }
        (self.pin, self.receipt, keyboard) = (pin, receipt, Keyboard(time: time))
    }

    /// The time limit of a prompt.
    private static let timeLimit = Duration.seconds(60)
    /// The number of prompts for an invalid number or PIN.
    private static let questions = 3

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        guard Keyboard.isThere else { return applications.indices.first }
        for (index, application) in applications.enumerated() {
            StandardError.write("  \(index + 1)  \(application.name)\n")
        }
        for _ in 0..<Self.questions {
            StandardError.write("Which application? [1] ")
            guard let line = answer(echo: true) else { return nil }
            guard !line.isEmpty else { return applications.indices.first }
            if let number = Int(String(decoding: line, as: UTF8.self)), applications.indices.contains(number - 1) {
                return number - 1
            }
            StandardError.write("Enter a number from 1 to \(applications.count).\n")
        }
        return nil
    }

    func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? {
        guard Keyboard.isThere else { return nil }
        let words = words(for: languages)
        let names = [words.defaultAccount] + types.map(words.account)
        for (index, name) in names.enumerated() { StandardError.write("  \(index + 1)  \(name)\n") }
        for _ in 0..<Self.questions {
            StandardError.write("\(words.whichAccount) [1] ")
            guard let line = answer(echo: true), !line.isEmpty else { return nil }
            if let number = Int(String(decoding: line, as: UTF8.self)), names.indices.contains(number - 1) {
                return number == 1 ? nil : types[number - 2]
            }
        }
        return nil
    }

    /// The words in the cardholder's language: the first one that the card prefers among the configured ones.
    private func words(for languages: [String]) -> CardholderWords {
        CardholderWords(ReceiptLanguage.chosen(by: languages, among: receipt.languages) ?? receipt.language)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        // A PIN from the command line is tried only once: three incorrect tries would block the card.
        if let pin { return prompt.isRetry ? .canceled : .entered(pin.bytes.duplicate()) }
        guard Keyboard.isThere else { return .unavailable }
        let words = words(for: prompt.languages)
        for line in words.warnings(prompt) { StandardError.write(line + "\n") }
        for _ in 0..<Self.questions {
            StandardError.write(words.pin + ": ")
            guard var digits = answer(echo: false) else { return .canceled }
            defer { for index in digits.indices { digits[index] = 0 } }
            StandardError.write("\n")
            guard !digits.isEmpty else { return .bypassed }
            if (4...12).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) {
                for index in digits.indices { digits[index] -= 0x30 }
                return .entered(SensitiveBytes(digits))
            }
            StandardError.write(words.pinLength + "\n")
        }
        return .canceled
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        do throws(SimulatedPINPad.Failure) { return try await pinPad.encipherForHost(pin, pan: pan) } catch {
            StandardError.write("cardpresent: \(error)\n")
            return nil
        }
    }

    /// Reads a line; returns nil and says so when none was entered in time.
    private func answer(echo: Bool) -> [UInt8]? {
        do throws(Keyboard.Failure) { return try keyboard.line(echo: echo, within: Self.timeLimit) } catch {
            StandardError.write(error == .timedOut ? "\nTimed out.\n" : "\n")
            return nil
        }
    }
}

/// Reads lines from the terminal, with a time limit.
struct Keyboard: Sendable {
    /// Why no line was read.
    enum Failure: Error {
        /// The time limit expired.
        case timedOut
        /// The task was canceled, or the terminal was closed.
        case ended
    }

    let time: any TimeSource
    /// The maximum length of a line. The rest is dropped.
    var longest = 64

    /// Whether standard input is a terminal.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

    /// The interval between checks of the clock and the task.
    private static let interval: Int32 = 100

    /// Reads a line as bytes, so that no `String` needs to hold it. Wipe the bytes of a PIN.
    ///
    /// - Parameters:
    ///   - echo: Whether the terminal shows the input.
    ///   - timeLimit: The time limit for the line.
    /// - Returns: The line without its line break.
    /// - Throws: ``Failure``
    func line(echo: Bool, within timeLimit: Duration) throws(Failure) -> [UInt8] {
        guard !echo else { return try readLine(within: timeLimit) }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw .ended }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { throw .ended }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        return try readLine(within: timeLimit)
    }

    private func readLine(within timeLimit: Duration) throws(Failure) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(longest)
        let start = time.reading()
        while time.elapsed(since: start) < timeLimit {
            if Task.isCancelled { break }
            var keyboard = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&keyboard, 1, Self.interval)
            guard ready != 0 else { continue }
            if ready < 0 {
                guard errno == EINTR else { break }
                continue
            }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { break }
            if byte == 0x0A { return line }
            if line.count < longest { line.append(byte) }
        }
        for index in line.indices { line[index] = 0 }
        throw !Task.isCancelled && time.elapsed(since: start) >= timeLimit ? .timedOut : .ended
    }
}
