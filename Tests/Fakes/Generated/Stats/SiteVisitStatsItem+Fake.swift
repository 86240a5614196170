// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStatsItem.swift: change that, not this.
public import Networking

extension SiteVisitStatsItem: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteVisitStatsItem {
        SiteVisitStatsItem(period: .fake(from: &source), visitors: .fake(from: &source), views: .fake(from: &source))
    }
}
