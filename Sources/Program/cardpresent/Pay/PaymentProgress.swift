internal import EMV
internal import Hardware

/// Shows the steps of a payment on a terminal. Writes nothing when stderr is not a terminal.
struct ProgressDisplay: Sendable {
    let isEnabled: Bool

    func show(_ event: CardReaderEvent) {
        guard isEnabled, let text = Self.text(event) else { return }
        StandardError.write(text + "\n")
    }

    /// Shows that the payment is being canceled.
    func showCanceling() {
        guard isEnabled else { return }
        StandardError.write("\nCanceling …\n")
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
        case .cardInserted: "Reading the card. Do not remove it …"
        case .kernel(.cardholderVerification): "Verifying the cardholder …"
        // Otherwise the program prompts for the PIN itself.
        case .kernel(.enteringPIN(let prompt)) where prompt.place == .reader:
            PINMessages.warnings(prompt).map { $0 + "\n" }.joined() + "Enter the PIN on the reader …"
        case .kernel(.online): nil
        case .kernel: nil
        case .cardDetailsCollected: nil
        case .authorizing: "Contacting the issuer …"
        case .removeCardRequested: "Remove the card."
        case .cardRemoved, .cardRemovedAfterClientSidePaymentCapture: nil
        case .lowBattery(let level): "The reader's battery is low: \(Int(level * 100)) percent."
        case .lowBatteryResolved: nil
        case .recovering(let step): "\(step)"
        case .disconnected(let reason): "\(reason)"
        }
    }
}

/// Messages about the PIN for the cardholder (EMV Book 4 §11.2).
enum PINMessages {
    /// Returns the lines to show before the PIN prompt.
    static func warnings(_ prompt: PINPrompt) -> [String] {
        var lines: [String] = []
        if prompt.isRetry {
            // The last try has its own message below.
            let left = prompt.isLastTry ? "" : prompt.triesLeft.map { " \($0) tries left." } ?? ""
            lines.append("Incorrect PIN." + left)
        }
        if prompt.isLastTry { lines.append("Last try. Another incorrect PIN blocks the card.") }
        return lines
    }
}
