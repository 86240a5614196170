// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductsReportInfo.swift: change that, not this.
public import Amounts

extension ProductsReportInfo {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        name: String? = nil,
        price: ExactDecimal?? = nil,
        image: String?? = nil,
        sku: String?? = nil,
        stockStatus: String?? = nil,
        stockQuantity: ExactDecimal?? = nil
    ) -> ProductsReportInfo {
        ProductsReportInfo(
            name: name ?? self.name,
            price: price ?? self.price,
            image: image ?? self.image,
            sku: sku ?? self.sku,
            stockStatus: stockStatus ?? self.stockStatus,
            stockQuantity: stockQuantity ?? self.stockQuantity)
    }
}
