internal import ArgumentParser
internal import FoundationEssentials
internal import Networking
internal import Storage
internal import Yosemite

/// `sites`
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "List your sites and choose the current store.",
        subcommands: [ListSites.self, UseSite.self], defaultSubcommand: ListSites.self)
}

/// `sites list`
struct ListSites: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your sites. The current store is marked with *.")

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let (manager, list) = try await SiteList.load(options.till)
        try output.write(list: list.map { ListedSite(store: $0, selected: manager.siteID) })
    }
}

/// `sites use`
struct UseSite: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Choose the current store.")

    @Argument(
        help: "Site ID, address, or host name.",
        completion: .custom { _, _, _ in SiteList.completions() })
    var site: String
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let (manager, list) = try await SiteList.load(options.till)
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

/// The sites of the signed-in user.
enum SiteList {
    /// Returns the host names of the stored sites, for shell completion.
    static func completions() -> [String] {
        guard let path = DatabaseOptions.defaultPath(), FileManager.default.fileExists(atPath: path),
            let sites = try? SQLiteStorageManager(path: path).read({ try $0.models(Site.self) })
        else { return [] }
        return sites.compactMap { try? WebAddress($0.url).origin.host }
    }

    /// - Throws: `CommandFailure`
    static func load(
        _ options: TillOptions
    ) async throws(CommandFailure) -> (StoresManager, [SiteDetails]) {
        let composition = try options.storeEnvironment().composition()
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
struct ListedSite: CommandResult {
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

    var text: String {
        let version = store.wooCommerceVersion.map { " " + $0 } ?? ""
        let plugin = store.hasWooCommerce ? "WooCommerce" + version : "no WooCommerce"
        let (id, name) = (String(store.site.id).padded(to: 17), store.site.name.padded(to: 24))
        return "\(isSelected ? "*" : " ") \(id)\(name)  \(store.site.url)  \(plugin)\n"
    }
}
