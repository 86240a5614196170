public import CardSecrets
public import EMV

/// A cardholder whose doings are written down, without what they type.
public struct RecordingCardholder: CardholderInterface {
    private let cardholder: any CardholderInterface
    private let recorder: PaymentRecorder

    public init(_ cardholder: any CardholderInterface, recorder: PaymentRecorder) {
        (self.cardholder, self.recorder) = (cardholder, recorder)
    }

    public func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        let choice = await cardholder.chooseApplication(applications)
        if choice == nil { recorder.noteNoChoice() }
        return choice
    }

    public func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        switch await cardholder.enterPIN(prompt) {
        case .entered(let pin):
            // The recorded card has answered already: which PIN it was does not matter.
            recorder.note(pin: "right")
            return .entered(pin)
        case .bypassed:
            recorder.note(pin: "bypass")
            return .bypassed
        case .cancelled:
            recorder.note(pin: "cancel")
            return .cancelled
        case .unavailable: return .unavailable
        }
    }

    public func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        await cardholder.encipherPIN(pin, pan: pan)
    }
}
