public import CardSecrets
public import Cryptography
internal import Text

/// A key that terminal and host share, in memory for secrets. It has no textual form but its name and check value.
public final class HostKey: Sendable, CustomStringConvertible, CustomReflectable {
    public typealias Cipher = KeyCheckValue.Cipher

    /// The name, as the profile has it.
    public let name: String
    public let cipher: Cipher
    /// 16 or 24 bytes with triple DES; 16, 24, or 32 with AES; 16 to 64 for HMAC.
    let bytes: SensitiveBytes
    /// The check value, 8 bytes. The leftmost ones are compared.
    public let checkValue: [UInt8]

    /// - Throws: ``HostKeyError``
    public init(_ name: String, _ cipher: Cipher, _ bytes: consuming SensitiveBytes) throws(HostKeyError) {
        let count = bytes.count
        guard cipher.accepts(count) else { throw .length(count, cipher) }
        do throws(CryptographyError) { checkValue = try KeyCheckValue.compute(bytes, cipher) } catch {
            throw .cryptography(error)
        }
        (self.name, self.cipher) = (name, cipher)
        self.bytes = bytes
    }

    /// For example `TAK (tdes, check value 08D7B4)`.
    public var description: String { "\(name) (\(cipher.rawValue), check value \(checkValue.prefix(3).hexadecimal))" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why bytes are no key.
public enum HostKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key has this number of bytes.
    case length(Int, HostKey.Cipher)
    /// The check value of the key is another one.
    case wrongCheckValue
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .length(let count, let cipher): "a key of \(count) bytes: \(cipher.rawValue) has \(cipher.lengthText)"
        case .wrongCheckValue: "the key has another check value"
        case .cryptography(let error): error.description
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
