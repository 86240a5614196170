// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderTotals.swift: change that, not this.
public import Networking

extension OrderTotals: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderTotals {
        OrderTotals(
            ordersCount: .fake(from: &source),
            numItemsSold: .fake(from: &source),
            totalSales: .fake(from: &source),
            netRevenue: .fake(from: &source),
            avgOrderValue: .fake(from: &source),
            couponsCount: .fake(from: &source),
            refunds: .fake(from: &source),
            taxes: .fake(from: &source),
            shipping: .fake(from: &source),
            products: .fake(from: &source))
    }
}
