// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCardPresentDetails.swift: change that, not this.
extension WCPayCardPresentDetails {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        brand: String? = nil,
        last4: String? = nil,
        funding: String? = nil,
        receipt: WCPayReceiptDetails?? = nil
    ) -> WCPayCardPresentDetails {
        WCPayCardPresentDetails(
            brand: brand ?? self.brand,
            last4: last4 ?? self.last4,
            funding: funding ?? self.funding,
            receipt: receipt ?? self.receipt)
    }
}
