/// A card whose number was typed in.
public struct WCPayCardDetails: Codable, Hashable, Sendable {
    public let brand: String
    public let last4: String
    public let funding: String
}
