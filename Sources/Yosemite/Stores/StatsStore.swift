internal import Commands
internal import Determinism
internal import Networking
internal import Storage

/// Keeps the statistics that WordPress.com calculated itself, before WooCommerce Analytics (``StatsStoreV4``): for
/// sites whose WooCommerce is older than 4.0.
public final class StatsStore: Store {
    public typealias SupportedAction = StatsAction

    private static let topEarnerLimit = 3

    private let context: StoreContext
    private let stats: SiteStatsRemote
    private let reports: ReportRemote

    public init(_ context: StoreContext) {
        self.context = context
        (stats, reports) = (SiteStatsRemote(context.sender), ReportRemote(context.sender))
    }

    public func onAction(_ action: StatsAction) {
        switch action {
        case .resetStoredStats(let siteID, let onCompletion):
            context.write(onCompletion) { try $0.deleteStatistics(of: siteID) }
        case .retrieveOrderStats(let siteID, let unit, let latest, let quantity, let onCompletion):
            let period = unit.period(of: latest)
            retrieve(
                "orders", siteID, unit, latest, quantity, onCompletion,
                { [stats] (name: String) throws(NetworkError) in
                    try await stats.loadOrderStats(
                        siteID: siteID, unit: unit, latest: period, quantity: quantity, timeRange: name)
                }
            ) { try $1.save($0) }
        case .retrieveSiteVisitStats(let siteID, let unit, let latest, let quantity, let onCompletion):
            retrieve(
                "visits", siteID, unit, latest, quantity, onCompletion,
                { [stats] (name: String) throws(NetworkError) in
                    try await stats.loadVisits(
                        siteID: siteID, unit: unit, latest: latest, quantity: quantity, timeRange: name)
                }
            ) { try $1.save($0) }
        case .retrieveTopEarnerStats(let siteID, let unit, let latest, let onCompletion):
            let period = unit.period(of: latest)
            retrieve(
                "topEarners", siteID, unit, latest, Self.topEarnerLimit, onCompletion,
                { [stats] (name: String) throws(NetworkError) in
                    try await stats.loadTopEarners(
                        siteID: siteID, unit: unit, latest: period, limit: Self.topEarnerLimit, timeRange: name)
                }
            ) { try $1.save($0) }
        case .retrieveOrderTotals(let siteID, let status, let onCompletion):
            retrieveOrderTotals(siteID, status, onCompletion)
        }
    }

    /// Asks, and keeps the answer under its unit and its last period.
    private func retrieve<Stats: Sendable>(
        _ what: String, _ siteID: Int64, _ unit: StatsGranularity, _ latest: CivilDate, _ quantity: Int,
        _ onCompletion: @escaping StatsAction.Completion<Stats>,
        _ ask: @escaping @Sendable (String) async throws(NetworkError) -> Stats,
        save: @escaping @Sendable (Stats, any StorageType) throws -> Void
    ) {
        let name = "\(unit.rawValue) \(unit.period(of: latest))"
        context.synchronize(
            CommandKey("retiredStats." + what, String(siteID), name, String(quantity)),
            { () throws(NetworkError) in try await ask(name) },
            save: { stats, storage in
                try save(stats, storage)
                return stats
            },
            { onCompletion($0.mapError(\.statistical)) })
    }

    private func retrieveOrderTotals(
        _ siteID: Int64, _ status: OrderStatusEnum, _ onCompletion: @escaping StatsAction.Completion<Int64>
    ) {
        context.run(
            HTTPCommand(key: CommandKey("retiredStats.orderTotals", String(siteID))) {
                [reports] () throws(NetworkError) in
                try await reports.loadOrderStatuses(siteID: siteID)
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
    /// The period that a day is in, as WordPress.com writes it: `2018-06-08`, `2018-W12`, `2018-06`, `2018`.
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
