public import Amounts

/// A line of an order.
public struct OrderItem: Codable, Hashable, Sendable {
    public let id: Int64
    public let name: String
    /// 0 for what is no product any more.
    public let productID: Int64?
    public let variationID: Int64?
    /// May be a fraction.
    public let quantity: ExactDecimal
    /// Of one, after discounts. With as many digits as the store calculates with.
    public let price: ExactDecimal?
    public let sku: String?
    /// Before discounts.
    public let subtotal: ExactDecimal
    public let subtotalTax: ExactDecimal
    public let taxClass: String
    public let taxes: [OrderItemTax]
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let metaData: [OrderItemMetaData]
    /// The line that this one is a part of.
    public let bundledBy: Int64?
    public let compositeParent: Int64?

    /// The line that this one is a part of, whatever put it there.
    public var parent: Int64? { bundledBy ?? compositeParent }

    /// What the customer chose: size, colour.
    public var attributes: [OrderItemMetaData] { metaData.filter { !$0.key.hasPrefix("_") } }
}
