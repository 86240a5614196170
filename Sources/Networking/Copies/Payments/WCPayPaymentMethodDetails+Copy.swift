// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayPaymentMethodDetails.swift: change that, not this.
extension WCPayPaymentMethodDetails {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        type: String? = nil,
        card: WCPayCardDetails?? = nil,
        cardPresent: WCPayCardPresentDetails?? = nil,
        interacPresent: WCPayCardPresentDetails?? = nil
    ) -> WCPayPaymentMethodDetails {
        WCPayPaymentMethodDetails(
            type: type ?? self.type,
            card: card ?? self.card,
            cardPresent: cardPresent ?? self.cardPresent,
            interacPresent: interacPresent ?? self.interacPresent)
    }
}
