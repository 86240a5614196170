public import Networking

/// The sites that WordPress.com, or a site itself, has listed.
public struct SynchronizedSites: Hashable, Sendable {
    public let sites: [Site]
    /// Those that could not be read. What is kept of sites is not forgotten then.
    public let rejected: [DecodingFailure]

    /// Whether there are sites that only a part of Jetpack connects.
    public var hasSitesConnectedByPartOnly: Bool { sites.contains(where: \.isConnectedByPartOnly) }
}
