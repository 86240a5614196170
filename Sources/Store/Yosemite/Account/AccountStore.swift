import Concurrency
public import Networking
import Storage

/// The actions of ``AccountStore``. Every completion is called exactly once.
public enum AccountAction: Action {
    /// Loads the stored account.
    case loadAccount(userID: Int64, onCompletion: Completion<Account>)
    /// Loads a stored site, and fetches it when it is not stored or `forcedUpdate` is true.
    case loadAndSynchronizeSite(siteID: Int64, forcedUpdate: Bool, onCompletion: Completion<Site>)
    /// Fetches and stores the signed-in account.
    case synchronizeAccount(onCompletion: Completion<Account>)
    /// Fetches and stores the settings of the signed-in account.
    case synchronizeAccountSettings(userID: Int64, onCompletion: Completion<AccountSettings>)
    /// Fetches and stores the sites of the signed-in user. Stored sites that are no longer listed are deleted, except
    /// the selected one.
    case synchronizeSites(selectedSiteID: Int64?, onCompletion: Completion<SynchronizedSites>)
    /// Synchronizes the sites, and returns the site with exactly this address.
    case synchronizeSitesAndReturnSelectedSiteInfo(siteAddress: String, onCompletion: Completion<Site>)
    /// Fetches a site's WordPress.com plan, and stores it with the site.
    case synchronizeSitePlan(siteID: Int64, onCompletion: Completion<Site>)
    /// Sets whether WordPress.com tracks the user, at WordPress.com and here.
    case updateAccountSettings(userID: Int64, tracksOptOut: Bool, onCompletion: Completion<AccountSettings>)
    /// Closes the WordPress.com account for good. The session ends with the next refused request.
    case closeAccount(onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .loadAccount(let userID, _), .synchronizeAccountSettings(let userID, _),
            .updateAccountSettings(let userID, _, _):
            ["user": String(userID)]
        case .loadAndSynchronizeSite(let siteID, _, _), .synchronizeSitePlan(let siteID, _): ["site": String(siteID)]
        case .synchronizeSites(let siteID, _): ["selected": siteID.map(String.init) ?? "none"]
        case .synchronizeAccount, .synchronizeSitesAndReturnSelectedSiteInfo, .closeAccount: [:]
        }
    }
}

/// The signed-in account and its sites.
///
/// Without WordPress.com there is no account, and only the site of the sign-in.
public final class AccountStore: Store {
    private let context: StoreContext
    private let remote: AccountRemote

    /// Handles the account actions of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, AccountRemote(context.sender)) }

    public func onAction(_ action: AccountAction) {
        switch action {
        case .loadAccount(let userID, let onCompletion):
            context.read(onCompletion) { storage in
                guard let account = try storage.model(Account.self, matching: { $0.id == userID }) else {
                    throw StoreError.notFound(entity: "account", id: String(userID))
                }
                return account
            }
        case .loadAndSynchronizeSite(let siteID, let forcedUpdate, let onCompletion):
            loadSite(siteID, isForced: forcedUpdate, onCompletion)
        case .synchronizeAccount(let onCompletion):
            context.synchronize(
                CommandKey("account"), { [remote] () async throws(NetworkError) in try await remote.loadAccount() },
                save: Self.save, onCompletion)
        case .synchronizeAccountSettings(let userID, let onCompletion):
            context.synchronize(
                CommandKey("account.settings", String(userID)),
                { [remote] () async throws(NetworkError) in try await remote.loadAccountSettings(userID: userID) },
                save: Self.save, onCompletion)
        case .synchronizeSites(let siteID, let onCompletion):
            context.run(synchronizedSites(keeping: siteID), onCompletion)
        case .synchronizeSitesAndReturnSelectedSiteInfo(let address, let onCompletion):
            context.run(
                synchronizedSites(keeping: nil).map { list throws(StoreError) in
                    guard let site = list.sites.first(where: { $0.url == address }) else {
                        throw .notFound(entity: "site", id: address)
                    }
                    return site
                }.keyed(CommandKey("account.site", address)), onCompletion)
        case .synchronizeSitePlan(let siteID, let onCompletion):
            context.synchronize(
                CommandKey("account.plan", String(siteID)),
                { [remote] () async throws(NetworkError) in try await remote.loadSitePlan(siteID: siteID).plan },
                save: { plan, storage in
                    let site = try Self.site(siteID, in: storage).copy(plan: plan)
                    try storage.save(site)
                    return site
                }, onCompletion)
        case .updateAccountSettings(let userID, let tracksOptOut, let onCompletion):
            context.synchronize(
                nil,
                { [remote] () async throws(NetworkError) in
                    try await remote.updateAccountSettings(userID: userID, tracksOptOut: tracksOptOut)
                }, save: Self.save, onCompletion)
        case .closeAccount(let onCompletion):
            context.run(
                HTTPCommand { [remote] () async throws(NetworkError) in try await remote.closeAccount() }, onCompletion)
        }
    }

    // MARK: Sites

    private func loadSite(_ siteID: Int64, isForced: Bool, _ onCompletion: @escaping AccountAction.Completion<Site>) {
        if !isForced {
            let kept = Result { try context.storage.read { try $0.model(Site.self, matching: { $0.id == siteID }) } }
            switch kept.mapError({ StoreError($0, path: context.storage.path) }) {
            case .success(let site?): return onCompletion(.success(site))
            case .failure(let error): return onCompletion(.failure(error))
            case .success(.none): break
            }
        }
        context.run(
            synchronizedSites(keeping: siteID).map { list throws(StoreError) in
                guard let site = list.sites.first(where: { $0.id == siteID }) else {
                    throw .notFound(entity: "site", id: String(siteID))
                }
                return site
            }.keyed(CommandKey("account.site", String(siteID))), onCompletion)
    }

    /// Fetches and stores the sites. Sites that are no longer listed are deleted, unless some could not be decoded.
    private func synchronizedSites(keeping siteID: Int64?) -> any Command<SynchronizedSites, StoreError> {
        let (directory, storage) = (
            SiteDirectory(context.sender, directSite: context.directSite), context.storage
        )
        return HTTPCommand(key: CommandKey("account.sites", siteID.map(String.init) ?? "")) {
            () async throws(NetworkError) in try await directory.sites()
        }.then { list in
            StoreCommand(in: storage) { storage in
                try storage.save(list.elements)
                if list.rejected.isEmpty {
                    let listed = Set(list.elements.map(\.id)).union(siteID.map { [$0] } ?? [])
                    for site in try storage.models(Site.self) where !listed.contains(site.id) {
                        try storage.delete(Site.self, matching: { $0.id == site.id })
                    }
                }
                return SynchronizedSites(sites: list.elements, rejected: list.rejected)
            }
        }
    }

    private static func site(_ siteID: Int64, in storage: any StorageType) throws -> Site {
        guard let site = try storage.model(Site.self, matching: { $0.id == siteID }) else {
            throw StoreError.notFound(entity: "site", id: String(siteID))
        }
        return site
    }

    // MARK: Answers

    private static func save<Model: ReadOnlyType>(_ model: Model, _ storage: any StorageType) throws -> Model {
        try storage.save(model)
        return model
    }
}
