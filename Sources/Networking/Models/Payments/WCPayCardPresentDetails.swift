// @model
/// A card that was put into a reader or held to it.
public struct WCPayCardPresentDetails: Codable, Hashable, Sendable {
    public let brand: String
    public let last4: String
    public let funding: String
    public let receipt: WCPayReceiptDetails?  // @embedded

    // Made by Scripts/generate.
    public init(brand: String, last4: String, funding: String, receipt: WCPayReceiptDetails?) {
        self.brand = brand
        self.last4 = last4
        self.funding = funding
        self.receipt = receipt
    }
    // End of what was made.
}
