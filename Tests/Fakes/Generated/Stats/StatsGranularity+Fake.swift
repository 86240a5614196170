// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsGranularity.swift: change that, not this.
public import Networking

extension StatsGranularity: Fakeable {
    public static func fake(from source: inout FakeSource) -> StatsGranularity {
        let cases: [StatsGranularity] = [.hour, .day, .week, .month, .quarter, .year]
        return source.element(of: cases) ?? cases[0]
    }
}
