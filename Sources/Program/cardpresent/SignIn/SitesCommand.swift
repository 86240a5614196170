import ArgumentParser
import Networking
import Storage
import Yosemite

/// `sites`
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "List your sites and choose the current store.",
        subcommands: [ListSites.self, UseSite.self, PreferredGateway.self], defaultSubcommand: ListSites.self)
}

/// `sites list`
struct ListSites: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your sites. The current store is marked with *.",
        discussion: """
            EXAMPLES:
              cardpresent sites list
              cardpresent sites list --json
            """)

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let (manager, list) = try await SiteList.load(options.till, for: Self.databaseUse)
        try output.write(table: list.map { ListedSite(store: $0, selected: manager.siteID) })
    }
}

/// `sites use`
struct UseSite: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Choose the current store.",
        discussion: """
            EXAMPLES:
              cardpresent sites use shop.example
              cardpresent sites use 210000001
            """)

    @Argument(
        help: "Site ID, address, or host name.",
        completion: .custom { _, _, _ in SiteList.completions() })
    var site: String
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let (manager, list) = try await SiteList.load(options.till, for: Self.databaseUse)
        let chosen = try choose(among: list)
        do throws(SessionError) { try manager.updateDefaultStore(chosen.site) } catch {
            throw CommandFailure(error)
        }
        try output.write(ListedSite(store: chosen, selected: chosen.site.id))
    }

    private func choose(among list: [SiteDetails]) throws(CommandFailure) -> SiteDetails {
        let found = list.filter { $0.answers(to: site) }
        guard let chosen = found.first else {
            throw CommandFailure(
                .usage, code: "unknown_site", message: "unknown site '\(site)'",
                fix: .choice(of: site, among: list.map { String($0.site.id) }, called: "your sites"))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .usage, code: "several_sites", message: "'\(site)' matches several sites", fix: "use the site ID")
        }
        guard chosen.hasWooCommerce else {
            throw CommandFailure(
                .configuration, code: "no_woocommerce", message: "\(chosen.site.name) does not have WooCommerce",
                fix: "install and activate WooCommerce there, or choose another site")
        }
        return chosen
    }
}

/// `sites gateway`
struct PreferredGateway: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway", abstract: "Show or set the payment gateway that the current store prefers.",
        discussion: """
            EXAMPLES:
              cardpresent sites gateway
              cardpresent sites gateway woocommerce-stripe
              cardpresent sites gateway --forget

            'cardpresent pay --order' uses it when --gateway does not name another. A store with one gateway needs none.
            """)

    @Argument(
        help: "Payment gateway: woocommerce-payments or woocommerce-stripe. Omit it to show the preferred one.",
        completion: .list(PaymentGatewayExtension.allCases.map(\.rawValue)))
    var gateway: String?
    @Flag(help: "Prefer no gateway.")
    var forget = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !forget || gateway == nil else { throw ValidationError("--forget cannot be used with a gateway") }
        guard gateway.map({ PaymentGatewayExtension(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("the gateway must be woocommerce-payments or woocommerce-stripe")
        }
    }

    func execute(in shop: Shop) async throws {
        let siteID = shop.siteID
        if let gateway {
            try await shop.value {
                AppSettingsAction.setPreferredInPersonPaymentGateway(
                    siteID: siteID, gateway: gateway, onCompletion: $0)
            } as Void
        } else if forget {
            try await shop.value {
                AppSettingsAction.forgetPreferredInPersonPaymentGateway(siteID: siteID, onCompletion: $0)
            } as Void
        }
        let preferred: String? = try await shop.value {
            AppSettingsAction.getPreferredInPersonPaymentGateway(siteID: siteID, onCompletion: $0)
        }
        if preferred == nil, !output.json { StandardError.note("No gateway is preferred.\n") }
        try output.write(["gateway": preferred] as JSONObject, text: preferred.map { $0 + "\n" } ?? "")
    }
}

/// The sites of the signed-in user.
enum SiteList {
    /// Returns the host names of the stored sites, for shell completion.
    static func completions() -> [String] {
        guard let path = DatabaseOptions.defaultPath(),
            let sites = try? SQLiteStorageManager(readingAt: path).read({ try $0.models(Site.self) })
        else { return [] }
        return sites.compactMap { try? WebAddress($0.url).origin.host }
    }

    /// - Throws: `CommandFailure`
    static func load(
        _ options: TillOptions, for use: DatabaseUse
    ) async throws(CommandFailure) -> (StoresManager, [SiteDetails]) {
        let composition = try options.storeEnvironment().signedInComposition(for: use)
        let manager = try composition.stores()
        let selected = manager.siteID
        let list: SynchronizedSites = try await manager.value {
            AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0)
        }
        for failure in list.rejected { StandardError.write("cardpresent: skipped a site: \(failure)\n") }
        var version: String?
        if let signIn = manager.signIn, let selected, list.sites.contains(where: { $0.id == selected }) {
            // Asking every site of an account would take long, and only the current store matters.
            let directory = SiteDirectory(composition.client(signIn), directSite: signIn.credentials.directSite)
            version = await directory.wooCommerceVersion(siteID: selected)
        }
        return (
            manager,
            list.sites.map { SiteDetails(site: $0, wooCommerceVersion: $0.id == selected ? version : nil) }
        )
    }
}

extension SiteDetails {
    /// Returns whether the text is the site's ID, address, or host name.
    fileprivate func answers(to text: String) -> Bool {
        let address = try? WebAddress(site.url)
        return String(site.id) == text || site.url == text || address?.withoutQuery == text
            || address?.withoutQuery == text + "/" || address?.origin.host == text.lowercased()
    }
}

/// A site of a list.
struct ListedSite: CommandResult, TableRow {
    let store: SiteDetails
    /// The site ID of the current store.
    let selected: Int64?

    private var isSelected: Bool { store.site.id == selected }

    var json: JSONObject {
        [
            "id": store.site.id, "name": store.site.name, "url": store.site.url,
            // Whether WooCommerce is installed and active; the version is null when unknown.
            "wooCommerce": store.hasWooCommerce, "wooCommerceVersion": store.wooCommerceVersion,
            "selected": isSelected,
        ]
    }

    static var heads: [String] { ["  id", "name", "address", "WooCommerce"] }

    var cells: [String] {
        ["\(isSelected ? "*" : " ") \(store.site.id)", store.site.name, store.site.url, plugin]
    }

    private var plugin: String {
        let version = store.wooCommerceVersion.map { " " + $0 } ?? ""
        return store.hasWooCommerce ? "WooCommerce" + version : "no WooCommerce"
    }

    var text: String {
        let (id, name) = (String(store.site.id).padded(to: 17), store.site.name.padded(to: 24))
        return "\(isSelected ? "*" : " ") \(id)\(name)  \(store.site.url)  \(plugin)\n"
    }
}
