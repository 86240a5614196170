// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsInterval.swift: change that, not this.
public import Networking
public import Storage

extension OrderStatsV4IntervalRecord: ReadOnlyConvertible {
    public init(_ model: OrderStatsV4Interval) {
        self.init(
            interval: model.interval,
            dateStart: model.dateStart,
            dateEnd: model.dateEnd,
            subtotalsOrdersCount: model.subtotals.ordersCount,
            subtotalsNumItemsSold: model.subtotals.numItemsSold,
            subtotalsTotalSales: model.subtotals.totalSales,
            subtotalsNetRevenue: model.subtotals.netRevenue,
            subtotalsAvgOrderValue: model.subtotals.avgOrderValue,
            subtotalsCouponsCount: model.subtotals.couponsCount,
            subtotalsRefunds: model.subtotals.refunds,
            subtotalsTaxes: model.subtotals.taxes,
            subtotalsShipping: model.subtotals.shipping,
            subtotalsProducts: model.subtotals.products)
    }

    public func toReadOnly() throws -> OrderStatsV4Interval {
        try OrderStatsV4Interval(interval: interval, dateStart: dateStart, dateEnd: dateEnd, subtotals: readSubtotals())
    }

    private func readSubtotals() throws -> OrderTotals {
        OrderTotals(
            ordersCount: subtotalsOrdersCount,
            numItemsSold: subtotalsNumItemsSold,
            totalSales: subtotalsTotalSales,
            netRevenue: subtotalsNetRevenue,
            avgOrderValue: subtotalsAvgOrderValue,
            couponsCount: subtotalsCouponsCount,
            refunds: subtotalsRefunds,
            taxes: subtotalsTaxes,
            shipping: subtotalsShipping,
            products: subtotalsProducts)
    }
}
