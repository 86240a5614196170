/// A card that was put into a reader or held to it.
public struct WCPayCardPresentDetails: Codable, Hashable, Sendable {
    public let brand: String
    public let last4: String
    public let funding: String
    public let receipt: WCPayReceiptDetails?
}
