// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStats.swift: change that, not this.
public import Amounts

extension OrderStats {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        timeRange: String? = nil,
        date: String? = nil,
        unit: StatsGranularity? = nil,
        totalOrders: Int64? = nil,
        totalProducts: ExactDecimal? = nil,
        totalGrossSales: ExactDecimal? = nil,
        totalNetSales: ExactDecimal? = nil,
        avgOrders: ExactDecimal? = nil,
        avgProducts: ExactDecimal? = nil,
        avgGrossSales: ExactDecimal? = nil,
        avgNetSales: ExactDecimal? = nil,
        items: [OrderStatsItem]? = nil
    ) -> OrderStats {
        OrderStats(
            siteID: siteID ?? self.siteID,
            timeRange: timeRange ?? self.timeRange,
            date: date ?? self.date,
            unit: unit ?? self.unit,
            totalOrders: totalOrders ?? self.totalOrders,
            totalProducts: totalProducts ?? self.totalProducts,
            totalGrossSales: totalGrossSales ?? self.totalGrossSales,
            totalNetSales: totalNetSales ?? self.totalNetSales,
            avgOrders: avgOrders ?? self.avgOrders,
            avgProducts: avgProducts ?? self.avgProducts,
            avgGrossSales: avgGrossSales ?? self.avgGrossSales,
            avgNetSales: avgNetSales ?? self.avgNetSales,
            items: items ?? self.items)
    }
}
