internal import Networking
internal import Storage

extension StorageType {
    /// Forgets statistics of every kind, of one site or of all.
    func deleteStatistics(of siteID: Int64?) throws {
        guard let siteID else {
            try delete(OrderStatsV4.self)
            try delete(OrderStats.self)
            try delete(SiteVisitStats.self)
            try delete(SiteSummaryStats.self)
            try delete(TopEarnerStats.self)
            return
        }
        try delete(OrderStatsV4.self) { $0.siteID == siteID }
        try delete(OrderStats.self) { $0.siteID == siteID }
        try delete(SiteVisitStats.self) { $0.siteID == siteID }
        try delete(SiteSummaryStats.self) { $0.siteID == siteID }
        try delete(TopEarnerStats.self) { $0.siteID == siteID }
    }
}
