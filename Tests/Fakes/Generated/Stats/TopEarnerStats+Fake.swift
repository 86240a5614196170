// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStats.swift: change that, not this.
public import Networking

extension TopEarnerStats: Fakeable {
    public static func fake(from source: inout FakeSource) -> TopEarnerStats {
        TopEarnerStats(
            siteID: .fake(from: &source),
            timeRange: .fake(from: &source),
            date: .fake(from: &source),
            unit: .fake(from: &source),
            limit: .fake(from: &source),
            data: .fake(from: &source))
    }
}
