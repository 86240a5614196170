internal import EMV
internal import Hardware

/// Tells a person at the terminal what the reader waits for. Quiet when nobody is watching.
struct ProgressDisplay: Sendable {
    let isEnabled: Bool

    func show(_ event: CardReaderEvent) {
        guard isEnabled, let text = Self.text(event) else { return }
        StandardError.write(text + "\n")
    }

    /// Tells that a signal was heard.
    func showCancelling() {
        guard isEnabled else { return }
        StandardError.write("\nCancelling …\n")
    }

    private static func words(for inputs: CardReaderInput) -> String {
        switch inputs {
        case [.insert, .swipe]: "Insert or swipe the card …"
        case .swipe: "Swipe the card …"
        default: "Insert the card …"
        }
    }

    private static func text(_ event: CardReaderEvent) -> String? {
        switch event {
        case .waitingForInput(let inputs): words(for: inputs)
        case .displayMessage(let message): message
        case .cardSwiped: nil
        case .cardInserted: "Reading the card, do not remove it …"
        case .kernel(.cardholderVerification): "Verifying the cardholder …"
        // Else the terminal itself asks.
        case .kernel(.enteringPIN(let prompt)) where prompt.place == .reader:
            PINWords.warnings(prompt).map { $0 + "\n" }.joined() + "Enter the PIN on the reader …"
        case .kernel(.online): nil
        case .kernel: nil
        case .cardDetailsCollected: nil
        case .authorizing: "Asking the issuer …"
        case .removeCardRequested: "Remove the card."
        case .cardRemoved, .cardRemovedAfterClientSidePaymentCapture: nil
        case .lowBattery(let level): "The reader's battery is low: \(Int(level * 100)) percent."
        case .lowBatteryResolved: nil
        case .recovering(let step): "\(step)"
        case .disconnected(let reason): "\(reason)"
        }
    }
}
