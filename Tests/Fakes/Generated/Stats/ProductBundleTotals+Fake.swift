// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductBundleTotals.swift: change that, not this.
public import Networking

extension ProductBundleTotals: Fakeable {
    public static func fake(from source: inout FakeSource) -> ProductBundleTotals {
        ProductBundleTotals(
            itemsSold: .fake(from: &source),
            bundledItemsSold: .fake(from: &source),
            netRevenue: .fake(from: &source),
            ordersCount: .fake(from: &source),
            productsCount: .fake(from: &source))
    }
}
