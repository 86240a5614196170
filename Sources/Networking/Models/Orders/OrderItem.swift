public import Amounts

// @model
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
    public let taxes: [OrderItemTax]  // @json
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let metaData: [OrderItemMetaData]  // @json
    /// The line that this one is a part of.
    public let bundledBy: Int64?
    public let compositeParent: Int64?

    // Made by Scripts/generate.
    public init(
        id: Int64,
        name: String,
        productID: Int64?,
        variationID: Int64?,
        quantity: ExactDecimal,
        price: ExactDecimal?,
        sku: String?,
        subtotal: ExactDecimal,
        subtotalTax: ExactDecimal,
        taxClass: String,
        taxes: [OrderItemTax],
        total: ExactDecimal,
        totalTax: ExactDecimal,
        metaData: [OrderItemMetaData],
        bundledBy: Int64?,
        compositeParent: Int64?
    ) {
        self.id = id
        self.name = name
        self.productID = productID
        self.variationID = variationID
        self.quantity = quantity
        self.price = price
        self.sku = sku
        self.subtotal = subtotal
        self.subtotalTax = subtotalTax
        self.taxClass = taxClass
        self.taxes = taxes
        self.total = total
        self.totalTax = totalTax
        self.metaData = metaData
        self.bundledBy = bundledBy
        self.compositeParent = compositeParent
    }
    // End of what was made.

    /// The line that this one is a part of, whatever put it there.
    public var parent: Int64? { bundledBy ?? compositeParent }

    /// What the customer chose: size, colour.
    public var attributes: [OrderItemMetaData] { metaData.filter { !$0.key.hasPrefix("_") } }
}
