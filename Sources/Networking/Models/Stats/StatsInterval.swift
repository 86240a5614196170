public import Determinism

// @model
/// One interval of a report.
public struct StatsInterval<Totals: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// For example `2019-07-09 00`, `2019-31`.
    public let interval: String
    /// As the store's clock shows it.
    public let dateStart: CivilDate
    /// As the store's clock shows it.
    public let dateEnd: CivilDate
    public let subtotals: Totals  // @embedded

    // Made by Scripts/generate.
    public init(interval: String, dateStart: CivilDate, dateEnd: CivilDate, subtotals: Totals) {
        self.interval = interval
        self.dateStart = dateStart
        self.dateEnd = dateEnd
        self.subtotals = subtotals
    }
    // End of what was made.
}

// @model
/// An interval of ``OrderStatsV4``.
public typealias OrderStatsV4Interval = StatsInterval<OrderTotals>
