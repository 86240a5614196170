import Text

/// The credentials of a user. Secrets have no textual form.
public enum Credentials: Hashable, Sendable {
    /// A WordPress.com account; its sites are reached through the tunnel.
    case wordPressDotcom(username: String, token: Secret, site: WebAddress?)
    /// A user of a site with the account password, which is exchanged for an application password.
    case site(username: String, password: Secret, site: WebAddress)
    /// A user of a site with an application password.
    case applicationPassword(ApplicationPassword, site: WebAddress)

    public var username: String {
        switch self {
        case .wordPressDotcom(let username, _, _), .site(let username, _, _): username
        case .applicationPassword(let password, _): password.username
        }
    }

    /// The site that receives requests directly; nil for WordPress.com.
    public var directSite: WebAddress? {
        switch self {
        case .wordPressDotcom: nil
        case .site(_, _, let site), .applicationPassword(_, let site): site
        }
    }
}

/// An application password (WordPress 5.6). It can be revoked without changing the user's own password.
public struct ApplicationPassword: Hashable, Sendable {
    public let username: String
    public let password: Secret
    /// The site's ID of the password; nil when the user entered it.
    public let uuid: String?

    /// Takes the password as WordPress shows it once, spaces included. `uuid` is nil for one that the user typed.
    public init(username: String, password: Secret, uuid: String? = nil) {
        (self.username, self.password, self.uuid) = (username, password, uuid)
    }

    /// The value of an `Authorization` header (RFC 7617).
    var authorization: Secret {
        Secret("Basic " + Array("\(username):\(password.revealed())".utf8).base64)
    }
}

/// The user and the site of a session: everything needed to resume it.
public struct SignIn: Hashable, Sendable {
    public let credentials: Credentials
    /// The server that acts as WordPress.com. Tokens are sent only to the server that issued them.
    public let dotcom: WebAddress
    /// The selected store; nil until one is chosen.
    public var siteID: Int64?

    /// Takes what signing in found. `siteID` is nil until the user has selected a site of the account.
    public init(credentials: Credentials, dotcom: WebAddress = .wordPressDotcom, siteID: Int64? = nil) {
        (self.credentials, self.dotcom, self.siteID) = (credentials, dotcom, siteID)
    }

    /// Returns whether both belong to the same user of the same site or account, ignoring passwords.
    public func isSameUser(as other: SignIn) -> Bool {
        credentials.username == other.credentials.username && dotcom == other.dotcom
            && credentials.directSite == other.credentials.directSite
    }
}

extension SignIn: CustomStringConvertible {
    public var description: String { "\(credentials.username) at \(credentials.directSite ?? dotcom)" }
}

extension WebAddress {
    /// The ID of a site that is reached directly; WordPress.com assigns IDs only to the sites that it knows.
    ///
    /// The ID is a hash of host, port and path, so it stays the same when a site changes from http to https. It lies
    /// between 2^52 and 2^53: far above the IDs of WordPress.com, and exact in every JSON reader.
    public var directSiteID: Int64 {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        // FNV-1a.
        let hash = "\(origin.host)\(port)\(folder)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let bits = (hash ^ hash >> 52) & (1 << 52 - 1)
        return Int64(1 << 52 | bits)
    }
}
