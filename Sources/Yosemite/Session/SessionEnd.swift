public import Networking

/// How a session ended.
public enum SessionEnd: Hashable, Sendable {
    /// Somebody asked for it.
    case signedOut
    /// The site or WordPress.com no longer takes the credentials, and new ones could not be had.
    case refused(ServiceError)
}
