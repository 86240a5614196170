// Made by Scripts/generate from Sources/Networking/Models/Stats/SiteVisitStatsItem.swift: change that, not this.
public import Networking
public import Storage

extension SiteVisitStatsItemRecord: ReadOnlyConvertible {
    public init(_ model: SiteVisitStatsItem) {
        self.init(period: model.period, visitors: model.visitors, views: model.views)
    }

    public func toReadOnly() throws -> SiteVisitStatsItem {
        SiteVisitStatsItem(period: period, visitors: visitors, views: views)
    }
}
