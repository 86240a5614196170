public import CardSecrets
public import Cryptography
import ISO8583
import Text

/// A key that terminal and host share, in memory for secrets or in a PKCS#11 token. It has no textual form but its name
/// and check value.
public final class HostKey: Sendable, CustomStringConvertible, CustomReflectable {
    public typealias Cipher = KeyCheckValue.Cipher

    /// The name, as the profile has it.
    public let name: String
    public let cipher: Cipher
    /// 16 or 24 bytes with triple DES; 16, 24, or 32 with AES; 16 to 64 for HMAC. Empty when a token has the key.
    let bytes: SensitiveBytes
    /// The key in a token, which does not give it out; nil for a key in memory.
    let token: TokenKey?
    /// The check value, 8 bytes. The leftmost ones are compared. Empty when the token of the key does not make it.
    public let checkValue: [UInt8]
    /// The key serial number of an initial key of DUKPT, after which its transactions count; nil for another key.
    public let keySerialNumber: DUKPTKeySerialNumber?

    /// - Parameters:
    ///   - name: the name, as the profile has it.
    ///   - cipher: what the key is for.
    ///   - bytes: the key.
    ///   - keySerialNumber: makes it the initial key of a device (DUKPT): 10 bytes with triple DES, and 12 with AES.
    /// - Throws: ``HostKeyError``
    public init(
        _ name: String, _ cipher: Cipher, _ bytes: consuming SensitiveBytes,
        keySerialNumber: DUKPTKeySerialNumber? = nil
    ) throws(HostKeyError) {
        let count = bytes.count
        guard cipher.accepts(count) else { throw .length(count, cipher) }
        if let number = keySerialNumber {
            guard cipher == (number.scheme == .aes ? .aes : .tripleDES), number.scheme == .aes || count == 16 else {
                throw .keySerialNumber(number.bytes.count, cipher)
            }
        }
        do throws(CryptographyError) { checkValue = try KeyCheckValue.compute(bytes, cipher) } catch {
            throw .cryptography(error)
        }
        (self.name, self.cipher, self.keySerialNumber, token) = (name, cipher, keySerialNumber, nil)
        self.bytes = bytes
    }

    /// A key that a token keeps.
    init(in token: TokenKey, checkValue: [UInt8]) {
        (name, cipher, self.token, self.checkValue) = (token.name, token.cipher, token, checkValue)
        keySerialNumber = nil
        bytes = SensitiveBytes([])
    }

    /// Whether a PKCS#11 token has the key, and not this process.
    public var isInToken: Bool { token != nil }

    /// For example `TAK (tdes, check value 08D7B4)`.
    public var description: String {
        let place = token.map { ", in the token '\($0.session.token)'" } ?? ""
        let check = checkValue.isEmpty ? "" : ", check value \(checkValue.prefix(3).hexadecimal)"
        return "\(name) (\(cipher.rawValue)\(place)\(check))"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why bytes are no key.
public enum HostKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key has this number of bytes.
    case length(Int, HostKey.Cipher)
    /// The check value of the key is another one.
    case wrongCheckValue
    /// The key serial number of this number of bytes is none of an initial key with this cipher and length.
    case keySerialNumber(Int, HostKey.Cipher)
    case cryptography(CryptographyError)
    /// The token of the master key did not decipher it.
    case token(TokenError)

    public var description: String {
        switch self {
        case .length(let count, let cipher): "a key of \(count) bytes: \(cipher.rawValue) has \(cipher.lengthText)"
        case .wrongCheckValue: "the key has another check value"
        case .keySerialNumber(let count, let cipher):
            "a key serial number of \(count) bytes: an initial key has 10 with tdes and 16 bytes of key, and 12 with "
                + "aes; this one is \(cipher.rawValue)"
        case .cryptography(let error): error.description
        case .token(let error): error.description
        }
    }
}

extension HostKey {
    /// Enciphers whole blocks, each for itself, here or in the token of the key.
    func encipher(_ secret: borrowing SensitiveBytes) async throws(KeyUseError) -> SensitiveBytes {
        guard let token else {
            do throws(CryptographyError) {
                switch cipher {
                case .aes: return try AES.encrypt(secret, key: bytes)
                case .tripleDES, .hmac: return try TripleDES.encrypt(secret, key: bytes)
                }
            } catch { throw .cryptography(error) }
        }
        let data = SecretValue(secret.duplicate())
        do throws(TokenError) { return try await token.encipher(data).bytes.duplicate() } catch { throw .token(error) }
    }

    /// Deciphers whole blocks, each for itself, here or in the token of the key.
    func decipher(_ secret: borrowing SensitiveBytes) async throws(KeyUseError) -> SensitiveBytes {
        guard let token else {
            do throws(CryptographyError) {
                switch cipher {
                case .aes: return try AES.decrypt(secret, key: bytes)
                case .tripleDES, .hmac: return try TripleDES.decrypt(secret, key: bytes)
                }
            } catch { throw .cryptography(error) }
        }
        let data = SecretValue(secret.duplicate())
        do throws(TokenError) { return try await token.decipher(data).bytes.duplicate() } catch { throw .token(error) }
    }
}

/// Why a key enciphers or deciphers nothing.
public enum KeyUseError: Error, Hashable, Sendable, CustomStringConvertible {
    case cryptography(CryptographyError)
    case token(TokenError)

    public var description: String {
        switch self {
        case .cryptography(let error): error.description
        case .token(let error): error.description
        }
    }
}

extension KeyCheckValue.Cipher {
    func accepts(_ count: Int) -> Bool {
        switch self {
        case .tripleDES: count == 16 || count == 24
        case .aes: count == 16 || count == 24 || count == 32
        case .hmac: (16...64).contains(count)
        }
    }

    /// The lengths of keys in words.
    var lengthText: String {
        switch self {
        case .tripleDES: "16 or 24 bytes"
        case .aes: "16, 24, or 32 bytes"
        case .hmac: "16 to 64 bytes"
        }
    }
}
