public import Amounts

// @model
/// A product among those that earned most.
public struct TopEarnerStatsItem: Codable, Hashable, Sendable {
    public let id: Int64
    public let name: String?
    public let total: ExactDecimal
    public let quantity: ExactDecimal
    public let price: ExactDecimal?
    public let image: String?
    /// ISO 4217, three letters.
    public let currency: String

    // Made by Scripts/generate.
    public init(
        id: Int64,
        name: String?,
        total: ExactDecimal,
        quantity: ExactDecimal,
        price: ExactDecimal?,
        image: String?,
        currency: String
    ) {
        self.id = id
        self.name = name
        self.total = total
        self.quantity = quantity
        self.price = price
        self.image = image
        self.currency = currency
    }
    // End of what was made.
}
