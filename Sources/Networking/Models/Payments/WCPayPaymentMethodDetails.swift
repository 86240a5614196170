// @model
/// What was paid with. `type` says which of the others is there.
public struct WCPayPaymentMethodDetails: Codable, Hashable, Sendable {
    /// `card`, `card_present`, `interac_present`, or another one.
    public let type: String
    public let card: WCPayCardDetails?  // @embedded
    public let cardPresent: WCPayCardPresentDetails?  // @embedded
    public let interacPresent: WCPayCardPresentDetails?  // @embedded

    // Made by Scripts/generate.
    public init(
        type: String,
        card: WCPayCardDetails?,
        cardPresent: WCPayCardPresentDetails?,
        interacPresent: WCPayCardPresentDetails?
    ) {
        self.type = type
        self.card = card
        self.cardPresent = cardPresent
        self.interacPresent = interacPresent
    }
    // End of what was made.
}
