// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderTotals.swift: change that, not this.
public import Amounts

extension OrderTotals {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        ordersCount: Int64? = nil,
        numItemsSold: ExactDecimal? = nil,
        totalSales: ExactDecimal? = nil,
        netRevenue: ExactDecimal? = nil,
        avgOrderValue: ExactDecimal?? = nil,
        couponsCount: Int64?? = nil,
        refunds: ExactDecimal?? = nil,
        taxes: ExactDecimal?? = nil,
        shipping: ExactDecimal?? = nil,
        products: Int64?? = nil
    ) -> OrderTotals {
        OrderTotals(
            ordersCount: ordersCount ?? self.ordersCount,
            numItemsSold: numItemsSold ?? self.numItemsSold,
            totalSales: totalSales ?? self.totalSales,
            netRevenue: netRevenue ?? self.netRevenue,
            avgOrderValue: avgOrderValue ?? self.avgOrderValue,
            couponsCount: couponsCount ?? self.couponsCount,
            refunds: refunds ?? self.refunds,
            taxes: taxes ?? self.taxes,
            shipping: shipping ?? self.shipping,
            products: products ?? self.products)
    }
}
