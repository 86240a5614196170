public import Determinism

/// One interval of a report.
public struct StatsInterval<Totals: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// For example `2019-07-09 00`, `2019-31`.
    public let interval: String
    /// As the store's clock shows it.
    public let dateStart: CivilDate
    /// As the store's clock shows it.
    public let dateEnd: CivilDate
    public let subtotals: Totals
}
