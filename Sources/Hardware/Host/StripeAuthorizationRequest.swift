public import EMV
public import MagneticStripe

/// What goes to the issuer of a swiped card: the tracks under one owner, and what the terminal did.
public struct StripeAuthorizationRequest: ~Copyable, Sendable {
    /// Account, expiry, and the tracks (DE 35, DE 45).
    public let card: StripeCard
    /// Whether the card has a chip that could not be read, and is swiped instead.
    public let isFallback: Bool
    /// ISO 3166 numeric: where the terminal stands. A card may be for its own country alone.
    public let terminalCountry: UInt16
    /// How the cardholder was verified, as far as the terminal can tell.
    public let verification: CardPresentTransactionDetails.CardholderVerification
    /// The cardholder's PIN as an enciphered block, when the issuer is to verify it.
    public let pinBlock: EncipheredPINBlock?

    public init(
        card: consuming StripeCard, isFallback: Bool, terminalCountry: UInt16,
        verification: CardPresentTransactionDetails.CardholderVerification, pinBlock: EncipheredPINBlock?
    ) {
        self.card = card
        (self.isFallback, self.terminalCountry) = (isFallback, terminalCountry)
        (self.verification, self.pinBlock) = (verification, pinBlock)
    }
}
