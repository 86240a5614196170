// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsReport.swift: change that, not this.
public import Networking
public import Storage

extension OrderStatsV4Record: ReadOnlyConvertible {
    public init(_ model: OrderStatsV4) {
        self.init(
            siteID: model.siteID,
            timeRange: model.timeRange,
            totalsOrdersCount: model.totals.ordersCount,
            totalsNumItemsSold: model.totals.numItemsSold,
            totalsTotalSales: model.totals.totalSales,
            totalsNetRevenue: model.totals.netRevenue,
            totalsAvgOrderValue: model.totals.avgOrderValue,
            totalsCouponsCount: model.totals.couponsCount,
            totalsRefunds: model.totals.refunds,
            totalsTaxes: model.totals.taxes,
            totalsShipping: model.totals.shipping,
            totalsProducts: model.totals.products,
            intervals: model.intervals.map(OrderStatsV4IntervalRecord.init))
    }

    public func toReadOnly() throws -> OrderStatsV4 {
        try OrderStatsV4(
            siteID: siteID,
            timeRange: timeRange,
            totals: readTotals(),
            intervals: intervals.map { try $0.toReadOnly() })
    }

    private func readTotals() throws -> OrderTotals {
        OrderTotals(
            ordersCount: totalsOrdersCount,
            numItemsSold: totalsNumItemsSold,
            totalSales: totalsTotalSales,
            netRevenue: totalsNetRevenue,
            avgOrderValue: totalsAvgOrderValue,
            couponsCount: totalsCouponsCount,
            refunds: totalsRefunds,
            taxes: totalsTaxes,
            shipping: totalsShipping,
            products: totalsProducts)
    }
}

extension StatsReport<OrderTotals>: ReadOnlyType {
    public typealias Record = OrderStatsV4Record

    public func isReadOnlyRepresentation(of record: OrderStatsV4Record) -> Bool {
        siteID == record.siteID && timeRange == record.timeRange
    }
}
