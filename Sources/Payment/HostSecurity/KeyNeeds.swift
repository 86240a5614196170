public import Cryptography
public import ISO8583

/// Why a profile can't be used with the keys that are there.
public enum KeyObstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile has MACs in this message, and there is no key file.
    case noKeys(MessageKind)
    /// The key file lacks a key, and no exchange brings it; the names are those that it has.
    case missing(String, found: [String])
    /// The key has another cipher or length than the profile needs.
    case misfit(String, SecurityRules.MACRule.Algorithm)
    /// MACs under keys of DUKPT.
    case derivedKeys(SecurityRules.KeyScheme)
    /// The exchange has its keys in a form that can't be read.
    case keyForm(MessageForm.KeyExchangeForm.KeyForm)
    /// The master key has another cipher than the form of the exchange.
    case masterKey(String, MessageForm.KeyExchangeForm.KeyForm)

    public var description: String {
        switch self {
        case .noKeys(let kind): "its message '\(kind.rawValue)' has a MAC, and there are no keys"
        case .missing(let name, let found):
            "the key file has no key '\(name)'"
                + (found.isEmpty ? "" : "; it has \(found.joined(separator: ", "))")
        case .misfit(let name, let algorithm): "the key '\(name)' does not fit the MAC '\(algorithm.rawValue)'"
        case .derivedKeys(let scheme): "MACs with the scheme '\(scheme.rawValue)' are not there yet"
        case .keyForm(let form): "key exchanges in the form '\(form.rawValue)' are not there yet"
        case .masterKey(let name, let form): "the key '\(name)' does not fit the key form '\(form.rawValue)'"
        }
    }

    /// The advice.
    public var fix: String {
        switch self {
        case .noKeys: "give a key file: host.keys in the configuration, or --keys"
        case .missing(let name, _): "add '\(name)' to the key file, or correct the name in the profile"
        case .misfit, .masterKey: "correct the key file, or the profile"
        case .derivedKeys: "ask the acquirer for MACs with session keys"
        case .keyForm: "ask the acquirer for another form, or for fixed keys"
        }
    }
}

/// A key that an exchange brings.
public struct SessionKeyNeed: Hashable, Sendable {
    public let name: String
    public let cipher: HostKey.Cipher
}

extension MessageProfile {
    /// The keys of an exchange, in the order in which its field has them: that of the PIN, then that of MACs.
    public var sessionKeys: [SessionKeyNeed] {
        var needs: [SessionKeyNeed] = []
        if let pin = security.pin, pin.scheme == .masterSession {
            needs.append(SessionKeyNeed(name: pin.key, cipher: pin.format == 4 ? .aes : .tripleDES))
        }
        if let mac = security.mac, mac.scheme == .masterSession, !needs.contains(where: { $0.name == mac.key }) {
            let isAES = messages[.keyExchange]?.keyExchange?.form == .aesEcbUnderTMK
            let cipher: HostKey.Cipher =
                switch mac.algorithm {
                case .iso9797Algorithm1, .iso9797Algorithm3: .tripleDES
                case .cmac: isAES ? .aes : .tripleDES
                case .hmacSHA256: .hmac
                }
            needs.append(SessionKeyNeed(name: mac.key, cipher: cipher))
        }
        return needs
    }

    /// Whether keys are exchanged: the profile has the message and keys for it, and the master key is there.
    public func exchangesKeys(_ keys: HostKeys?) -> Bool {
        messages[.keyExchange]?.keyExchange != nil && !sessionKeys.isEmpty && keys?[security.masterKey] != nil
    }

    /// Returns why messages can't have their MACs, or keys can't be exchanged, with these keys; nil when they can.
    public func keyObstacle(_ keys: HostKeys?) -> KeyObstacle? {
        if let mac = security.mac, let first = MessageKind.allCases.first(where: { mac.messages.contains($0) }) {
            guard mac.scheme == .masterSession else { return .derivedKeys(mac.scheme) }
            guard let keys else { return .noKeys(first) }
            if let key = keys[mac.key] {
                guard MessageAuthenticator(mac).accepts(key) else { return .misfit(mac.key, mac.algorithm) }
            } else if !exchangesKeys(keys) {
                let needsMaster = messages[.keyExchange]?.keyExchange != nil && keys[security.masterKey] == nil
                return .missing(needsMaster ? security.masterKey : mac.key, found: keys.names)
            }
        }
        guard exchangesKeys(keys), let form = messages[.keyExchange]?.keyExchange?.form else { return nil }
        guard let cipher = form.masterCipher else { return .keyForm(form) }
        return keys?[security.masterKey]?.cipher == cipher ? nil : .masterKey(security.masterKey, form)
    }
}

extension MessageForm.KeyExchangeForm.KeyForm {
    /// The cipher of the master key; nil for a form that can't be read.
    var masterCipher: HostKey.Cipher? {
        switch self {
        case .tdesEcbUnderTMK: .tripleDES
        case .aesEcbUnderTMK: .aes
        case .tr31: nil
        }
    }
}
