// @model
/// A card whose number was typed in.
public struct WCPayCardDetails: Codable, Hashable, Sendable {
    public let brand: String
    public let last4: String
    public let funding: String

    // Made by Scripts/generate.
    public init(brand: String, last4: String, funding: String) {
        self.brand = brand
        self.last4 = last4
        self.funding = funding
    }
    // End of what was made.
}
