// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductBundleTotals.swift: change that, not this.
public import Amounts

extension ProductBundleTotals {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        itemsSold: ExactDecimal? = nil,
        bundledItemsSold: ExactDecimal?? = nil,
        netRevenue: ExactDecimal? = nil,
        ordersCount: Int64? = nil,
        productsCount: Int64?? = nil
    ) -> ProductBundleTotals {
        ProductBundleTotals(
            itemsSold: itemsSold ?? self.itemsSold,
            bundledItemsSold: bundledItemsSold ?? self.bundledItemsSold,
            netRevenue: netRevenue ?? self.netRevenue,
            ordersCount: ordersCount ?? self.ordersCount,
            productsCount: productsCount ?? self.productsCount)
    }
}
