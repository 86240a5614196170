internal import Synchronization

/// Keeps the credentials of the session, in memory only.
public final class SessionManager: Sendable {
    private let stored: Mutex<SessionCredentials?>

    public init(credentials: SessionCredentials? = nil) { stored = Mutex(credentials) }

    /// Who is signed in; nil when nobody is.
    public var credentials: SessionCredentials? { stored.withLock { $0 } }

    func save(_ credentials: SessionCredentials) { stored.withLock { $0 = credentials } }

    func clear() { stored.withLock { $0 = nil } }
}
