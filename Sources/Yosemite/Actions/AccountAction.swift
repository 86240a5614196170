/// What ``AccountStore`` does. Every completion is called exactly once.
public enum AccountAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// The account as it is kept here.
    case loadAccount(userID: Int64, onCompletion: Completion<Account>)
    /// A site as it is kept here; asked for when it is not, or when `forcedUpdate` says so.
    case loadAndSynchronizeSite(siteID: Int64, forcedUpdate: Bool, onCompletion: Completion<Site>)
    /// Fetches and keeps the account that is signed in.
    case synchronizeAccount(onCompletion: Completion<Account>)
    /// Fetches and keeps the settings of the account that is signed in.
    case synchronizeAccountSettings(userID: Int64, onCompletion: Completion<AccountSettings>)
    /// Fetches and keeps the sites of whoever is signed in. Those that are no longer listed are forgotten, all but the
    /// selected one.
    case synchronizeSites(selectedSiteID: Int64?, onCompletion: Completion<SynchronizedSites>)
    /// The same, and then the site with exactly this address.
    case synchronizeSitesAndReturnSelectedSiteInfo(siteAddress: String, onCompletion: Completion<Site>)
    /// Fetches what the owner of a site pays for, and keeps it with the site.
    case synchronizeSitePlan(siteID: Int64, onCompletion: Completion<Site>)
    /// Changes whether the user is measured, at WordPress.com and here.
    case updateAccountSettings(userID: Int64, tracksOptOut: Bool, onCompletion: Completion<AccountSettings>)
    /// Closes the account at WordPress.com for good. The session ends with the next request that is refused.
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
