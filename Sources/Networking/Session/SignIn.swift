/// Who is signed in and where: all that a session needs to begin again.
public struct SignIn: Hashable, Sendable {
    public let credentials: Credentials
    /// What is asked as WordPress.com. A token that something else gave must reach nobody but that.
    public let dotcom: WebAddress
    /// The store that is worked with, nil until one is chosen.
    public var siteID: Int64?

    public init(credentials: Credentials, dotcom: WebAddress = .wordPressDotcom, siteID: Int64? = nil) {
        (self.credentials, self.dotcom, self.siteID) = (credentials, dotcom, siteID)
    }

    /// Whether both are the same user of the same site or account, with whatever password.
    public func isSameUser(as other: SignIn) -> Bool {
        credentials.username == other.credentials.username && dotcom == other.dotcom
            && credentials.directSite == other.credentials.directSite
    }
}

extension SignIn: CustomStringConvertible {
    public var description: String { "\(credentials.username) at \(credentials.directSite ?? dotcom)" }
}
