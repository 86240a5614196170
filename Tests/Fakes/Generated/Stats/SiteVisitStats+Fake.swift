// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStats.swift: change that, not this.
public import Networking

extension SiteVisitStats: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteVisitStats {
        SiteVisitStats(
            siteID: .fake(from: &source),
            timeRange: .fake(from: &source),
            date: .fake(from: &source),
            unit: .fake(from: &source),
            items: .fake(from: &source))
    }
}
