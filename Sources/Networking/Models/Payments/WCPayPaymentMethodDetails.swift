/// What was paid with. `type` says which of the others is there.
public struct WCPayPaymentMethodDetails: Codable, Hashable, Sendable {
    /// `card`, `card_present`, `interac_present`, or another one.
    public let type: String
    public let card: WCPayCardDetails?
    public let cardPresent: WCPayCardPresentDetails?
    public let interacPresent: WCPayCardPresentDetails?
}
