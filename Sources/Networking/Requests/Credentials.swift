/// Who asks. Secrets have no textual form.
public enum Credentials: Hashable, Sendable {
    /// A WordPress.com account: sites are reached through the tunnel.
    case wordPressDotcom(username: String, token: Secret, site: WebAddress?)
    /// A user of a site, with the password of the account: it is traded for an application password.
    case site(username: String, password: Secret, site: WebAddress)
    /// A user of a site, with a password made for a program.
    case applicationPassword(ApplicationPassword, site: WebAddress)

    public var username: String {
        switch self {
        case .wordPressDotcom(let username, _, _), .site(let username, _, _): username
        case .applicationPassword(let password, _): password.username
        }
    }

    /// The site that is asked directly, nil when WordPress.com is asked.
    public var directSite: WebAddress? {
        switch self {
        case .wordPressDotcom: nil
        case .site(_, _, let site), .applicationPassword(_, let site): site
        }
    }
}

/// A password that a site made for a program (WordPress 5.6). It can be taken back without changing the user's own.
public struct ApplicationPassword: Hashable, Sendable {
    public let username: String
    public let password: Secret
    /// By which the site knows it, nil when somebody typed it in.
    public let uuid: String?

    public init(username: String, password: Secret, uuid: String? = nil) {
        (self.username, self.password, self.uuid) = (username, password, uuid)
    }

    /// The value of an `Authorization` header (RFC 7617).
    var authorization: Secret {
        Secret("Basic " + Base64.encode(Array("\(username):\(password.revealed())".utf8)))
    }
}
