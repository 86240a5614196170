internal import CardSecrets
internal import EMV

/// Types a PIN where the recorded cardholder did. Which one does not matter: the recorded card has answered
/// already.
struct RecordedCardholder: CardholderInterface {
    let typesPIN: Bool
    /// The DF name of the application that was used; nil when none was.
    let aid: [UInt8]?

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        applications.firstIndex { $0.aid == aid } ?? (applications.isEmpty ? nil : 0)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        // An online PIN leaves no mark on the card.
        typesPIN || prompt.method == .online ? .entered(SensitiveBytes([0, 0, 0, 0])) : .bypassed
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        EncipheredPINBlock(
            block: [UInt8](repeating: 0, count: 8), keySerialNumber: [UInt8](repeating: 0, count: 10))
    }
}
