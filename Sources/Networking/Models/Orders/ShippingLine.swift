public import Amounts

/// How an order is sent.
public struct ShippingLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let methodTitle: String
    public let methodID: String?
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let taxes: [OrderItemTax]
}
