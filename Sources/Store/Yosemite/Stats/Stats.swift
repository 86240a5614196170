import Concurrency
public import Determinism
public import Networking
import Storage

/// The actions of ``StatsStore``. Every completion is called exactly once.
///
/// `latest` is a day of the last period, in the site's time zone.
public enum StatsAction: Action {
    /// Deletes all stored statistics of a site, or of all sites, from both stores of statistics.
    case resetStoredStats(siteID: Int64? = nil, onCompletion: Completion<Void>)
    /// Fetches and stores order revenue.
    case retrieveOrderStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, quantity: Int,
        onCompletion: Completion<OrderStats>)
    /// Fetches and stores visits.
    case retrieveSiteVisitStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, quantity: Int,
        onCompletion: Completion<SiteVisitStats>)
    /// Fetches and stores the three products with the highest revenue.
    case retrieveTopEarnerStats(
        siteID: Int64, granularity: StatsGranularity, latest: CivilDate, onCompletion: Completion<TopEarnerStats>)
    /// Fetches the number of orders with a status. It is not stored.
    case retrieveOrderTotals(siteID: Int64, status: OrderStatusEnum, onCompletion: Completion<Int64>)

    public var redactedDescription: [String: String] {
        switch self {
        case .resetStoredStats(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        case .retrieveOrderStats(let siteID, let granularity, let latest, _, _),
            .retrieveSiteVisitStats(let siteID, let granularity, let latest, _, _),
            .retrieveTopEarnerStats(let siteID, let granularity, let latest, _):
            ["site": String(siteID), "granularity": granularity.rawValue, "latest": latest.dayText]
        case .retrieveOrderTotals(let siteID, let status, _): ["site": String(siteID), "status": status.rawValue]
        }
    }
}

/// The statistics that WordPress.com itself calculates, for sites with WooCommerce before 4.0, which have no
/// WooCommerce Analytics (``StatsStoreV4``).
public final class StatsStore: Store {
    private static let topEarnerLimit = 3

    private let context: StoreContext
    private let remote: SiteStatsRemote

    /// Handles the actions on retired statistics of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, SiteStatsRemote(context.sender)) }

    public func onAction(_ action: StatsAction) {
        switch action {
        case .resetStoredStats(let siteID, let onCompletion):
            context.write(onCompletion) { try $0.deleteStatistics(of: siteID) }
        case .retrieveOrderStats(let siteID, let unit, let latest, let quantity, let onCompletion):
            retrieve("orders", siteID, unit, latest, quantity, onCompletion) {
                remote, period, name throws(NetworkError) in
                try await remote.loadOrderStats(
                    siteID: siteID, unit: unit, latest: period, quantity: quantity, timeRange: name)
            }
        case .retrieveSiteVisitStats(let siteID, let unit, let latest, let quantity, let onCompletion):
            retrieve("visits", siteID, unit, latest, quantity, onCompletion) { remote, _, name throws(NetworkError) in
                try await remote.loadVisits(
                    siteID: siteID, unit: unit, latest: latest, quantity: quantity, timeRange: name)
            }
        case .retrieveTopEarnerStats(let siteID, let unit, let latest, let onCompletion):
            let limit = Self.topEarnerLimit
            retrieve("topEarners", siteID, unit, latest, limit, onCompletion) {
                remote, period, name throws(NetworkError) in
                try await remote.loadTopEarners(
                    siteID: siteID, unit: unit, latest: period, limit: limit, timeRange: name)
            }
        case .retrieveOrderTotals(let siteID, let status, let onCompletion):
            retrieveOrderTotals(siteID, status, onCompletion)
        }
    }

    /// Fetches statistics, and stores them under their unit and last period.
    private func retrieve<Stats: ReadOnlyType>(
        _ what: String, _ siteID: Int64, _ unit: StatsGranularity, _ latest: CivilDate, _ quantity: Int,
        _ onCompletion: @escaping StatsAction.Completion<Stats>,
        _ ask:
            @escaping @Sendable (SiteStatsRemote, _ period: String, _ name: String) async throws(NetworkError) -> Stats
    ) {
        let period = unit.period(of: latest)
        let name = "\(unit.rawValue) \(period)"
        context.synchronize(
            CommandKey("retiredStats." + what, String(siteID), name, String(quantity)),
            { [remote] () throws(NetworkError) in try await ask(remote, period, name) },
            save: { stats, storage in
                try storage.save(stats)
                return stats
            },
            { onCompletion($0.mapError(\.statistical)) })
    }

    private func retrieveOrderTotals(
        _ siteID: Int64, _ status: OrderStatusEnum, _ onCompletion: @escaping StatsAction.Completion<Int64>
    ) {
        context.run(
            HTTPCommand(key: CommandKey("retiredStats.orderTotals", String(siteID))) {
                [context] () throws(NetworkError) in
                try await ReportRemote(context.sender).loadOrderStatuses(siteID: siteID)
            }
        ) { (result: Result<ElementList<OrderStatus>, StoreError>) in
            onCompletion(
                result.flatMap { list in
                    guard let kind = list.elements.first(where: { $0.slug == status }) else {
                        return .failure(.notFound(entity: "order status", id: status.rawValue))
                    }
                    return .success(kind.total)
                })
        }
    }
}

extension StatsGranularity {
    /// Returns the period of a day in the form of WordPress.com: `2018-06-08`, `2018-W12`, `2018-06`, `2018`.
    func period(of day: CivilDate) -> String {
        let year = String(day.dayText.prefix(4))
        switch self {
        case .hour, .day: return day.dayText
        case .week:
            let week = day.week
            return "\(week.year)-W\(week.number < 10 ? "0" : "")\(week.number)"
        case .month: return String(day.dayText.prefix(7))
        case .quarter: return "\(year)-Q\((day.month + 2) / 3)"
        case .year: return year
        }
    }
}

extension StorageType {
    /// Deletes the statistics of one site, or of all sites.
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
