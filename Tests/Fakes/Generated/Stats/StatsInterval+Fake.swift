// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsInterval.swift: change that, not this.
public import Networking

extension StatsInterval: Fakeable where Totals: Fakeable {
    public static func fake(from source: inout FakeSource) -> StatsInterval {
        StatsInterval(
            interval: .fake(from: &source),
            dateStart: .fake(from: &source),
            dateEnd: .fake(from: &source),
            subtotals: .fake(from: &source))
    }
}
