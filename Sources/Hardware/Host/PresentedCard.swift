internal import CardSecrets
public import EMV
internal import MagneticStripe

/// The card's part of a request for authorisation, by the way in which the card was read.
public enum PresentedCard: ~Copyable, Sendable {
    case chip(OnlineAuthorizationRequest)
    case stripe(StripeAuthorizationRequest)

    /// DE 22, as journal and receipt have it.
    public var entryMode: CardPresentTransactionDetails.EntryMode {
        switch self {
        case .chip: .chip
        case .stripe(let stripe): stripe.isFallback ? .fallback : .swipe
        }
    }

    /// The last four digits of the PAN.
    public var lastFour: String {
        switch self {
        case .chip(let chip): chip.pan.lastFour
        case .stripe(let stripe): stripe.card.pan.lastFour
        }
    }
}
