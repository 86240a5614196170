// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStatsItem.swift: change that, not this.
public import Networking

extension OrderStatsItem: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderStatsItem {
        OrderStatsItem(
            period: .fake(from: &source),
            orders: .fake(from: &source),
            products: .fake(from: &source),
            coupons: .fake(from: &source),
            couponDiscount: .fake(from: &source),
            totalSales: .fake(from: &source),
            totalTax: .fake(from: &source),
            totalShipping: .fake(from: &source),
            totalShippingTax: .fake(from: &source),
            totalRefund: .fake(from: &source),
            totalTaxRefund: .fake(from: &source),
            totalShippingRefund: .fake(from: &source),
            totalShippingTaxRefund: .fake(from: &source),
            currency: .fake(from: &source),
            grossSales: .fake(from: &source),
            netSales: .fake(from: &source),
            avgOrderValue: .fake(from: &source),
            avgProductsPerOrder: .fake(from: &source))
    }
}
