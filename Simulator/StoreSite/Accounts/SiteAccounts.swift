import Determinism
import Text

/// The users of a site and their credentials.
struct SiteAccounts: Sendable {
    private(set) var user: SiteUser
    private(set) var passwords: [IssuedPassword]
    /// For other programs, see ``ConsumerKeyring``.
    var keyring: ConsumerKeyring
    private var sessions: [SignedInSession] = []

    init(user: SiteUser, passwords: [IssuedPassword], keys: [ConsumerKey] = []) {
        (self.user, self.passwords, keyring) = (user, passwords, ConsumerKeyring(keys))
    }

    /// Returns the user of a request; nil without credentials.
    ///
    /// - Throws: the error of WordPress for wrong credentials.
    mutating func user(of request: SiteRequest, at now: Timestamp) throws(SiteError) -> SiteUser? {
        if let header = request.header("authorization") { return try user(authorization: header, at: now) }
        guard let session = session(of: request) else { return nil }
        // Without a nonce the request may come from another site's page, so WordPress treats it as anonymous.
        guard let nonce = request.header("x-wp-nonce") else { return nil }
        guard nonce == session.nonce else {
            throw SiteError(403, "rest_cookie_invalid_nonce", "Cookie check failed")
        }
        return user
    }

    private mutating func user(authorization header: String, at now: Timestamp) throws(SiteError) -> SiteUser? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64Text.decoded(parts[1]) else {
            return nil
        }
        let pair = String(decoding: bytes, as: UTF8.self)
        let name = pair.prefix { $0 != ":" }
        // A consumer key is not a user. Without TLS it counts for nothing.
        guard !name.hasPrefix("ck_") else { return nil }
        guard name == user.username || name == user.email else {
            throw SiteError(
                401, "invalid_username", "Error: Unknown username. Check again or try your email address.")
        }
        let given = pair.dropFirst(name.count + 1)
        guard let index = passwords.firstIndex(where: { $0.password.matchesApplicationPassword(given) }) else {
            throw SiteError(
                401, "incorrect_password", "The provided password is an invalid application password.")
        }
        passwords[index].lastUsed = now
        return user
    }

    func session(of request: SiteRequest) -> SignedInSession? {
        guard let header = request.header("cookie") else { return nil }
        for cookie in header.split(separator: ";") {
            let pair = cookie.drop { $0 == " " }
            guard pair.hasPrefix("wordpress_logged_in_") else { continue }
            let value = pair.drop { $0 != "=" }.dropFirst()
            if let session = sessions.first(where: { $0.cookie == value }) { return session }
        }
        return nil
    }

    mutating func signIn(_ name: String, _ password: String, generator: SeededGenerator) -> SignedInSession? {
        guard name == user.username || name == user.email, user.password.matches(password) else { return nil }
        let session = SignedInSession(
            cookie: "\(user.username)%7C\(generator.hexadecimal(40))", nonce: generator.hexadecimal(10))
        sessions.append(session)
        return session
    }

    /// Replaces the owner's password, which is an application password, too, unless that was revoked.
    mutating func replacePassword(_ old: SitePassword, by new: SitePassword) {
        user.password = new
        for index in passwords.indices where passwords[index].password == old { passwords[index].password = new }
    }

    mutating func issue(_ password: IssuedPassword) { passwords.append(password) }

    /// - Returns: the revoked password.
    mutating func revoke(_ uuid: String) -> IssuedPassword? {
        guard let index = passwords.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return passwords.remove(at: index)
    }

    mutating func revokeAll() -> Int {
        defer { passwords = [] }
        return passwords.count
    }
}

/// The owner of the store.
struct SiteUser: Sendable {
    var id: Int64 = 1
    var username: String
    var email: String
    var firstName = "Robin"
    var lastName = "Keeper"
    var password: SitePassword
    var registered: Timestamp

    var displayName: String { "\(firstName) \(lastName)" }
}

/// A signed-in browser session.
struct SignedInSession: Hashable, Sendable {
    var cookie: String
    /// The nonce that scripts must send with the cookie.
    var nonce: String
}

/// An application password issued by a site.
struct IssuedPassword: Sendable {
    var uuid, applicationID, name: String
    var password: SitePassword
    var created: Timestamp
    var lastUsed: Timestamp?

    /// The JSON members, without the password.
    func members(_ site: StoreIdentity) -> [JSONValue.Member] {
        [
            .init(name: "uuid", value: .text(uuid)), .init(name: "app_id", value: .text(applicationID)),
            .init(name: "name", value: .text(name)), .init(name: "created", value: .text(WordPressDate.text(created))),
            .init(name: "last_used", value: .optional(lastUsed.map { WordPressDate.text($0) })),
            .init(name: "last_ip", value: lastUsed == nil ? .null : "127.0.0.1"),
            .init(
                name: "_links",
                value: site.links(
                    "wp/v2/users/1/application-passwords/\(uuid)", collection: "wp/v2/users/1/application-passwords")),
        ]
    }
}

/// `users/me/application-passwords` of wp/v2, which belong to the account, not to the store.
enum ApplicationPasswordEndpoints {
    private static let noSuchPassword = SiteError(
        404, "rest_application_password_not_found", "Application password not found.")

    /// Answers a request; `rest` is the path after `application-passwords`.
    static func answer(
        _ rest: [Substring], _ accounts: inout SiteAccounts, _ site: StoreIdentity, _ call: Call,
        _ generator: SeededGenerator
    ) throws(SiteError) -> Reply {
        switch (call.method, rest.count) {
        case ("GET", 0): return Reply(.list(accounts.passwords.map { .object($0.members(site)) }))
        case ("POST", 0): return try issue(&accounts, site, call, generator)
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
        _ accounts: inout SiteAccounts, _ site: StoreIdentity, _ call: Call, _ generator: SeededGenerator
    ) throws(SiteError) -> Reply {
        guard let name = call.parameters.text("name"), name.contains(where: { !$0.isWhitespace }) else {
            throw .missingParameter("name")
        }
        guard !accounts.passwords.contains(where: { $0.name == name }) else {
            throw SiteError(
                409, "application_password_duplicate_name",
                "Each application name should be unique.")
        }
        let letters = Array(generator.letters(24))
        let shown = stride(from: 0, to: 24, by: 4).map { String(letters[$0..<($0 + 4)]) }.joined(separator: " ")
        let password = IssuedPassword(
            uuid: generator.uuid(), applicationID: call.parameters.text("app_id") ?? "", name: name,
            password: SitePassword(shown), created: call.now)
        accounts.issue(password)
        var members = password.members(site)
        members.insert(.init(name: "password", value: .text(shown)), at: 3)
        return Reply(.object(members), status: 201)
    }
}
