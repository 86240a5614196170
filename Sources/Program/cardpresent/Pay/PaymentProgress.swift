import EMV
import EntryPoint
import Hardware
import Payments
import Synchronization
import TillConfiguration

/// Shows the steps of a payment on a terminal. Writes nothing when stderr is not a terminal.
///
/// What the cardholder is asked is in the language of receipts, and in the cardholder's own from when the card says
/// which one that is. What the clerk needs to know stays English.
final class ProgressDisplay: Sendable {
    private let isEnabled: Bool
    private let receipt: ReceiptSettings
    private let language: Mutex<ReceiptLanguage>
    /// The text shown last.
    private let last = Mutex("")

    /// - Parameters:
    ///   - isEnabled: Whether anything is shown.
    ///   - receipt: The language of receipts, and those among which the card chooses.
    init(isEnabled: Bool, receipt: ReceiptSettings) {
        (self.isEnabled, self.receipt) = (isEnabled, receipt)
        language = Mutex(receipt.language)
    }

    func show(_ event: CardReaderEvent) {
        if case .readerMessage(let message) = event, !message.languages.isEmpty {
            let chosen = ReceiptLanguage.chosen(by: message.languages, among: receipt.languages) ?? receipt.language
            language.withLock { $0 = chosen }
        }
        // An application that is refused may be followed by another one, which states its own languages.
        if case .kernel(.initiatingApplication(_, let languages)) = event {
            let chosen = ReceiptLanguage.chosen(by: languages, among: receipt.languages) ?? receipt.language
            language.withLock { $0 = chosen }
        }
        guard isEnabled, let text = Self.text(event, language.withLock { $0 }), isNew(text, event) else { return }
        StandardError.note(text + "\n")
    }

    /// Whether a text is not there already: kernel 8 and the host both say that the issuer is asked, and an outcome has
    /// its message again for the restart.
    private func isNew(_ text: String, _ event: CardReaderEvent) -> Bool {
        let previous = last.withLock { last in
            defer { last = text }
            return last
        }
        switch event {
        case .readerMessage, .authorizing: return text != previous
        default: return true
        }
    }

    /// Shows the cardholder how the payment ended. The command's own result says so in English.
    func show(_ outcome: Payment.Outcome) {
        let language = language.withLock { $0 }
        guard isEnabled, language != .english, let text = ReaderWords(language).outcome(outcome) else { return }
        StandardError.note(text + "\n")
    }

    /// Shows that the payment is being canceled.
    func showCanceling() {
        guard isEnabled else { return }
        StandardError.note("\nCanceling …\n")
    }

    private static func text(_ event: CardReaderEvent, _ language: ReceiptLanguage) -> String? {
        let words = ReaderWords(language)
        return switch event {
        case .waitingForInput([.insert, .swipe]): words.insertOrSwipe
        case .waitingForInput(.swipe): words.swipe
        case .waitingForInput(.tap): MessageWords(language).text(.presentCard)
        case .waitingForInput(let inputs) where inputs.contains(.tap): MessageWords(language).insertOrTap
        case .waitingForInput: words.insert
        case .displayMessage(let message): message
        // The wait for the card has its own words.
        case .readerMessage(let message):
            message.message.flatMap { $0 == .presentCard ? nil : MessageWords(language).text($0) }
        case .cardSwiped, .cardTapped: nil
        case .cardInserted: words.reading
        case .kernel(.cardholderVerification): words.verifying
        // Otherwise the program prompts for the PIN itself.
        case .kernel(.enteringPIN(let prompt)) where prompt.place == .reader:
            (CardholderWords(language).warnings(prompt) + [words.pinOnReader]).joined(separator: "\n")
        case .kernel: nil
        case .cardDetailsCollected: nil
        case .authorizing: words.contactingIssuer
        case .removeCardRequested: words.remove
        case .cardRemoved, .cardRemovedAfterClientSidePaymentCapture: nil
        case .lowBattery(let level): "The reader's battery is low: \(Int(level * 100)) percent."
        case .lowBatteryResolved: nil
        case .recovering(let step): "\(step)"
        case .disconnected(let reason): "\(reason)"
        }
    }
}
