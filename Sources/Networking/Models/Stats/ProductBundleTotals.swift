public import Amounts

/// How many bundles were sold.
public struct ProductBundleTotals: Codable, Hashable, Sendable {
    public let itemsSold: ExactDecimal
    public let bundledItemsSold: ExactDecimal?
    public let netRevenue: ExactDecimal
    public let ordersCount: Int64
    public let productsCount: Int64?
}
