public import Amounts

// @model
/// How well a product or bundle sells (`wc-analytics/reports/products`, `reports/bundles`).
public struct ProductsReportItem: Codable, Hashable, Sendable {
    public let productID: Int64
    public let itemsSold: ExactDecimal
    public let netRevenue: ExactDecimal?
    public let ordersCount: Int64?
    public let extendedInfo: ProductsReportInfo?

    // Made by Scripts/generate.
    public init(
        productID: Int64,
        itemsSold: ExactDecimal,
        netRevenue: ExactDecimal?,
        ordersCount: Int64?,
        extendedInfo: ProductsReportInfo?
    ) {
        self.productID = productID
        self.itemsSold = itemsSold
        self.netRevenue = netRevenue
        self.ordersCount = ordersCount
        self.extendedInfo = extendedInfo
    }
    // End of what was made.
}
