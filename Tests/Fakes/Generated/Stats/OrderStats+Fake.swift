// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStats.swift: change that, not this.
public import Networking

extension OrderStats: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderStats {
        OrderStats(
            siteID: .fake(from: &source),
            timeRange: .fake(from: &source),
            date: .fake(from: &source),
            unit: .fake(from: &source),
            totalOrders: .fake(from: &source),
            totalProducts: .fake(from: &source),
            totalGrossSales: .fake(from: &source),
            totalNetSales: .fake(from: &source),
            avgOrders: .fake(from: &source),
            avgProducts: .fake(from: &source),
            avgGrossSales: .fake(from: &source),
            avgNetSales: .fake(from: &source),
            items: .fake(from: &source))
    }
}
