// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsInterval.swift: change that, not this.
public import Determinism

extension StatsInterval {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        interval: String? = nil,
        dateStart: CivilDate? = nil,
        dateEnd: CivilDate? = nil,
        subtotals: Totals? = nil
    ) -> StatsInterval {
        StatsInterval(
            interval: interval ?? self.interval,
            dateStart: dateStart ?? self.dateStart,
            dateEnd: dateEnd ?? self.dateEnd,
            subtotals: subtotals ?? self.subtotals)
    }
}
