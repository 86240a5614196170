/// What a simulation begins with.
struct World: Sendable {
    var user: SiteUser
    var account: DotcomAccount
    var stores: [Store]
    var accounts: [SiteAccounts]
}
