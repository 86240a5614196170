public import Amounts

// @model
/// What orders have brought in.
public struct OrderTotals: Codable, Hashable, Sendable {
    public let ordersCount: Int64
    public let numItemsSold: ExactDecimal
    /// Gross.
    public let totalSales: ExactDecimal
    public let netRevenue: ExactDecimal
    public let avgOrderValue: ExactDecimal?
    public let couponsCount: Int64?
    public let refunds: ExactDecimal?
    public let taxes: ExactDecimal?
    public let shipping: ExactDecimal?
    public let products: Int64?

    // Made by Scripts/generate.
    public init(
        ordersCount: Int64,
        numItemsSold: ExactDecimal,
        totalSales: ExactDecimal,
        netRevenue: ExactDecimal,
        avgOrderValue: ExactDecimal?,
        couponsCount: Int64?,
        refunds: ExactDecimal?,
        taxes: ExactDecimal?,
        shipping: ExactDecimal?,
        products: Int64?
    ) {
        self.ordersCount = ordersCount
        self.numItemsSold = numItemsSold
        self.totalSales = totalSales
        self.netRevenue = netRevenue
        self.avgOrderValue = avgOrderValue
        self.couponsCount = couponsCount
        self.refunds = refunds
        self.taxes = taxes
        self.shipping = shipping
        self.products = products
    }
    // End of what was made.
}
