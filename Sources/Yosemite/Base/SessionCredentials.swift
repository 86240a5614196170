/// Who is signed in to which store. It prints without the token.
public struct SessionCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The store's site.
    public let siteID: Int64
    public let username: String
    /// What proves it to the site.
    public let token: String

    public init(siteID: Int64, username: String, token: String) {
        (self.siteID, self.username, self.token) = (siteID, username, token)
    }

    public var description: String { "\(username) at site \(siteID)" }

    public var customMirror: Mirror { Mirror(self, children: ["siteID": siteID, "username": username]) }
}
