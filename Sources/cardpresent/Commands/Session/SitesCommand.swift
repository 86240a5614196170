internal import ArgumentParser
internal import FoundationEssentials
internal import Networking
internal import Storage
internal import Yosemite

/// `sites`
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "Lists the sites of whoever is signed in, and chooses one.",
        subcommands: [ListSites.self, UseSite.self], defaultSubcommand: ListSites.self)
}

/// `sites list`
struct ListSites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the sites, and marks the one that commands work with.")

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let (manager, list) = try await SiteList.load(configurationOptions, data)
            let sites = list.map { SiteView($0, selected: manager.siteID) }
            guard !output.json else { return try StandardOutput.write(json: sites) }
            try StandardOutput.write(sites.map(\.line).joined())
        }
    }
}

/// `sites use`
struct UseSite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Chooses the store that commands work with.")

    @Argument(
        help: "The number of the site, its address, or its host.",
        completion: .custom { _, _, _ in SiteList.completions() })
    var site: String
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let (manager, list) = try await SiteList.load(configurationOptions, data)
            let chosen = try choose(among: list)
            do throws(SessionError) { try manager.updateDefaultStore(chosen.site) } catch {
                throw CommandFailure(error)
            }
            let view = SiteView(chosen, selected: chosen.site.id)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.line)
        }
    }

    private func choose(among list: [StoreSite]) throws(CommandFailure) -> StoreSite {
        let found = list.filter { $0.answers(to: site) }
        guard let chosen = found.first else {
            throw CommandFailure(
                .usage, code: "unknown_site", message: "there is no site '\(site)'",
                fix: .choice(of: site, among: list.map { String($0.site.id) }, called: "the sites are"))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .usage, code: "several_sites", message: "'\(site)' are several sites", fix: "give the number of one")
        }
        guard chosen.hasWooCommerce else {
            throw CommandFailure(
                .configuration, code: "no_woocommerce", message: "\(chosen.site.name) has no WooCommerce",
                fix: "install and activate the plug-in there, or choose another site")
        }
        return chosen
    }
}

/// The sites of whoever is signed in, as they are now.
enum SiteList {
    /// The hosts of the sites that are kept here, for a shell.
    static func completions() -> [String] {
        guard let path = DatabaseOptions.defaultPath(), FileManager.default.fileExists(atPath: path),
            let sites = try? SQLiteStorageManager(path: path).read({ try $0.models(Site.self) })
        else { return [] }
        return sites.compactMap { try? WebAddress($0.url).origin.host }
    }

    /// - Throws: `CommandFailure`
    static func load(
        _ configuration: ConfigurationOptions, _ data: DatabaseOptions
    ) async throws(CommandFailure) -> (StoresManager, [StoreSite]) {
        let composition = try ShopDoor(data: data, settings: try configuration.load()).composition()
        let manager = try composition.stores()
        let selected = manager.siteID
        let list: SynchronizedSites = try await manager.value {
            AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0)
        }
        for failure in list.rejected { StandardError.write("cardpresent: a site cannot be read: \(failure)\n") }
        return (manager, list.sites.map { StoreSite(site: $0) })
    }
}

extension StoreSite {
    /// Whether somebody who types this means the site.
    fileprivate func answers(to text: String) -> Bool {
        let address = try? WebAddress(site.url)
        return String(site.id) == text || site.url == text || address?.withoutQuery == text
            || address?.withoutQuery == text + "/" || address?.origin.host == text.lowercased()
    }
}
