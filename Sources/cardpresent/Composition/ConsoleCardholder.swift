internal import CardSecrets
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator

/// The person at this terminal: chooses and types on the keyboard. Every question has a deadline.
struct ConsoleCardholder: CardholderInterface {
    /// Typed already, on the command line.
    let pin: SealedBytes?
    let pinPad: SimulatedPINPad
    private let keyboard: Keyboard

    /// Online PINs are enciphered under the test keys, until there is a PIN pad with keys of its own.
    ///
    /// - Throws: `CommandFailure`
    init(
        pin: SealedBytes?, pinPad scheme: PINPadScheme, random: any RandomSource, time: any TimeSource
    ) throws(CommandFailure) {
        do {
            pinPad = try SimulatedPINPad(keys: TestKeys.embedded(), scheme: scheme.keyScheme, random: random)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the test PIN pad cannot be made: \(error)")
        }
        (self.pin, keyboard) = (pin, Keyboard(time: time))
    }

    /// How long a person may take for one question.
    private static let patience = Duration.seconds(60)
    /// How often a number or a PIN that cannot be one is asked for again.
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
            StandardError.write("Give a number from 1 to \(applications.count).\n")
        }
        return nil
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        // A PIN that was given once is tried once: three wrong tries would block the card.
        if let pin { return prompt.isRetry ? .cancelled : .entered(pin.bytes.duplicate()) }
        guard Keyboard.isThere else { return .unavailable }
        for line in PINWords.warnings(prompt) { StandardError.write(line + "\n") }
        for _ in 0..<Self.questions {
            StandardError.write("PIN (empty to pass it over): ")
            guard var digits = answer(echo: false) else { return .cancelled }
            defer { for index in digits.indices { digits[index] = 0 } }
            StandardError.write("\n")
            guard !digits.isEmpty else { return .bypassed }
            if (4...12).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) {
                for index in digits.indices { digits[index] -= 0x30 }
                return .entered(SensitiveBytes(digits))
            }
            StandardError.write("A PIN has 4 to 12 digits.\n")
        }
        return .cancelled
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        do throws(SimulatedPINPad.Failure) { return try pinPad.encipher(pin, pan: pan) } catch {
            StandardError.write("cardpresent: \(error)\n")
            return nil
        }
    }

    /// A line; nil when nobody typed one, which is told.
    private func answer(echo: Bool) -> [UInt8]? {
        do throws(Keyboard.Failure) { return try keyboard.line(echo: echo, within: Self.patience) } catch {
            StandardError.write(error == .timedOut ? "\nNobody answered in time.\n" : "\n")
            return nil
        }
    }
}
