internal import Determinism

/// Who may use a site, and how they prove it.
struct SiteAccounts: Sendable {
    let user: SiteUser
    private(set) var passwords: [IssuedPassword]
    private var sessions: [SignedInSession] = []

    init(user: SiteUser, passwords: [IssuedPassword]) { (self.user, self.passwords) = (user, passwords) }

    /// Whose request it is; nil when it carries no credentials.
    ///
    /// - Throws: as WordPress refuses wrong ones.
    mutating func user(of request: SiteRequest, at now: Timestamp) throws(SiteError) -> SiteUser? {
        if let header = request.header("authorization") { return try user(authorization: header, at: now) }
        guard let session = session(of: request) else { return nil }
        // Without a nonce the request may come from another site's page: WordPress takes it for a stranger's.
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

    mutating func signIn(_ name: String, _ password: String, chance: Chance) -> SignedInSession? {
        guard name == user.username || name == user.email, user.password.matches(password) else { return nil }
        let session = SignedInSession(
            cookie: "\(user.username)%7C\(chance.hexadecimal(40))", nonce: chance.hexadecimal(10))
        sessions.append(session)
        return session
    }

    mutating func issue(_ password: IssuedPassword) { passwords.append(password) }

    /// - Returns: the password that is no more.
    mutating func revoke(_ uuid: String) -> IssuedPassword? {
        guard let index = passwords.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return passwords.remove(at: index)
    }

    mutating func revokeAll() -> Int {
        defer { passwords = [] }
        return passwords.count
    }
}
