public import Amounts

/// How well a product or bundle sells (`wc-analytics/reports/products`, `reports/bundles`).
public struct ProductsReportItem: Codable, Hashable, Sendable {
    public let productID: Int64
    public let itemsSold: ExactDecimal
    public let netRevenue: ExactDecimal?
    public let ordersCount: Int64?
    public let extendedInfo: ProductsReportInfo?
}
