internal import Determinism

/// `users/me/application-passwords` of wp/v2: they belong to the account, not to the store.
enum ApplicationPasswordEndpoints {
    private static let noSuchPassword = SiteError(
        404, "rest_application_password_not_found", "Application password not found.")

    /// `rest`: what follows `application-passwords` in the path.
    static func answer(
        _ rest: [Substring], _ accounts: inout SiteAccounts, _ site: StoreIdentity, _ call: Call, _ chance: Chance
    ) throws(SiteError) -> Reply {
        switch (call.method, rest.count) {
        case ("GET", 0): return Reply(.list(accounts.passwords.map { .object($0.members(site)) }))
        case ("POST", 0): return try issue(&accounts, site, call, chance)
        case ("DELETE", 0): return Reply(["deleted": true, "count": .integer(accounts.revokeAll())])
        case ("GET", 1):
            guard let password = accounts.passwords.first(where: { $0.uuid == rest[0] }) else { throw noSuchPassword }
            return Reply(.object(password.members(site)))
        case ("DELETE", 1):
            guard let password = accounts.revoke(String(rest[0])) else { throw noSuchPassword }
            return Reply(["deleted": true, "previous": .object(password.members(site))])
        default: throw .noRoute
        }
    }

    private static func issue(
        _ accounts: inout SiteAccounts, _ site: StoreIdentity, _ call: Call, _ chance: Chance
    ) throws(SiteError) -> Reply {
        guard let name = call.parameters.text("name"), name.contains(where: { !$0.isWhitespace }) else {
            throw .missingParameter("name")
        }
        guard !accounts.passwords.contains(where: { $0.name == name }) else {
            throw SiteError(
                409, "application_password_duplicate_name",
                "Each application name should be unique.")
        }
        let letters = Array(chance.letters(24))
        let shown = stride(from: 0, to: 24, by: 4).map { String(letters[$0..<($0 + 4)]) }.joined(separator: " ")
        let password = IssuedPassword(
            uuid: chance.uuid(), applicationID: call.parameters.text("app_id") ?? "", name: name,
            password: SitePassword(shown), created: call.now)
        accounts.issue(password)
        var members = password.members(site)
        members.insert(.init(name: "password", value: .text(shown)), at: 3)
        return Reply(.object(members), status: 201)
    }
}
