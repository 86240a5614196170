// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStats.swift: change that, not this.
public import Networking
public import Storage

extension OrderStatsRecord: ReadOnlyConvertible {
    public init(_ model: OrderStats) {
        self.init(
            siteID: model.siteID,
            timeRange: model.timeRange,
            date: model.date,
            unit: model.unit.rawValue,
            totalOrders: model.totalOrders,
            totalProducts: model.totalProducts,
            totalGrossSales: model.totalGrossSales,
            totalNetSales: model.totalNetSales,
            avgOrders: model.avgOrders,
            avgProducts: model.avgProducts,
            avgGrossSales: model.avgGrossSales,
            avgNetSales: model.avgNetSales,
            items: model.items.map(OrderStatsItemRecord.init))
    }

    public func toReadOnly() throws -> OrderStats {
        try OrderStats(
            siteID: siteID,
            timeRange: timeRange,
            date: date,
            unit: required(StatsGranularity(rawValue: unit), "unit"),
            totalOrders: totalOrders,
            totalProducts: totalProducts,
            totalGrossSales: totalGrossSales,
            totalNetSales: totalNetSales,
            avgOrders: avgOrders,
            avgProducts: avgProducts,
            avgGrossSales: avgGrossSales,
            avgNetSales: avgNetSales,
            items: items.map { try $0.toReadOnly() })
    }
}

extension OrderStats: ReadOnlyType {
    public typealias Record = OrderStatsRecord

    public func isReadOnlyRepresentation(of record: OrderStatsRecord) -> Bool {
        siteID == record.siteID && timeRange == record.timeRange
    }
}
