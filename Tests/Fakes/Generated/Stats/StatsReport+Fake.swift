// Made by Scripts/generate from Sources/Networking/Models/Stats/StatsReport.swift: change that, not this.
public import Networking

extension StatsReport: Fakeable where Totals: Fakeable {
    public static func fake(from source: inout FakeSource) -> StatsReport {
        StatsReport(
            siteID: .fake(from: &source),
            timeRange: .fake(from: &source),
            totals: .fake(from: &source),
            intervals: .fake(from: &source))
    }
}
