public import Amounts

// @record key(siteID, timeRange)
/// What orders have brought in, period by period, from the retired statistics (`wpcom/v2/sites/{id}/stats/orders`).
public struct OrderStats: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// Which range they were asked for, for example `day 2018-06-08`.
    public let timeRange: String
    /// The last period, as WordPress.com writes it.
    public let date: String
    public let unit: StatsGranularity
    public let totalOrders: Int64
    public let totalProducts: ExactDecimal
    public let totalGrossSales: ExactDecimal
    public let totalNetSales: ExactDecimal
    public let avgOrders: ExactDecimal
    public let avgProducts: ExactDecimal
    public let avgGrossSales: ExactDecimal
    public let avgNetSales: ExactDecimal
    public let items: [OrderStatsItem]  // @children

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        timeRange: String,
        date: String,
        unit: StatsGranularity,
        totalOrders: Int64,
        totalProducts: ExactDecimal,
        totalGrossSales: ExactDecimal,
        totalNetSales: ExactDecimal,
        avgOrders: ExactDecimal,
        avgProducts: ExactDecimal,
        avgGrossSales: ExactDecimal,
        avgNetSales: ExactDecimal,
        items: [OrderStatsItem]
    ) {
        self.siteID = siteID
        self.timeRange = timeRange
        self.date = date
        self.unit = unit
        self.totalOrders = totalOrders
        self.totalProducts = totalProducts
        self.totalGrossSales = totalGrossSales
        self.totalNetSales = totalNetSales
        self.avgOrders = avgOrders
        self.avgProducts = avgProducts
        self.avgGrossSales = avgGrossSales
        self.avgNetSales = avgNetSales
        self.items = items
    }
    // End of what was made.

    /// The answer is a ``StatsTable`` with totals beside it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        siteID = try container.decode(Int64.self, forKey: .siteID)
        timeRange = try container.decode(String.self, forKey: .timeRange)
        date = try container.decode(String.self, forKey: .date)
        unit = try container.decode(StatsGranularity.self, forKey: .unit)
        totalOrders = try container.decode(Int64.self, forKey: .totalOrders)
        totalProducts = try container.decode(ExactDecimal.self, forKey: .totalProducts)
        totalGrossSales = try container.decode(ExactDecimal.self, forKey: .totalGrossSales)
        totalNetSales = try container.decode(ExactDecimal.self, forKey: .totalNetSales)
        avgOrders = try container.decode(ExactDecimal.self, forKey: .avgOrders)
        avgProducts = try container.decode(ExactDecimal.self, forKey: .avgProducts)
        avgGrossSales = try container.decode(ExactDecimal.self, forKey: .avgGrossSales)
        avgNetSales = try container.decode(ExactDecimal.self, forKey: .avgNetSales)
        items = try StatsTable(from: decoder).rows.map(OrderStatsItem.init(row:))
    }
}
