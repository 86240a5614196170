import ArgumentParser
import Determinism
import Money
import Networking
import Yosemite

/// `stats`
struct StatsCommand: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the store's sales statistics.",
        discussion: """
            EXAMPLES:
              cardpresent stats
              cardpresent stats --range month --top-products 5
              cardpresent stats --range 2026-01-01..2026-01-31 --json
              cardpresent stats --range week --remember

            The store calculates the statistics in its own time zone. Amounts are rounded to the decimals of the \
            store's currency; with --json they have all decimals that the store returns. Visits are counted by \
            WordPress.com and require an account there. --remember makes a period the one of this store, used without \
            --range; with --json the period is then still today.
            """)

    @Option(
        help: ArgumentHelp(
            "Period: today, week, month, year, two days such as 2026-01-02..2026-01-31, or 'custom' for the two days "
                + "remembered last.",
            discussion: "Weeks start on Monday. Default: the remembered period, or today.", valueName: "range"),
        completion: .list(StatsRange.completions))
    var range: StatsRange?
    @Flag(help: "Use this period from now on when none is given.")
    var remember = false
    @Option(help: ArgumentHelp("Show this many best-selling products.", valueName: "number"))
    var topProducts: Int?
    @Flag(help: "Show visits to the site.")
    var visits = false
    @Flag(help: "Show bundle sales.")
    var bundles = false
    @Flag(help: "Show gift card usage.")
    var giftCards = false
    @Flag(help: "Recalculate the statistics at the store.")
    var refresh = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        try check(topProducts, in: 1...PageRequest.largest, "--top-products")
        guard !remember || range != nil else { throw ValidationError("--remember requires --range") }
    }

    func execute(in shop: Shop) async throws {
        let report = try await report(of: shop, try await period(of: shop))
        if remember, let range { try await shop.remember(range) }
        try output.write(report)
    }

    /// Returns the named period, or the remembered one.
    private func period(of shop: Shop) async throws(CommandFailure) -> StatsTimeRangeV4 {
        switch range {
        case .period(let range): return range
        case .rememberedDays:
            if let days = try await shop.rememberedDays() { return days }
            throw CommandFailure(
                .usage, code: "no_remembered_range", message: "no two days are remembered for this store",
                fix: "name them once: 'cardpresent stats --range 2026-01-02..2026-01-31 --remember'")
        case nil:
            guard !output.json, let remembered = try await shop.rememberedRange() else { return .today }
            return remembered
        }
    }

    private func report(of shop: Shop, _ range: StatsTimeRangeV4) async throws(CommandFailure) -> SalesReport {
        if visits { try shop.requireAccount() }
        let siteID = shop.siteID
        let zone = try await SiteClock.rules(at: shop)
        let period: OrderStatsRemoteV4.Range
        do throws(SiteStatsStoreError) {
            period = try range.report(at: zone.civil(at: SystemTimeSource().now()))
        } catch {
            throw CommandFailure(error)
        }
        let orders: OrderStatsV4 = try await shop.value {
            StatsActionV4.retrieveStats(
                siteID: siteID, timeRange: range, timeZone: zone, forceRefresh: refresh, onCompletion: $0)
        }
        var report = SalesReport(orders: orders, range: period, currency: try await shop.currency())
        if let topProducts {
            report.topProducts = try await shop.value {
                StatsActionV4.retrieveTopEarnerStats(
                    siteID: siteID, timeRange: range, timeZone: zone, quantity: topProducts, forceRefresh: refresh,
                    onCompletion: $0)
            }
        }
        if visits {
            report.summary = try await shop.value {
                StatsActionV4.retrieveSiteSummaryStats(
                    siteID: siteID, timeRange: range, timeZone: zone, onCompletion: $0)
            }
            report.visits = try await shop.value {
                StatsActionV4.retrieveSiteVisitStats(
                    siteID: siteID, timeRange: range, timeZone: zone, onCompletion: $0)
            }
        }
        if bundles {
            report.bundles = try await shop.value {
                StatsActionV4.retrieveProductBundleStats(siteID: siteID, range: period, onCompletion: $0)
            }
        }
        if giftCards {
            report.giftCards = try await shop.value {
                StatsActionV4.retrieveUsedGiftCardStats(siteID: siteID, range: period, onCompletion: $0)
            }
        }
        return report
    }
}

/// A period on the command line: `today`, `week`, `month`, `year`, `2026-01-02..2026-01-31`, or `custom`.
enum StatsRange: ExpressibleByArgument, Hashable, Sendable {
    case period(StatsTimeRangeV4)
    /// The two days that were remembered last.
    case rememberedDays

    private static let words: [(word: String, range: StatsTimeRangeV4)] = [
        ("today", .today), ("week", .thisWeek), ("month", .thisMonth), ("year", .thisYear),
    ]
    private static let customWord = "custom"

    static let completions = words.map(\.word) + [customWord]

    init?(argument: String) {
        if let known = Self.words.first(where: { $0.word == argument }) {
            self = .period(known.range)
        } else if argument == Self.customWord {
            self = .rememberedDays
        } else if let dots = argument.firstRange(of: ".."),
            let first = Day(argument: String(argument[..<dots.lowerBound])),
            let last = Day(argument: String(argument[dots.upperBound...]))
        {
            self = .period(.custom(from: first.date, to: last.date))
        } else {
            return nil
        }
    }

    /// The argument that stands for the period.
    var argument: String {
        switch self {
        case .period(.custom(let first, let last)): "\(first.dayText)..\(last.dayText)"
        case .period(let range): Self.words.first { $0.range == range }?.word ?? range.name
        case .rememberedDays: Self.customWord
        }
    }
}
