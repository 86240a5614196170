public import Amounts

// @model
/// How many bundles were sold.
public struct ProductBundleTotals: Codable, Hashable, Sendable {
    public let itemsSold: ExactDecimal
    public let bundledItemsSold: ExactDecimal?
    public let netRevenue: ExactDecimal
    public let ordersCount: Int64
    public let productsCount: Int64?

    // Made by Scripts/generate.
    public init(
        itemsSold: ExactDecimal,
        bundledItemsSold: ExactDecimal?,
        netRevenue: ExactDecimal,
        ordersCount: Int64,
        productsCount: Int64?
    ) {
        self.itemsSold = itemsSold
        self.bundledItemsSold = bundledItemsSold
        self.netRevenue = netRevenue
        self.ordersCount = ordersCount
        self.productsCount = productsCount
    }
    // End of what was made.
}
