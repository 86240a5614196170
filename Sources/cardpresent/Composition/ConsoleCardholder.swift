internal import CardSecrets
internal import EMV
internal import Glibc
internal import Simulator

/// The person at this terminal: chooses and types on the keyboard.
struct ConsoleCardholder: CardholderInterface {
    /// Typed already, on the command line.
    let pin: SealedBytes?
    let pinPad: SimulatedPINPad

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        guard isatty(0) == 1 else { return applications.indices.first }
        for (index, application) in applications.enumerated() {
            StandardError.write("  \(index + 1)  \(application.name)\n")
        }
        StandardError.write("Which application? [1] ")
        guard let line = Swift.readLine() else { return nil }
        guard !line.isEmpty else { return applications.indices.first }
        return Int(line).map { $0 - 1 }.flatMap { applications.indices.contains($0) ? $0 : nil }
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        // A PIN that was given once is tried once: three wrong tries would block the card.
        if let pin { return prompt.isRetry ? .cancelled : .entered(pin.bytes.duplicate()) }
        guard isatty(0) == 1 else { return .unavailable }
        if prompt.isRetry { StandardError.write("Wrong PIN.\n") }
        if prompt.isLastTry { StandardError.write("Last try: another wrong PIN blocks it.\n") }
        StandardError.write("PIN (empty to pass it over): ")
        guard var digits = Self.readWithoutEcho() else { return .cancelled }
        defer { for index in digits.indices { digits[index] = 0 } }
        StandardError.write("\n")
        guard !digits.isEmpty else { return .bypassed }
        guard (4...12).contains(digits.count), digits.allSatisfy({ $0 <= 9 }) else { return .cancelled }
        return .entered(SensitiveBytes(digits))
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        pinPad.encipher(pin, pan: pan)
    }

    /// How long a person may take for a PIN, in tenths of a second.
    private static let patience = 600

    /// One line, a value of 0...9 for each digit, with the terminal's echo off; nil when the payment was
    /// cancelled meanwhile, or nobody typed.
    private static func readWithoutEcho() -> [UInt8]? {
        var settings = termios()
        tcgetattr(0, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer { tcsetattr(0, TCSAFLUSH, &settings) }
        var digits: [UInt8] = []
        digits.reserveCapacity(16)
        var byte: UInt8 = 0
        for _ in 0..<patience {
            if Task.isCancelled { return nil }
            var keyboard = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            // The terminal hands over a whole line at once.
            guard poll(&keyboard, 1, 100) > 0 else { continue }
            while digits.count < 16, read(0, &byte, 1) == 1, byte != 0x0A {
                digits.append(byte >= 0x30 ? byte - 0x30 : 0xFF)
            }
            return digits
        }
        return nil
    }
}
