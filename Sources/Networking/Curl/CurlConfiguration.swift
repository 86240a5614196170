/// How a ``CurlNetwork`` connects.
public struct CurlConfiguration: Hashable, Sendable {
    /// A file of authorities (PEM) that are trusted instead of the machine's own, for a site with a private one.
    public var authorities: String?
    /// How long the connection alone may take to come about.
    public var connectTimeout: Duration
    /// The most connections to one host at a time; more requests wait.
    public var connectionsPerHost: Int

    public init(authorities: String? = nil, connectTimeout: Duration = .seconds(10), connectionsPerHost: Int = 8) {
        (self.authorities, self.connectTimeout) = (authorities, connectTimeout)
        self.connectionsPerHost = connectionsPerHost
    }
}
