import CardSecrets
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
    /// MACs or PINs under DUKPT need the initial key of the terminal, with its key serial number.
    case needsInitialKey(String, SecurityRules.KeyScheme)
    /// The acquirer derives from a base derivation key, and this is the initial key of a terminal.
    case needsBaseKey(String)
    /// The key is not one of the scheme, by its cipher, its length, or its key serial number.
    case wrongScheme(String, SecurityRules.KeyScheme)
    /// A token does not derive keys of DUKPT from a key that it keeps.
    case derivesInToken(String)
    /// A token does not make this MAC with a key that it keeps.
    case tokenMAC(String, SecurityRules.MACRule.Algorithm)
    /// The exchange has its keys in a form that can't be read.
    case keyForm(MessageForm.KeyExchangeForm.KeyForm)
    /// The master key has another cipher than the form of the exchange.
    case masterKey(String, MessageForm.KeyExchangeForm.KeyForm)

    public var description: String {
        switch self {
        case .noKeys(let kind): "its message '\(kind.rawValue)' has a MAC, and there are no keys"
        case .missing(let name, let found):
            "there is no key '\(name)'"
                + (found.isEmpty ? "" : "; there is \(found.joined(separator: ", "))")
        case .misfit(let name, let algorithm): "the key '\(name)' does not fit the MAC '\(algorithm.rawValue)'"
        case .needsInitialKey(let name, let scheme):
            "the key '\(name)' has no key serial number, and the scheme '\(scheme.rawValue)' needs the initial key of "
                + "this terminal"
        case .needsBaseKey(let name):
            "the key '\(name)' is the initial key of one terminal, and an acquirer needs the base derivation key"
        case .wrongScheme(let name, let scheme): "the key '\(name)' is none of the scheme '\(scheme.rawValue)'"
        case .derivesInToken(let name):
            "the key '\(name)' is in a token, which does not derive the keys of DUKPT from it"
        case .tokenMAC(let name, let algorithm):
            "the key '\(name)' is in a token, and the MAC '\(algorithm.rawValue)' takes single DES with its halves, "
                + "which a token does not do"
        case .keyForm(let form): "key exchanges in the form '\(form.rawValue)' are not there yet"
        case .masterKey(let name, let form): "the key '\(name)' does not fit the key form '\(form.rawValue)'"
        }
    }

    /// The advice to a till.
    public var fix: String { fix(in: "host.keys in the configuration") }

    /// Returns the advice; `setting` is what names the keys.
    public func fix(in setting: String) -> String {
        switch self {
        case .noKeys: "name a key file or a token: \(setting)"
        case .missing(let name, _):
            "add '\(name)' to the key file or the token of \(setting), or correct the name in the profile"
        case .misfit, .masterKey, .wrongScheme: "correct the key file, or the profile"
        case .needsInitialKey: "add 'ksn' to the entry: the key serial number that came with the initial key"
        case .needsBaseKey: "give the base derivation key, without 'ksn'"
        case .derivesInToken: "put the key into a key file that only its owner can read"
        case .tokenMAC:
            "let the host send the key under a master key in the token, put it into a key file, or ask the acquirer "
                + "for cmac or iso9797-1"
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
    ///
    /// - Parameters:
    ///   - keys: the keys of a key file or a token.
    ///   - end: whose keys they are. A terminal has initial keys of DUKPT, and an acquirer base derivation keys.
    /// - Returns: the obstacle.
    public func keyObstacle(_ keys: HostKeys?, at end: HostEnd = .terminal) -> KeyObstacle? {
        if let mac = security.mac, let first = MessageKind.allCases.first(where: { mac.messages.contains($0) }) {
            guard let keys else { return .noKeys(first) }
            if mac.scheme != .masterSession {
                guard let key = keys[mac.key] else { return .missing(mac.key, found: keys.names) }
                if let obstacle = derivationObstacle(key, mac.scheme, at: end) { return obstacle }
                if mac.algorithm == .hmacSHA256 { return .misfit(mac.key, mac.algorithm) }
            } else if let key = keys[mac.key] {
                if key.isInToken, mac.algorithm == .iso9797Algorithm3, key.cipher == .tripleDES {
                    return .tokenMAC(mac.key, mac.algorithm)
                }
                guard MessageAuthenticator(mac).accepts(key) else { return .misfit(mac.key, mac.algorithm) }
            } else if !exchangesKeys(keys) {
                let needsMaster = messages[.keyExchange]?.keyExchange != nil && keys[security.masterKey] == nil
                return .missing(needsMaster ? security.masterKey : mac.key, found: keys.names)
            }
        }
        // Without a key for PINs, the pad has its own.
        if let pin = security.pin, pin.scheme != .masterSession, let key = keys?[pin.key],
            let obstacle = derivationObstacle(key, pin.scheme, at: end)
        {
            return obstacle
        }
        guard exchangesKeys(keys), let form = messages[.keyExchange]?.keyExchange?.form else { return nil }
        guard let cipher = form.masterCipher else { return .keyForm(form) }
        return keys?[security.masterKey]?.cipher == cipher ? nil : .masterKey(security.masterKey, form)
    }

    /// Returns why payments can't have their MACs with these keys, or none: the name of the key that is missing, or why
    /// the one that is there does not fit. Nil when they can.
    public func macObstacle(_ keys: HostKeys?) -> KeyObstacle? { keyObstacle(keys ?? HostKeys([])) }

    /// Returns the name of the key without which no PIN for the issuer can be sent with these keys, or none; nil when
    /// it can, when the profile has no PINs, and under DUKPT, where the PIN pad may have a key of its own.
    public func missingPINKey(_ keys: HostKeys?) -> String? {
        guard let pin = security.pin, pin.scheme == .masterSession, keys?[pin.key] == nil, !exchangesKeys(keys) else {
            return nil
        }
        return pin.key
    }

    /// Why keys of DUKPT are not derived from a key; nil when they are.
    private func derivationObstacle(
        _ key: HostKey, _ scheme: SecurityRules.KeyScheme, at end: HostEnd
    ) -> KeyObstacle? {
        if key.isInToken { return .derivesInToken(key.name) }
        switch end {
        case .terminal:
            guard let number = key.keySerialNumber else { return .needsInitialKey(key.name, scheme) }
            return number.bytes.count == scheme.keySerialNumberLength ? nil : .wrongScheme(key.name, scheme)
        case .acquirer:
            guard key.keySerialNumber == nil else { return .needsBaseKey(key.name) }
            let fits = scheme == .dukptAES ? key.cipher == .aes : key.cipher == .tripleDES && key.bytes.count == 16
            return fits ? nil : .wrongScheme(key.name, scheme)
        }
    }
}

/// Whose keys they are.
public enum HostEnd: Hashable, Sendable {
    case terminal, acquirer
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
