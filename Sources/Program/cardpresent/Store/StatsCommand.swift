internal import ArgumentParser
internal import Determinism
internal import Money
internal import Networking
internal import Yosemite

/// `stats`
struct StatsCommand: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the store's sales statistics.",
        discussion: """
            EXAMPLES:
              cardpresent stats
              cardpresent stats --range month --top-products 5
              cardpresent stats --range 2026-01-01..2026-01-31 --json

            The store calculates the statistics in its own time zone. Amounts are rounded to the decimals of the \
            store's currency; with --json they have all decimals that the store returns. Visits are counted by \
            WordPress.com and require an account there.
            """)

    @Option(
        help: ArgumentHelp(
            "Period: today, week, month, year, or two days such as 2026-01-02..2026-01-31.",
            discussion: "Weeks start on Monday.", valueName: "range"),
        completion: .list(StatsRange.words.map(\.word)))
    var range = StatsRange(.today)
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
    }

    func execute(in shop: Shop) async throws { try output.write(try await report(of: shop)) }

    private func report(of shop: Shop) async throws(CommandFailure) -> SalesReport {
        if visits { try shop.requireAccount() }
        let (siteID, range) = (shop.siteID, range.range)
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
        var report = SalesReport(orders: orders, range: period, currency: try await currency(of: shop))
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

    /// Returns the store's currency, because reports do not contain it: from its settings, which are fetched once. Nil
    /// when the user may not read them.
    private func currency(of shop: Shop) async throws(CommandFailure) -> Currency? {
        let setting = "woocommerce_currency"
        var settings: [SiteSetting] = try await shop.value {
            SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        if !settings.contains(where: { $0.id == setting }) {
            let fetched: ElementList<SiteSetting>? = try? await shop.value {
                SettingAction.synchronizeGeneralSiteSettings(siteID: shop.siteID, onCompletion: $0)
            }
            settings = fetched?.elements ?? []
        }
        return settings.first { $0.id == setting }.flatMap { try? Currency(code: $0.text) }
    }
}

/// A period on the command line: `today`, `week`, `month`, `year`, or `2026-01-02..2026-01-31`.
struct StatsRange: ExpressibleByArgument, Sendable {
    let range: StatsTimeRangeV4

    static let words: [(word: String, range: StatsTimeRangeV4)] = [
        ("today", .today), ("week", .thisWeek), ("month", .thisMonth), ("year", .thisYear),
    ]

    init(_ range: StatsTimeRangeV4) { self.range = range }

    init?(argument: String) {
        if let known = Self.words.first(where: { $0.word == argument }) {
            range = known.range
            return
        }
        guard let dots = argument.firstRange(of: ".."), let first = Day(argument: String(argument[..<dots.lowerBound])),
            let last = Day(argument: String(argument[dots.upperBound...]))
        else { return nil }
        range = .custom(from: first.date, to: last.date)
    }

    var defaultValueDescription: String {
        Self.words.first { $0.range == range }?.word ?? range.name
    }
}
