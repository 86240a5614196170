public import Amounts

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
}
