// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteSummaryStats.swift: change that, not this.
public import Networking

extension SiteSummaryStats: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteSummaryStats {
        SiteSummaryStats(
            siteID: .fake(from: &source),
            timeRange: .fake(from: &source),
            date: .fake(from: &source),
            period: .fake(from: &source),
            visitors: .fake(from: &source),
            views: .fake(from: &source))
    }
}
