public import Amounts

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
}
