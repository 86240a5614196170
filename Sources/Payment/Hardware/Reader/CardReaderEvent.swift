public import Determinism
public import EMV
public import EntryPoint
public import Payments

/// An event of a connected reader.
public enum CardReaderEvent: Hashable, Sendable {
    /// The reader waits for a card on these inputs.
    case waitingForInput(CardReaderInput)
    /// A message for the cardholder or the attendant.
    case displayMessage(String)
    case cardInserted
    /// A card was swiped.
    case cardSwiped
    /// A card is in the field of the contactless reader, and was activated.
    case cardTapped
    /// A message of the contactless reader or its kernel, by its identifier, for the cardholder.
    case readerMessage(UserInterfaceRequest)
    case cardRemoved
    /// The kernel entered another phase of the transaction.
    case kernel(KernelState)
    /// The card's part is complete; the rest is between terminal and host.
    case cardDetailsCollected
    /// The authorization request is being sent.
    case authorizing
    /// The card can be removed; the payment ends only after its removal.
    case removeCardRequested
    /// The payment was approved and the card was removed.
    case cardRemovedAfterClientSidePaymentCapture
    /// The battery level fell to 20 % or below, 0...1.
    case lowBattery(Double)
    /// The battery level is above 20 % again.
    case lowBatteryResolved(Double)
    /// The reader does not answer; this recovery step is running.
    case recovering(ReaderRecoveryStep)
    /// The reader is disconnected.
    case disconnected(DisconnectReason)

    /// The prompt to the cardholder; nil when the event has none.
    public var cardPrompt: CardPrompt? {
        switch self {
        case .waitingForInput(let inputs):
            .present(
                canInsert: inputs.contains(.insert), canSwipe: inputs.contains(.swipe), canTap: inputs.contains(.tap))
        case .removeCardRequested: .remove
        case .readerMessage(let message):
            switch message.message {
            case .cardRead, .removeCard: .remove
            case .presentCardAgain, .seePhone: .present(canInsert: false, canSwipe: false, canTap: true)
            default: nil
            }
        default: nil
        }
    }
}

/// The inputs that accept a card. Encoded as a list of words, for example `["insert", "swipe"]`.
public struct CardReaderInput: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    /// Takes the bits of ``swipe``, ``insert``, and ``tap``.
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let swipe = CardReaderInput(rawValue: 1)
    public static let insert = CardReaderInput(rawValue: 2)
    public static let tap = CardReaderInput(rawValue: 4)

    /// Each input with its word.
    private static let table: KeyValuePairs<String, CardReaderInput> = ["insert": insert, "swipe": swipe, "tap": tap]

    /// The words of the inputs in the set.
    public var words: [String] { Self.table.filter { contains($0.value) }.map(\.key) }

    /// Reads a list of words.
    ///
    /// - Throws: `DecodingError` for an unknown word.
    public init(from decoder: any Decoder) throws {
        self = []
        for word in try [String](from: decoder) {
            guard let way = Self.table.first(where: { $0.key == word })?.value else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "unknown card input '\(word)'"))
            }
            insert(way)
        }
    }

    public func encode(to encoder: any Encoder) throws { try words.encode(to: encoder) }
}

/// The state of a reader's firmware update.
public enum CardReaderSoftwareUpdateState: Hashable, Sendable {
    /// Nothing to install. The only state of a reader without update support.
    case none
    /// Newer firmware is available. The reader can be used without it, at least until the day of
    /// ``ReaderFirmwareUpdate/need``.
    case available(ReaderFirmwareUpdate)
    /// The update is being prepared. Nothing in the reader has changed.
    case started(isCancellable: Bool)
    /// The firmware is being sent, 0...1. The update can no longer be canceled: the reader has no working firmware.
    case installing(progress: Double)
    /// The reader works with the new firmware. Another state follows at once.
    case completed
    /// The update failed. Another state follows at once: ``available(_:)`` when the update can be tried again.
    case failed(UnderlyingError)
}

/// The state of reconnecting a lost reader. A reconnection never resumes an interrupted payment.
public enum CardReaderReconnectionState: Hashable, Sendable {
    /// No reader was lost, or the reconnection was canceled.
    case idle
    /// The reader is awaited and opened again. `attempt` counts the attempts from 1; it is 0 while the reader is
    /// absent. `since` is the time of the loss.
    case reconnecting(CardReader, attempt: Int, since: Timestamp)
    /// The reader is connected again.
    case succeeded(CardReader)
    case failed(CardReader, CardReaderReconnectionFailure)

    /// Whether a reconnection is running.
    public var isReconnecting: Bool {
        if case .reconnecting = self { true } else { false }
    }
}

/// Why a reconnection failed.
public enum CardReaderReconnectionFailure: Hashable, Sendable, CustomStringConvertible {
    /// The reader did not come back in time; with the error of the last attempt to open it, if any.
    case gaveUp(after: Duration, last: UnderlyingError?)
    /// The reader came back and cannot be used.
    case refused(UnderlyingError)
    /// The program canceled the reconnection, or connected another reader.
    case canceled

    public var description: String {
        switch self {
        case .gaveUp(let time, let last):
            "the reader did not come back within \(time.components.seconds) seconds"
                + (last.map { ": \($0)" } ?? "")
        case .refused(let error): "the reader came back and cannot be used: \(error)"
        case .canceled: "canceled"
        }
    }
}
