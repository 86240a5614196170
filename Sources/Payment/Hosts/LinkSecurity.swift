import Cryptography
public import HostSecurity
public import ISO8583
import Synchronization
import Text

/// The keys of a link, and the MACs of its messages. Keys that the host sends are in memory only, and end with it.
public final class LinkSecurity: Sendable {
    private struct State {
        /// The keys of the last exchange, by name.
        var session: [String: HostKey] = [:]
        /// Whether the host wants new keys, or answered with another one.
        var isStale = false
    }

    /// What makes the MAC of a request, and checks that of its answer.
    struct Seal: Sendable {
        let authenticator: MessageAuthenticator
        let key: HostKey
        /// The key of the answer: another one under DUKPT only.
        let answerKey: HostKey
    }

    private let authenticator: MessageAuthenticator?
    let field: SessionKeyField?
    private let profile: MessageProfile
    private let keys: HostKeys
    private let state = Mutex(State())

    /// - Parameters:
    ///   - profile: the dialect of the host.
    ///   - keys: the keys of a key file or a token.
    /// - Throws: `KeyObstacle` when they are not those that the profile needs.
    public init(_ profile: MessageProfile, keys: HostKeys) throws(KeyObstacle) {
        if let obstacle = profile.keyObstacle(keys) { throw obstacle }
        (self.profile, self.keys) = (profile, keys)
        authenticator = profile.security.mac.map { MessageAuthenticator($0) }
        field = SessionKeyField(profile, keys)
    }

    /// Returns the key of a name: that of the last exchange, or else that of the file.
    func key(_ name: String) -> HostKey? { state.withLock { $0.session[name] } ?? keys[name] }

    /// Returns the keys and the maker of the MACs of a request and its answer; nil without MACs, or before there is a
    /// key. Under DUKPT the request gets the next key serial number, unless it has one with its PIN block.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func seal(_ request: inout ISOMessage) async throws(HostFailure) -> Seal? {
        guard let authenticator, let key = key(authenticator.rule.key) else { return nil }
        let rule = authenticator.rule
        guard rule.scheme != .masterSession else {
            return Seal(authenticator: authenticator, key: key, answerKey: key)
        }
        guard let first = key.keySerialNumber, let field = profile.security.macKeySerialNumberField else {
            throw .notSent(.mac("the profile or the key file has no key serial number"))
        }
        let number: DUKPTKeySerialNumber
        if let given = request.withBytes(of: field, { [UInt8]($0) }) {
            guard let known = Self.number(given, isBinary: isBinary(field)),
                known.with(counter: 0) == first.with(counter: 0)
            else { throw .notSent(.mac("field \(field) has the key serial number of another key")) }
            number = known
        } else {
            number = try await next(after: first)
            if isBinary(field) {
                request.set(field, bytes: number.bytes)
            } else {
                request.set(field, number.bytes.hexadecimal)
            }
        }
        do throws(DerivedKeyError) {
            let keys = try DerivedMACKeys(rule, from: key, number)
            return Seal(authenticator: authenticator, key: keys.request, answerKey: keys.answer)
        } catch { throw .notSent(.mac("\(error)")) }
    }

    private func isBinary(_ field: Int) -> Bool { profile.table[field]?.attribute == .b }

    private static func number(_ value: [UInt8], isBinary: Bool) -> DUKPTKeySerialNumber? {
        let bytes = isBinary ? value : [UInt8](hexadecimal: String(decoding: value, as: UTF8.self))
        return bytes.flatMap { try? DUKPTKeySerialNumber($0) }
    }

    /// Takes the next key serial number of an initial key.
    private func next(after first: DUKPTKeySerialNumber) async throws(HostFailure) -> DUKPTKeySerialNumber {
        do throws(KeySerialNumberError) {
            guard let store = keys.serialNumbers else { throw KeySerialNumberError.noPlace }
            return try await store.next(after: first)
        } catch { throw .notSent(.mac("\(error)")) }
    }

    /// Returns the key for the next PIN; nil when the profile or the key file has none.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func pinKey() async throws(HostFailure) -> PINKey? {
        guard let rule = profile.security.pin, let key = key(rule.key) else { return nil }
        guard rule.scheme != .masterSession else { return PINKey(key) }
        guard let first = key.keySerialNumber else { return nil }
        let number = try await next(after: first)
        do throws(DerivedKeyError) { return try PINKey(from: key, number) } catch { throw .notSent(.pin("\(error)")) }
    }

    /// Whether keys are exchanged: the profile does so, and the master key is there.
    public var exchangesKeys: Bool { field != nil }

    /// Whether PINs go out under a key that terminal and host share, or under keys that are derived from the initial
    /// key of the terminal.
    public var hasPINKey: Bool {
        guard let rule = profile.security.pin else { return false }
        guard rule.scheme == .masterSession else { return keys[rule.key]?.keySerialNumber != nil }
        return field != nil || keys[rule.key] != nil
    }

    /// Whether the key file or the token has every key that an exchange would bring.
    public var hasAllKeys: Bool { profile.sessionKeys.allSatisfy { keys[$0.name] != nil } }

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
