// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStatsItem.swift: change that, not this.
public import Networking
public import Storage

extension OrderStatsItemRecord: ReadOnlyConvertible {
    public init(_ model: OrderStatsItem) {
        self.init(
            period: model.period,
            orders: model.orders,
            products: model.products,
            coupons: model.coupons,
            couponDiscount: model.couponDiscount,
            totalSales: model.totalSales,
            totalTax: model.totalTax,
            totalShipping: model.totalShipping,
            totalShippingTax: model.totalShippingTax,
            totalRefund: model.totalRefund,
            totalTaxRefund: model.totalTaxRefund,
            totalShippingRefund: model.totalShippingRefund,
            totalShippingTaxRefund: model.totalShippingTaxRefund,
            currency: model.currency,
            grossSales: model.grossSales,
            netSales: model.netSales,
            avgOrderValue: model.avgOrderValue,
            avgProductsPerOrder: model.avgProductsPerOrder)
    }

    public func toReadOnly() throws -> OrderStatsItem {
        OrderStatsItem(
            period: period,
            orders: orders,
            products: products,
            coupons: coupons,
            couponDiscount: couponDiscount,
            totalSales: totalSales,
            totalTax: totalTax,
            totalShipping: totalShipping,
            totalShippingTax: totalShippingTax,
            totalRefund: totalRefund,
            totalTaxRefund: totalTaxRefund,
            totalShippingRefund: totalShippingRefund,
            totalShippingTaxRefund: totalShippingTaxRefund,
            currency: currency,
            grossSales: grossSales,
            netSales: netSales,
            avgOrderValue: avgOrderValue,
            avgProductsPerOrder: avgProductsPerOrder)
    }
}
