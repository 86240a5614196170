public import Amounts

// @model
/// What is shown of a product in a report.
public struct ProductsReportInfo: Codable, Hashable, Sendable {
    public let name: String
    public let price: ExactDecimal?
    /// An HTML element.
    public let image: String?
    public let sku: String?
    public let stockStatus: String?
    public let stockQuantity: ExactDecimal?

    // Made by Scripts/generate.
    public init(
        name: String,
        price: ExactDecimal?,
        image: String?,
        sku: String?,
        stockStatus: String?,
        stockQuantity: ExactDecimal?
    ) {
        self.name = name
        self.price = price
        self.image = image
        self.sku = sku
        self.stockStatus = stockStatus
        self.stockQuantity = stockQuantity
    }
    // End of what was made.
}
