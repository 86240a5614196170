internal import ArgumentParser
internal import Determinism
internal import Networking
internal import Yosemite

/// `stats`
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Shows what the store has sold.",
        discussion: """
            Asks the store, which calculates from its orders by its own clock. Amounts are shown exactly as the store \
            gives them. Visits are counted by WordPress.com and need an account there.
            """)

    @Option(
        help: ArgumentHelp(
            "today, week, month or year, or two days: 2026-01-02..2026-01-31.",
            discussion: "A week begins on Monday.", valueName: "range"),
        completion: .list(StatsRange.words.map(\.word)))
    var range = StatsRange(.today)
    @Option(help: ArgumentHelp("Show the products that sold best, at most so many.", valueName: "number"))
    var topProducts: Int?
    @Flag(help: "Show how often the site was visited.")
    var visits = false
    @Flag(help: "Show how many bundles were sold.")
    var bundles = false
    @Flag(help: "Show what gift cards have paid for.")
    var giftCards = false
    @Flag(help: "Make the store calculate anew what it has calculated before.")
    var refresh = false
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...PageRequest.largest).contains(topProducts ?? 1) else {
            throw ValidationError("--top-products is 1 to \(PageRequest.largest)")
        }
    }

    func run() async throws {
        try await output.reporting {
            let view = try await view(of: try await shopOptions.open())
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text(withChart: StandardOutput.isTerminal))
        }
    }

    private func view(of shop: Shop) async throws(CommandFailure) -> StatsView {
        if visits { try shop.requireAccount() }
        let (siteID, range) = (shop.siteID, range.range)
        let zone = try await SiteClock.rules(at: shop)
        let report: OrderStatsRemoteV4.Range
        do throws(SiteStatsStoreError) {
            report = try range.report(at: zone.civil(at: SystemTimeSource().now()))
        } catch {
            throw CommandFailure(error)
        }
        let orders: OrderStatsV4 = try await shop.value {
            StatsActionV4.retrieveStats(
                siteID: siteID, timeRange: range, timeZone: zone, forceRefresh: refresh, onCompletion: $0)
        }
        var view = StatsView(orders, range: report, currency: try await currency(of: shop))
        if let topProducts {
            let stats: TopEarnerStats = try await shop.value {
                StatsActionV4.retrieveTopEarnerStats(
                    siteID: siteID, timeRange: range, timeZone: zone, quantity: topProducts, forceRefresh: refresh,
                    onCompletion: $0)
            }
            view.show(stats)
        }
        if visits {
            let summary: SiteSummaryStats = try await shop.value {
                StatsActionV4.retrieveSiteSummaryStats(
                    siteID: siteID, timeRange: range, timeZone: zone, onCompletion: $0)
            }
            let stats: SiteVisitStats = try await shop.value {
                StatsActionV4.retrieveSiteVisitStats(
                    siteID: siteID, timeRange: range, timeZone: zone, onCompletion: $0)
            }
            view.show(summary, stats)
        }
        if bundles {
            let stats: ProductBundleStats = try await shop.value {
                StatsActionV4.retrieveProductBundleStats(siteID: siteID, range: report, onCompletion: $0)
            }
            view.show(stats)
        }
        if giftCards {
            let stats: GiftCardStats = try await shop.value {
                StatsActionV4.retrieveUsedGiftCardStats(siteID: siteID, range: report, onCompletion: $0)
            }
            view.show(stats)
        }
        return view
    }

    /// As it is stored here; reports do not name it.
    private func currency(of shop: Shop) async throws(CommandFailure) -> String? {
        let settings: [SiteSetting] = try await shop.value {
            SettingAction.loadSiteSettings(siteID: shop.siteID, onCompletion: $0)
        }
        return settings.first { $0.id == "woocommerce_currency" }?.text
    }
}
