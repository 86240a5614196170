// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductsReportInfo.swift: change that, not this.
public import Networking

extension ProductsReportInfo: Fakeable {
    public static func fake(from source: inout FakeSource) -> ProductsReportInfo {
        ProductsReportInfo(
            name: .fake(from: &source),
            price: .fake(from: &source),
            image: .fake(from: &source),
            sku: .fake(from: &source),
            stockStatus: .fake(from: &source),
            stockQuantity: .fake(from: &source))
    }
}
