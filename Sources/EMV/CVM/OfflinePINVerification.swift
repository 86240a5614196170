internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import SmartCard

/// The card compares the PIN (EMV Book 3 §10.5.1, §6.5.12; Book 2 §7.2; Book 4 §6.3.4.1).
struct OfflinePINVerification {
    /// How the PIN gets to the card.
    enum Transport: Hashable, Sendable {
        case plaintext
        case enciphered(ICCPublicKey)

        /// P2 of VERIFY
        var reference: UInt8 {
            switch self {
            case .plaintext: 0x80
            case .enciphered: 0x88
            }
        }
    }

    /// What came of asking once.
    private enum Round {
        /// The card's answer to VERIFY.
        case verified(StatusWord)
        /// The card got nothing, and the cardholder may try again.
        case again
        /// There is no PIN to send, and the TVR says why.
        case withoutPIN
    }

    let session: CardSession
    let cardholder: any CardholderInterface
    let random: any RandomSource
    let transport: Transport

    /// Asks for the PIN until the card takes it, has had enough, or the cardholder has.
    ///
    /// - Returns: whether the card took the PIN. The TVR says why not.
    func perform(_ transaction: inout Transaction) async throws(KernelStop) -> Bool {
        guard !transaction.verificationResults.contains(.pinTryLimitExceeded) else { return false }
        var triesLeft = try await session.getData(EMVTag.pinTryCounter)?.first
        guard triesLeft != 0 else {
            transaction.verificationResults.insert(.pinTryLimitExceeded)
            return false
        }
        var pinPad = readerPINPad(transaction.terminal.pinPolicy)
        var isRetry = false
        for _ in 1...transaction.terminal.pinPolicy.maximumTries {
            switch try await ask(triesLeft, isRetry: isRetry, on: &pinPad, &transaction) {
            case .withoutPIN: return false
            case .again: continue
            case .verified(let status):
                switch (status, status.sw1, status.sw2) {
                case (.success, _, _): return true
                case (.authenticationMethodBlocked, _, _), (.referenceDataInvalidated, _, _), (_, 0x63, 0xC0):
                    transaction.verificationResults.insert(.pinTryLimitExceeded)
                    return false
                case (_, 0x63, 0xC1...0xCF): (triesLeft, isRetry) = (status.sw2 & 0x0F, true)
                default: return false
                }
            }
        }
        return false
    }

    private func ask(
        _ triesLeft: UInt8?, isRetry: Bool, on pinPad: inout (any PINPadCardChannel)?,
        _ transaction: inout Transaction
    ) async throws(KernelStop) -> Round {
        if let pad = pinPad {
            let prompt = PINPrompt(method: .offline, place: .reader, triesLeft: triesLeft, isRetry: isRetry)
            if let round = try await askOnReader(pad, prompt, &transaction) { return round }
            // It only said that it has keys.
            pinPad = nil
        }
        guard transaction.terminal.pinPolicy.entry != .reader else {
            transaction.verificationResults.insert(.pinPadNotWorking)
            return .withoutPIN
        }
        let prompt = PINPrompt(method: .offline, triesLeft: triesLeft, isRetry: isRetry)
        return try await askAtTerminal(prompt, &transaction)
    }

    // MARK: The reader's keys

    /// The reader's keys, if this PIN is to be typed on them: they send it in the clear.
    private func readerPINPad(_ policy: PINPolicy) -> (any PINPadCardChannel)? {
        policy.entry != .terminal && transport == .plaintext ? session.pinPad : nil
    }

    /// - Returns: nil when the reader cannot take a PIN.
    private func askOnReader(
        _ pinPad: any PINPadCardChannel, _ prompt: PINPrompt, _ transaction: inout Transaction
    ) async throws(KernelStop) -> Round? {
        session.observe(.enteringPIN(prompt))
        let policy = transaction.terminal.pinPolicy
        switch try await session.verify(PINPadEntry(seconds: policy.readerSeconds), on: pinPad) {
        case .verified(let status): return .verified(status)
        case .wrongLength: return .again
        case .unsupported: return nil
        case .cancelled, .timedOut:
            guard policy.readerRefusal == .bypasses else { throw .stoppedAtTerminal }
            return try bypass(&transaction)
        }
    }

    // MARK: The terminal's keys

    private func askAtTerminal(
        _ prompt: PINPrompt, _ transaction: inout Transaction
    ) async throws(KernelStop) -> Round {
        session.observe(.enteringPIN(prompt))
        switch await cardholder.enterPIN(prompt) {
        case .cancelled: throw .stoppedAtTerminal
        case .bypassed: return try bypass(&transaction)
        case .unavailable:
            transaction.verificationResults.insert(.pinPadNotWorking)
            return .withoutPIN
        case .entered(let pin):
            // Made first, so that a PIN pad that gives no PIN is found before the card is asked for a challenge.
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

    /// The cardholder passes the PIN over (Book 4 §6.3.4.3).
    private func bypass(_ transaction: inout Transaction) throws(KernelStop) -> Round {
        guard transaction.terminal.mayBypassPIN else { throw .stoppedAtTerminal }
        transaction.verificationResults.insert(.pinNotEntered)
        return .withoutPIN
    }

    /// Sends the block and wipes it. The command is gone by then, so that there is no second copy.
    private func verify(_ block: consuming [UInt8]) async throws(KernelStop) -> StatusWord {
        var data = block
        defer { data.wipe() }
        return try await session.verify(reference: transport.reference, data)
    }
}
