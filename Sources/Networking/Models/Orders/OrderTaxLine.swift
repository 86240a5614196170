public import Amounts

/// What a tax rate adds to an order.
public struct OrderTaxLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let rateCode: String
    public let rateID: Int64?
    public let label: String
    public let compound: Bool
    public let taxTotal: ExactDecimal
    public let shippingTaxTotal: ExactDecimal
    public let ratePercent: ExactDecimal?
}
