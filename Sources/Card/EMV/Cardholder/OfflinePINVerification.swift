public import CardSecrets
public import Cryptography
public import Determinism
import SmartCard

/// Offline PIN verification: the card verifies the PIN (EMV Book 3 §10.5.1, §6.5.12; Book 2 §7.2; Book 4 §6.3.4.1).
struct OfflinePINVerification {
    /// How the PIN is sent to the card.
    enum Transport: Hashable, Sendable {
        case plaintext
        case enciphered(ICCPublicKey)

        /// P2 of VERIFY.
        var reference: UInt8 {
            switch self {
            case .plaintext: 0x80
            case .enciphered: 0x88
            }
        }
    }

    /// The result of one PIN request.
    private enum Round {
        /// The card's answer to VERIFY.
        case verified(StatusWord)
        /// The card received no PIN, and the cardholder may try again.
        case again
        /// There is no PIN to send. The TVR contains the reason.
        case withoutPIN
    }

    let session: CardSession
    let cardholder: any CardholderInterface
    let random: any RandomSource
    let transport: Transport

    /// Asks for the PIN until the card accepts it, no tries are left, or the cardholder stops.
    ///
    /// - Returns: whether the card accepted the PIN. If not, the TVR contains the reason.
    func perform(_ transaction: Transaction) async throws(KernelStop) -> Bool {
        guard !transaction.verificationResults.contains(.pinTryLimitExceeded) else { return false }
        var triesLeft = try await session.getData(EMVTag.pinTryCounter)?.first
        guard triesLeft != 0 else {
            transaction.verificationResults.insert(.pinTryLimitExceeded)
            return false
        }
        var pinPad = readerPINPad(transaction.terminal.pinPolicy)
        var isRetry = false
        for _ in 1...transaction.terminal.pinPolicy.maximumTries {
            switch try await ask(triesLeft, isRetry: isRetry, on: &pinPad, transaction) {
            case .withoutPIN: return false
            case .again: continue
            case .verified(let status):
                switch (status, status.sw1, status.sw2) {
                case (.success, _, _):
                    transaction.triesLeftAfterWrongPIN = nil
                    return true
                case (.authenticationMethodBlocked, _, _), (.referenceDataInvalidated, _, _), (_, 0x63, 0xC0):
                    transaction.verificationResults.insert(.pinTryLimitExceeded)
                    transaction.triesLeftAfterWrongPIN = 0
                    return false
                case (_, 0x63, 0xC1...0xCF):
                    (triesLeft, isRetry) = (status.sw2 & 0x0F, true)
                    transaction.triesLeftAfterWrongPIN = triesLeft
                default: return false
                }
            }
        }
        return false
    }

    private func ask(
        _ triesLeft: UInt8?, isRetry: Bool, on pinPad: inout (any PINPadCardChannel)?,
        _ transaction: Transaction
    ) async throws(KernelStop) -> Round {
        if let pad = pinPad {
            let prompt = PINPrompt(
                method: .offline, place: .reader, triesLeft: triesLeft, isRetry: isRetry,
                languages: transaction.languagePreference)
            if let round = try await askOnReader(pad, prompt, transaction) { return round }
            // The reader claims a PIN pad but has none.
            pinPad = nil
        }
        guard transaction.terminal.pinPolicy.entry != .reader else {
            transaction.verificationResults.insert(.pinPadNotWorking)
            return .withoutPIN
        }
        let prompt = PINPrompt(
            method: .offline, triesLeft: triesLeft, isRetry: isRetry, languages: transaction.languagePreference)
        return try await askAtTerminal(prompt, transaction)
    }

    // MARK: The reader's keys

    /// The reader's PIN pad if this PIN is to be entered on it. It sends plaintext PINs only.
    private func readerPINPad(_ policy: PINPolicy) -> (any PINPadCardChannel)? {
        policy.entry != .terminal && transport == .plaintext ? session.pinPad : nil
    }

    /// - Returns: nil when the reader cannot take a PIN.
    private func askOnReader(
        _ pinPad: any PINPadCardChannel, _ prompt: PINPrompt, _ transaction: Transaction
    ) async throws(KernelStop) -> Round? {
        session.observe(.enteringPIN(prompt))
        let policy = transaction.terminal.pinPolicy
        switch try await session.verify(PINPadEntry(seconds: policy.readerSeconds), on: pinPad) {
        case .verified(let status): return .verified(status)
        case .wrongLength: return .again
        case .unsupported: return nil
        case .canceled, .timedOut:
            guard policy.readerRefusal == .bypasses else { throw .stoppedAtTerminal }
            return try bypass(transaction)
        }
    }

    // MARK: The terminal's keys

    private func askAtTerminal(
        _ prompt: PINPrompt, _ transaction: Transaction
    ) async throws(KernelStop) -> Round {
        session.observe(.enteringPIN(prompt))
        switch await cardholder.enterPIN(prompt) {
        case .canceled: throw .stoppedAtTerminal
        case .bypassed: return try bypass(transaction)
        case .unavailable:
            transaction.verificationResults.insert(.pinPadNotWorking)
            return .withoutPIN
        case .entered(let pin):
            // Built first, so that an invalid PIN is detected before the card is asked for a challenge.
            let block: SensitiveBytes
            do throws(PINBlockError) { block = try PINBlock.formatTwo(pin: pin) } catch {
                transaction.verificationResults.insert(.pinPadNotWorking)
                return .withoutPIN
            }
            switch transport {
            case .plaintext: return .verified(try await verify(block.withUnsafeBytes { Array($0) }))
            case .enciphered(let key):
                guard let challenge = try await session.getChallenge(),
                    let data = try? OfflinePINEncipherment.encipher(
                        pin: pin, challenge: challenge, key: key, random: random)
                else { return .withoutPIN }
                return .verified(try await verify(data))
            }
        }
    }

    /// Handles a PIN bypass (Book 4 §6.3.4.3).
    private func bypass(_ transaction: Transaction) throws(KernelStop) -> Round {
        guard transaction.terminal.mayBypassPIN else { throw .stoppedAtTerminal }
        transaction.verificationResults.insert(.pinNotEntered)
        return .withoutPIN
    }

    /// Sends the block and wipes it. The command has been released by then, so no second copy remains.
    private func verify(_ block: consuming [UInt8]) async throws(KernelStop) -> StatusWord {
        var data = block
        defer { data.wipe() }
        return try await session.verify(reference: transport.reference, data)
    }
}

/// Encipherment of an offline PIN under the card's public key (EMV Book 2 §7.2).
public enum OfflinePINEncipherment {
    /// Why the PIN could not be enciphered. Contains no digit of the PIN.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The card's unpredictable number (GET CHALLENGE) has this many bytes instead of eight.
        case challengeLength(Int)
        /// The PIN is not valid.
        case pin(PINBlockError)
        /// The card's key cannot be used, or libcrypto failed.
        case cryptography(CryptographyError)

        public var description: String {
            switch self {
            case .challengeLength(let count): "the card's challenge has \(count) bytes: it must have 8"
            case .pin(let error): error.description
            case .cryptography(let error): "encipherment of the PIN: \(error)"
            }
        }
    }

    /// Returns the data field of VERIFY with P2 88, as long as the modulus.
    ///
    /// - Parameters:
    ///   - pin: 4...12 digits, one per byte with values 0...9.
    ///   - challenge: the card's answer to GET CHALLENGE, 8 bytes.
    ///   - key: the card's PIN encipherment key, or its data authentication key if it has no other.
    ///   - random: the source of the random padding, so that the same PIN is never enciphered to the same bytes.
    /// - Returns: the enciphered block.
    /// - Throws: ``Failure``
    public static func encipher(
        pin: borrowing SensitiveBytes, challenge: [UInt8], key: ICCPublicKey, random: any RandomSource
    ) throws(Failure) -> [UInt8] {
        guard challenge.count == 8 else { throw .challengeLength(challenge.count) }
        let block: SensitiveBytes
        do throws(PINBlockError) { block = try PINBlock.formatTwo(pin: pin) } catch { throw .pin(error) }
        // A key has at least 64 bytes, so there is always padding.
        var data = [UInt8]()
        data.reserveCapacity(key.key.length)
        defer { data.wipe() }
        data.append(0x7F)
        block.withUnsafeBytes { data.append(contentsOf: $0) }
        data.append(contentsOf: challenge)
        data.append(contentsOf: random.bytes(key.key.length - data.count))
        do throws(CryptographyError) { return try key.key.apply(data) } catch { throw .cryptography(error) }
    }
}
