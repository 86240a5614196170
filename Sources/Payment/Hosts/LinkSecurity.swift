public import HostSecurity
public import ISO8583
internal import Synchronization

/// The keys of a link, and the MACs of its messages. Keys that the host sends are in memory only, and end with it.
public final class LinkSecurity: Sendable {
    private struct State {
        /// The keys of the last exchange, by name.
        var session: [String: HostKey] = [:]
        /// Whether the host wants new keys, or answered with another one.
        var isStale = false
    }

    /// What makes and checks the MACs of a request and of its answer.
    struct Seal: Sendable {
        let authenticator: MessageAuthenticator
        let key: HostKey
    }

    private let authenticator: MessageAuthenticator?
    let field: SessionKeyField?
    private let profile: MessageProfile
    private let keys: HostKeys
    private let state = Mutex(State())

    /// - Parameters:
    ///   - profile: the dialect of the host.
    ///   - keys: the keys of a key file.
    /// - Throws: `KeyObstacle` when they are not those that the profile needs.
    public init(_ profile: MessageProfile, keys: HostKeys) throws(KeyObstacle) {
        if let obstacle = profile.keyObstacle(keys) { throw obstacle }
        (self.profile, self.keys) = (profile, keys)
        authenticator = profile.security.mac.map { MessageAuthenticator($0) }
        field = SessionKeyField(profile, keys)
    }

    /// Returns the key of a name: that of the last exchange, or else that of the file.
    func key(_ name: String) -> HostKey? { state.withLock { $0.session[name] } ?? keys[name] }

    /// The key and the maker of MACs; nil without MACs, or before there is a key.
    var seal: Seal? {
        guard let authenticator, let key = key(authenticator.rule.key) else { return nil }
        return Seal(authenticator: authenticator, key: key)
    }

    /// Whether keys are exchanged: the profile does so, and the master key is there.
    public var exchangesKeys: Bool { field != nil }

    /// Whether PINs go out under a key that terminal and host share.
    public var hasPINKey: Bool {
        guard let rule = profile.security.pin, rule.scheme == .masterSession else { return false }
        return field != nil || keys[rule.key] != nil
    }

    /// Whether keys must be exchanged before the next message.
    var needsKeys: Bool {
        field != nil && state.withLock { $0.isStale || $0.session.isEmpty }
    }

    /// Whether keys are exchanged after a sign-on: on a connection that is kept, always; on one for a single request,
    /// only without keys.
    func exchangesOnSignOn(_ connection: ConnectionStyle) -> Bool {
        field != nil && (connection == .kept || needsKeys)
    }

    /// Notes a code of an answer, after which keys are exchanged where the profile says so.
    func note(code: String?) {
        guard let code, profile.results.newKeysOn.contains(code) else { return }
        makeStale()
    }

    func makeStale() { state.withLock { $0.isStale = true } }

    func take(_ keys: [HostKey]) {
        state.withLock { state in
            for key in keys { state.session[key.name] = key }
            state.isStale = false
        }
    }
}
