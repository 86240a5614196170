public import Amounts

/// What is shown of a product in a report.
public struct ProductsReportInfo: Codable, Hashable, Sendable {
    public let name: String
    public let price: ExactDecimal?
    /// An HTML element.
    public let image: String?
    public let sku: String?
    public let stockStatus: String?
    public let stockQuantity: ExactDecimal?
}
