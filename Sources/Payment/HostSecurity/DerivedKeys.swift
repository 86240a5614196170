import CardSecrets
public import Cryptography
public import ISO8583

/// The keys of one transaction under DUKPT.
///
/// With triple DES they are the variants of ANSI X9.24-1:2009 annex A: MAC request, which is also the key both ways,
/// and MAC response. With AES they are working keys of ANSI X9.24-3:2017: MAC generation for what the terminal sends,
/// MAC verification for what it gets, or one both ways; AES-128 for CMAC, and triple DES with two keys for the others.
enum DerivedKeys {
    /// The key of a transaction, from the initial key of a device, or from a base derivation key.
    ///
    /// - Throws: `DUKPTError`
    private static func transactionKey(
        _ key: HostKey, _ number: DUKPTKeySerialNumber
    ) throws(DUKPTError) -> SensitiveBytes {
        let isInitial = key.keySerialNumber != nil
        switch number.scheme {
        case .tripleDES:
            if isInitial { return try TripleDESDUKPT.transactionKey(initialKey: key.bytes, keySerialNumber: number) }
            let initial = try TripleDESDUKPT.initialKey(baseDerivationKey: key.bytes, keySerialNumber: number)
            return try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
        case .aes:
            if isInitial { return try AESDUKPT.transactionKey(initialKey: key.bytes, keySerialNumber: number) }
            let initial = try AESDUKPT.initialKey(baseDerivationKey: key.bytes, keySerialNumber: number)
            return try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
        }
    }

    /// The key of the PIN block.
    ///
    /// - Throws: `DUKPTError`
    static func pinKey(_ key: HostKey, _ number: DUKPTKeySerialNumber) throws(DUKPTError) -> SensitiveBytes {
        let transaction = try transactionKey(key, number)
        switch number.scheme {
        case .tripleDES:
            return try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        case .aes:
            return try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: number, usage: .pinEncipherment)
        }
    }

    /// The key of the MAC of a request, or of its answer.
    ///
    /// - Throws: `DUKPTError`
    static func macKey(
        _ key: HostKey, _ number: DUKPTKeySerialNumber, _ rule: SecurityRules.MACRule, ofAnswer: Bool
    ) throws(DUKPTError) -> SensitiveBytes {
        let transaction = try transactionKey(key, number)
        switch number.scheme {
        case .tripleDES:
            return try TripleDESDUKPT.workingKey(
                transactionKey: transaction, usage: ofAnswer && !rule.isBothWays ? .macResponse : .macRequest)
        case .aes:
            let oneWay: AESDUKPT.Usage = ofAnswer ? .macVerification : .macGeneration
            return try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: number, usage: rule.isBothWays ? .macBothWays : oneWay,
                type: rule.algorithm == .cmac ? .aes128 : .twoKeyTripleDES)
        }
    }
}

/// The keys of the MACs of one request and of its answer under DUKPT.
public struct DerivedMACKeys: Sendable {
    public let request: HostKey
    public let answer: HostKey

    /// Derives the keys from the initial key of a terminal, which has a key serial number, or from a base derivation
    /// key, which has none.
    ///
    /// - Parameters:
    ///   - rule: the MACs of the profile.
    ///   - key: the initial key or the base derivation key.
    ///   - number: the key serial number of the request.
    /// - Throws: ``DerivedKeyError``
    public init(
        _ rule: SecurityRules.MACRule, from key: HostKey, _ number: DUKPTKeySerialNumber
    ) throws(DerivedKeyError) {
        request = try Self.key(rule, key, number, ofAnswer: false)
        answer = try Self.key(rule, key, number, ofAnswer: true)
    }

    private static func key(
        _ rule: SecurityRules.MACRule, _ key: HostKey, _ number: DUKPTKeySerialNumber, ofAnswer: Bool
    ) throws(DerivedKeyError) -> HostKey {
        let cipher: HostKey.Cipher = rule.algorithm == .cmac && number.scheme == .aes ? .aes : .tripleDES
        let bytes: SensitiveBytes
        do throws(DUKPTError) { bytes = try DerivedKeys.macKey(key, number, rule, ofAnswer: ofAnswer) } catch {
            throw .derivation(error)
        }
        do throws(HostKeyError) { return try HostKey(rule.key, cipher, bytes) } catch { throw .key(error) }
    }
}

/// A key for the PIN of one transaction.
public struct PINKey: Sendable {
    public let key: HostKey
    /// The key serial number of DUKPT, which the message has with the PIN block; nil for a key that terminal and host
    /// share.
    public let keySerialNumber: DUKPTKeySerialNumber?

    /// A key that terminal and host share.
    public init(_ key: HostKey) { (self.key, keySerialNumber) = (key, nil) }

    /// Derives the key from the initial key of the terminal (DUKPT).
    ///
    /// - Throws: ``DerivedKeyError``
    public init(from initial: HostKey, _ number: DUKPTKeySerialNumber) throws(DerivedKeyError) {
        let bytes: SensitiveBytes
        do throws(DUKPTError) { bytes = try DerivedKeys.pinKey(initial, number) } catch { throw .derivation(error) }
        do throws(HostKeyError) {
            key = try HostKey(initial.name, number.scheme == .aes ? .aes : .tripleDES, bytes)
        } catch { throw .key(error) }
        keySerialNumber = number
    }
}

/// Why a key of DUKPT is not derived. It has no digit of a key.
public enum DerivedKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case derivation(DUKPTError)
    case key(HostKeyError)

    public var description: String {
        switch self {
        case .derivation(let error): error.description
        case .key(let error): error.description
        }
    }
}
