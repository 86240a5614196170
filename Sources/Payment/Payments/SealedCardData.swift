import CardSecrets
import EMV
import MagneticStripe

/// Card data that messages after a request demand, enciphered. Only its host can open it, with the storage key of the
/// till. It is in the journal until no such message can follow.
public struct SealedCardData: Hashable, Sendable, CustomStringConvertible {
    /// The enciphered data, with all that is needed to open it but the key.
    public let bytes: [UInt8]

    /// - Parameter bytes: what a host enciphered.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var description: String { "SealedCardData(\(bytes.count) bytes)" }
}

/// A message about an earlier one, for which the journal may have card data.
public enum MessageOfOriginal: Hashable, Sendable {
    case reversal
    /// The completion of what was authorized.
    case capture
}

extension PaymentAttempt {
    /// The enciphered card data that later messages about the attempt need; nil when no such message can follow.
    public var sealedCardData: SealedCardData? {
        // Only the sale of an approved increment has later messages.
        let isOver = kind == .increment && state == .authorizedOnly || state.isFinal && advice == nil
        return isOver ? nil : identity?.sealed
    }
}

extension AuthorizationRequest {
    /// The subject of the request, with a copy of the card data for a host that seals it.
    public var sealableSubject: MessageSubject {
        var subject = self.subject
        subject.card = card.kept
        return subject
    }
}

extension PresentedCard {
    /// A copy of the data that later messages may demand.
    fileprivate var kept: KeptCard {
        switch self {
        case .chip(let chip):
            return KeptCard(
                pan: chip.pan.duplicate(), expiry: chip.expiry, trackTwo: SensitiveBytes.copy(chip.trackTwo),
                trackOne: SensitiveBytes([]))
        case .stripe(let stripe):
            return KeptCard(
                pan: stripe.card.pan.duplicate(), expiry: stripe.card.expiry.encoded,
                trackTwo: SensitiveBytes.copy(stripe.card.trackTwo),
                trackOne: SensitiveBytes.copy(stripe.card.trackOne))
        }
    }
}

extension PaymentHostError {
    private static let closed = "the card data that the message needs can't be opened"

    /// A message needs card data of the journal that can't be opened. Nothing was sent, and a person has to look.
    ///
    /// - Parameter reason: why it can't be opened, in words.
    /// - Returns: the error.
    public static func cardDataClosed(_ reason: String) -> PaymentHostError {
        .notSent(
            "\(closed), because \(reason); it waits for a person: put the key 'storage' back into host.keys of the "
                + "configuration, and run 'cardpresent payments recover'; or, when it is lost, ask the acquirer, and "
                + "record the answer with 'cardpresent payments close'")
    }

    /// Whether the text of an error, as the journal keeps it, tells of such card data.
    public static func tellsOfClosedCardData(_ text: String) -> Bool { text.contains(closed) }

    /// Whether the error is one of such card data.
    public var isOfClosedCardData: Bool {
        if case .notSent(let reason) = self { Self.tellsOfClosedCardData(reason) } else { false }
    }
}
