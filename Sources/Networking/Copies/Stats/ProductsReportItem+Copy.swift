// Made by Scripts/generate from Sources/Networking/Models/Stats/ProductsReportItem.swift: change that, not this.
public import Amounts

extension ProductsReportItem {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        productID: Int64? = nil,
        itemsSold: ExactDecimal? = nil,
        netRevenue: ExactDecimal?? = nil,
        ordersCount: Int64?? = nil,
        extendedInfo: ProductsReportInfo?? = nil
    ) -> ProductsReportItem {
        ProductsReportItem(
            productID: productID ?? self.productID,
            itemsSold: itemsSold ?? self.itemsSold,
            netRevenue: netRevenue ?? self.netRevenue,
            ordersCount: ordersCount ?? self.ordersCount,
            extendedInfo: extendedInfo ?? self.extendedInfo)
    }
}
