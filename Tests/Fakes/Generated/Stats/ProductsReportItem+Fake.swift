// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductsReportItem.swift: change that, not this.
public import Networking

extension ProductsReportItem: Fakeable {
    public static func fake(from source: inout FakeSource) -> ProductsReportItem {
        ProductsReportItem(
            productID: .fake(from: &source),
            itemsSold: .fake(from: &source),
            netRevenue: .fake(from: &source),
            ordersCount: .fake(from: &source),
            extendedInfo: .fake(from: &source))
    }
}
