internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import SmartCard

/// The card compares the PIN (EMV Book 3 §10.5.1, §6.5.12; Book 2 §7.2).
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
        for round in 1...transaction.terminal.pinPolicy.maximumTries {
            let prompt = PINPrompt(method: .offline, triesLeft: triesLeft, isRetry: round > 1)
            guard let status = try await askAndVerify(prompt, &transaction) else { return false }
            switch (status, status.sw1, status.sw2) {
            case (.success, _, _): return true
            case (.authenticationMethodBlocked, _, _), (.referenceDataInvalidated, _, _), (_, 0x63, 0xC0):
                transaction.verificationResults.insert(.pinTryLimitExceeded)
                return false
            case (_, 0x63, 0xC1...0xCF): triesLeft = status.sw2 & 0x0F
            default: return false
            }
        }
        return false
    }

    /// - Returns: the card's answer to VERIFY; nil when there is no PIN to send, and the TVR says why.
    private func askAndVerify(
        _ prompt: PINPrompt, _ transaction: inout Transaction
    ) async throws(KernelStop) -> StatusWord? {
        session.observe(.enteringPIN(prompt))
        switch await cardholder.enterPIN(prompt) {
        case .cancelled: throw .stoppedAtTerminal
        case .bypassed:
            guard transaction.terminal.pinPolicy.allowsBypass else { throw .stoppedAtTerminal }
            transaction.verificationResults.insert(.pinNotEntered)
            return nil
        case .unavailable:
            transaction.verificationResults.insert(.pinPadNotWorking)
            return nil
        case .entered(let pin):
            // Made first, so that a PIN pad that gives no PIN is found before the card is asked for a challenge.
            let block: SensitiveBytes
            do throws(PINBlockError) { block = try PINBlock.formatTwo(pin: pin) } catch {
                transaction.verificationResults.insert(.pinPadNotWorking)
                return nil
            }
            switch transport {
            case .plaintext: return try await verify(block.withUnsafeBytes { Array($0) })
            case .enciphered(let key):
                guard let challenge = try await session.getChallenge() else { return nil }
                guard
                    let data = try? OfflinePINEncipherment.encipher(
                        pin: pin, challenge: challenge, key: key, random: random)
                else { return nil }
                return try await verify(data)
            }
        }
    }

    /// Sends the block and wipes it. The command is gone by then, so that there is no second copy.
    private func verify(_ block: consuming [UInt8]) async throws(KernelStop) -> StatusWord {
        var data = block
        defer { data.wipe() }
        return try await session.verify(reference: transport.reference, data)
    }
}
