// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStatsItem.swift: change that, not this.
public import Amounts

extension OrderStatsItem {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        period: String? = nil,
        orders: Int64? = nil,
        products: ExactDecimal? = nil,
        coupons: Int64? = nil,
        couponDiscount: ExactDecimal? = nil,
        totalSales: ExactDecimal? = nil,
        totalTax: ExactDecimal? = nil,
        totalShipping: ExactDecimal? = nil,
        totalShippingTax: ExactDecimal? = nil,
        totalRefund: ExactDecimal? = nil,
        totalTaxRefund: ExactDecimal? = nil,
        totalShippingRefund: ExactDecimal? = nil,
        totalShippingTaxRefund: ExactDecimal? = nil,
        currency: String? = nil,
        grossSales: ExactDecimal? = nil,
        netSales: ExactDecimal? = nil,
        avgOrderValue: ExactDecimal? = nil,
        avgProductsPerOrder: ExactDecimal? = nil
    ) -> OrderStatsItem {
        OrderStatsItem(
            period: period ?? self.period,
            orders: orders ?? self.orders,
            products: products ?? self.products,
            coupons: coupons ?? self.coupons,
            couponDiscount: couponDiscount ?? self.couponDiscount,
            totalSales: totalSales ?? self.totalSales,
            totalTax: totalTax ?? self.totalTax,
            totalShipping: totalShipping ?? self.totalShipping,
            totalShippingTax: totalShippingTax ?? self.totalShippingTax,
            totalRefund: totalRefund ?? self.totalRefund,
            totalTaxRefund: totalTaxRefund ?? self.totalTaxRefund,
            totalShippingRefund: totalShippingRefund ?? self.totalShippingRefund,
            totalShippingTaxRefund: totalShippingTaxRefund ?? self.totalShippingTaxRefund,
            currency: currency ?? self.currency,
            grossSales: grossSales ?? self.grossSales,
            netSales: netSales ?? self.netSales,
            avgOrderValue: avgOrderValue ?? self.avgOrderValue,
            avgProductsPerOrder: avgProductsPerOrder ?? self.avgProductsPerOrder)
    }
}
