internal import CardSecrets
internal import Determinism
internal import SmartCard

/// The card compares the PIN (EMV Book 3 §10.5.1, §6.5.12).
struct OfflinePINVerification {
    /// How the PIN gets to the card.
    enum Transport: Hashable, Sendable { case plaintext, enciphered }

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
        let encipherment = try recoverKey(transaction)
        guard transport == .plaintext || encipherment != nil else { return false }
        for round in 1...transaction.terminal.pinPolicy.maximumTries {
            guard var block = try await askForPIN(triesLeft: triesLeft, isRetry: round > 1, &transaction) else {
                return false
            }
            defer { block.wipe() }
            guard let status = try await send(block, encipherment) else { return false }
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

    /// - Returns: a PIN block; nil when there is no PIN, and the TVR says why.
    private func askForPIN(
        triesLeft: UInt8?, isRetry: Bool, _ transaction: inout Transaction
    ) async throws(KernelStop) -> [UInt8]? {
        let prompt = PINPrompt(method: .offline, triesLeft: triesLeft, isRetry: isRetry)
        session.observe(.enteringPIN(prompt))
        switch await cardholder.enterPIN(prompt) {
        case .cancelled: throw .cancelled(.cardholder)
        case .bypassed:
            guard transaction.terminal.pinPolicy.allowsBypass else { throw .cancelled(.cardholder) }
            transaction.verificationResults.insert(.pinNotEntered)
            return nil
        case .entered(let pin):
            if let block = PlaintextPINBlock.make(pin) { return block }
            // A PIN pad that gives what is no PIN does not work.
            transaction.verificationResults.insert(.pinPadNotWorking)
            return nil
        case .unavailable:
            transaction.verificationResults.insert(.pinPadNotWorking)
            return nil
        }
    }
}
