import CardSecrets
import Cryptography
import Determinism
import HostSecurity
import ISO8583
import Synchronization
import Text

/// The keys of the acquirer: those of its key file, and those that it gave to terminals, which end with the process.
final class AcquirerKeys: Sendable {
    /// The keys that one terminal has.
    private struct Session {
        var keys: [String: HostKey] = [:]
        /// The keys before, until the terminal uses the new ones: the answer with them may have been lost.
        var previous: [String: HostKey] = [:]
    }

    let authenticator: MessageAuthenticator?
    private let profile: MessageProfile
    private let file: HostKeys?
    private let field: SessionKeyField?
    private let sessions = Mutex<[String: Session]>([:])

    /// The most terminals that have keys.
    private static let mostTerminals = 10_000

    /// - Throws: `KeyObstacle` when they are not those that the profile needs.
    init(_ profile: MessageProfile, _ keys: HostKeys?) throws(KeyObstacle) {
        if let obstacle = profile.keyObstacle(keys, at: .acquirer) { throw obstacle }
        (self.profile, file) = (profile, keys)
        authenticator = profile.security.mac.map { MessageAuthenticator($0) }
        field = keys.flatMap { SessionKeyField(profile, $0) }
    }

    /// The keys of a name that a terminal may use: that of the last exchange, that before, or that of the file.
    func keys(_ name: String, terminal: String) -> [HostKey] {
        let session = sessions.withLock { $0[terminal] }
        let given = [session?.keys[name], session?.previous[name]].compactMap(\.self)
        return given.isEmpty ? [file?[name]].compactMap(\.self) : given
    }

    /// Forgets the keys before those that a terminal used.
    func note(use key: HostKey, terminal: String) {
        sessions.withLock { sessions in
            guard let session = sessions[terminal], session.keys[key.name] === key else { return }
            sessions[terminal]?.previous = [:]
        }
    }

    /// Makes new keys for a terminal.
    ///
    /// - Returns: the field of the answer and its value; nil when no keys are exchanged.
    func exchange(terminal: String, _ random: any RandomSource) async -> (field: Int, value: [UInt8])? {
        guard let field, let made = try? await field.make(random) else { return nil }
        sessions.withLock { sessions in
            if sessions.count >= Self.mostTerminals, sessions[terminal] == nil { sessions = [:] }
            let before = sessions[terminal]
            let keys = Dictionary(made.keys.map { ($0.name, $0) }) { first, _ in first }
            sessions[terminal] = Session(keys: keys, previous: before?.keys ?? [:])
        }
        return (field.number, made.value)
    }

    // MARK: MACs

    /// The key and the maker of the MAC of an answer.
    struct Seal: Sendable {
        let authenticator: MessageAuthenticator
        let key: HostKey
    }

    /// What the MAC of a message says.
    struct Check: Sendable {
        /// The MAC of the answer; nil without one.
        var seal: Seal?
        /// Why the message is not carried out.
        var refusal: AcquirerRefusal?
    }

    /// Checks the MAC of a message.
    func check(_ message: DecodedMessage, _ body: [UInt8], _ kind: MessageKind?, terminal: String) async -> Check {
        guard let authenticator, let kind, authenticator.rule.messages.contains(kind) else { return Check() }
        let keys = keys(authenticator.rule.key, terminal: terminal)
        guard let first = keys.first else { return Check(refusal: .noMACKey) }
        if authenticator.rule.scheme != .masterSession {
            return await check(message, body, authenticator, derivingFrom: first)
        }
        var found = MessageAuthenticator.Finding.wrong
        for key in keys {
            found = await authenticator.check(message, in: body, with: key)
            guard found != .right else {
                note(use: key, terminal: terminal)
                return Check(seal: Seal(authenticator: authenticator, key: key))
            }
        }
        return Check(
            seal: Seal(authenticator: authenticator, key: first), refusal: found == .missing ? .noMAC : .wrongMAC)
    }

    /// Checks a MAC under DUKPT: the message has the key serial number from which the keys of its MAC and of its
    /// answer's follow.
    private func check(
        _ message: DecodedMessage, _ body: [UInt8], _ authenticator: MessageAuthenticator, derivingFrom base: HostKey
    ) async -> Check {
        guard let field = profile.security.macKeySerialNumberField,
            let value = message.message.withBytes(of: field, { [UInt8]($0) })
        else { return Check(refusal: .noKeySerialNumber) }
        let isBinary = profile.table[field]?.attribute == .b
        let bytes = isBinary ? value : [UInt8](hexadecimal: String(decoding: value, as: UTF8.self)) ?? []
        guard bytes.count == authenticator.rule.scheme.keySerialNumberLength,
            let number = try? DUKPTKeySerialNumber(bytes),
            let keys = try? DerivedMACKeys(authenticator.rule, from: base, number)
        else { return Check(refusal: .noKeySerialNumber) }
        let found = await authenticator.check(message, in: body, with: keys.request)
        let seal = Seal(authenticator: authenticator, key: keys.answer)
        switch found {
        case .right: return Check(seal: seal)
        case .missing: return Check(seal: seal, refusal: .noMAC)
        case .wrong: return Check(seal: seal, refusal: .wrongMAC)
        }
    }
}
