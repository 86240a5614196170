public import CardSecrets
public import Cryptography
public import EMV

/// The test keys of certification authority, issuer, card, and PIN pad.
///
/// They are published with this program and protect nothing.
public final class TestKeys: Sendable {
    /// The RSA keys of the certification authority, issuer, and cards.
    public let rsa: TestRSAKeys
    private let tripleDESMasterKeys: IssuerMasterKeys
    private let aesMasterKeys: IssuerMasterKeys
    /// The key for card verification values, 16 bytes.
    public let cardVerificationKey: SensitiveBytes
    /// The base derivation key of the PIN pad's triple DES keys, 16 bytes.
    public let tripleDESBaseDerivationKey: SensitiveBytes
    /// The PIN pad's key serial number with counter zero, 10 bytes.
    public let tripleDESKeySerialNumber: DUKPTKeySerialNumber
    /// The base derivation key of the PIN pad's AES keys, 16 bytes.
    public let aesBaseDerivationKey: SensitiveBytes
    /// The PIN pad's initial key identifier with counter zero, 12 bytes.
    public let aesKeySerialNumber: DUKPTKeySerialNumber

    /// Reads a text file of secret keys and combines them with RSA keys.
    ///
    /// - Throws: ``TestKeysError``
    public init(_ text: [UInt8], rsa: TestRSAKeys = .embedded) throws(TestKeysError) {
        let file = try TestKeyFile(text)
        self.rsa = rsa
        tripleDESMasterKeys = IssuerMasterKeys(
            applicationCryptogram: try file.secret("imk.tdes.application-cryptogram"),
            scriptMAC: try file.secret("imk.tdes.script-mac"),
            scriptConfidentiality: try file.secret("imk.tdes.script-confidentiality"))
        aesMasterKeys = IssuerMasterKeys(
            applicationCryptogram: try file.secret("imk.aes.application-cryptogram"),
            scriptMAC: try file.secret("imk.aes.script-mac"),
            scriptConfidentiality: try file.secret("imk.aes.script-confidentiality"))
        cardVerificationKey = try file.secret("cvk.tdes.card-verification")
        tripleDESBaseDerivationKey = try file.secret("pin-pad.tdes.base-derivation-key")
        aesBaseDerivationKey = try file.secret("pin-pad.aes.base-derivation-key")
        tripleDESKeySerialNumber = try Self.serialNumber("pin-pad.tdes.key-serial-number", .tripleDES, file)
        aesKeySerialNumber = try Self.serialNumber("pin-pad.aes.key-serial-number", .aes, file)
    }

    /// Returns the keys built into the program.
    ///
    /// - Parameter rsa: RSA keys of another seed, or with a cache.
    /// - Returns: the keys.
    /// - Throws: ``TestKeysError``
    public static func embedded(rsa: TestRSAKeys = .embedded) throws(TestKeysError) -> TestKeys {
        try TestKeys(PackageResources.test_keys_txt, rsa: rsa)
    }

    /// Calls `body` with the issuer's master keys for the cards of a cipher.
    public func withMasterKeys<Result: ~Copyable, Failure: Error>(
        _ cipher: CryptogramVersion.Cipher, _ body: (borrowing IssuerMasterKeys) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch cipher {
        case .tripleDES: try body(tripleDESMasterKeys)
        case .aes: try body(aesMasterKeys)
        }
    }

    /// Returns the certification authority's public key as a terminal stores it for the payment system `rid` (5
    /// bytes).
    ///
    /// - Throws: ``TestKeysError``, `CAPublicKeyError`
    public func certificationAuthorityPublicKey(
        rid: [UInt8], sizes: CardKeySizes = .standard
    ) throws -> CAPublicKey {
        let key = try rsa.key(sizes.key(.certificationAuthority)).publicKey
        return try CAPublicKey(
            rid: rid, index: sizes.certificationAuthorityIndex, modulus: key.modulus, exponent: key.exponent,
            checksum: nil)
    }

    private static func serialNumber(
        _ name: String, _ scheme: DUKPTKeySerialNumber.Scheme, _ file: TestKeyFile
    ) throws(TestKeysError) -> DUKPTKeySerialNumber {
        guard let serialNumber = try? DUKPTKeySerialNumber(try file.bytes(name)), serialNumber.scheme == scheme else {
            throw .missing(name: name)
        }
        return serialNumber
    }
}

/// An issuer's master keys for the cards of one cipher.
public struct IssuerMasterKeys: ~Copyable, Sendable {
    /// The master key for ARQC, TC, AAC, and ARPC.
    public let applicationCryptogram: SensitiveBytes
    /// The master key for the MACs of issuer script commands.
    public let scriptMAC: SensitiveBytes
    /// The master key for confidential data of issuer script commands.
    public let scriptConfidentiality: SensitiveBytes

    /// Takes the three keys over, all of one cipher.
    public init(
        applicationCryptogram: consuming SensitiveBytes, scriptMAC: consuming SensitiveBytes,
        scriptConfidentiality: consuming SensitiveBytes
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.scriptMAC = scriptMAC
        self.scriptConfidentiality = scriptConfidentiality
    }
}

/// An error reading a file of test keys. Contains names and line numbers, no key.
public enum TestKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line is not a name and hexadecimal digits.
    case malformedLine(Int)
    /// The name is used twice.
    case repeated(name: String, line: Int)
    /// The name is missing.
    case missing(name: String)
    /// The value is not a valid key of its kind.
    case unusable(name: String, CryptographyError)

    public var description: String {
        switch self {
        case .malformedLine(let line): "test keys, line \(line): write a name, a space, and hexadecimal digits"
        case .repeated(let name, let line): "test keys, line \(line): \(name) is already defined"
        case .missing(let name): "test keys: \(name) is missing"
        case .unusable(let name, let error): "test keys: \(name) cannot be used: \(error)"
        }
    }
}

/// A file of keys: one value per line, as a name and hexadecimal digits; lines that start with # are comments.
struct TestKeyFile {
    private var values: [String: [UInt8]] = [:]

    init(_ text: [UInt8]) throws(TestKeysError) {
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            let name = String(decoding: first, as: UTF8.self)
            guard words.count == 2, let value = Self.bytes(words[1]) else { throw .malformedLine(index + 1) }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .repeated(name: name, line: index + 1)
            }
        }
    }

    func bytes(_ name: String) throws(TestKeysError) -> [UInt8] {
        guard let value = values[name] else { throw .missing(name: name) }
        return value
    }

    func secret(_ name: String) throws(TestKeysError) -> SensitiveBytes {
        SensitiveBytes(try bytes(name))
    }

    /// Returns the RSA key whose primes are in the file; nil if they are missing.
    func rsaKey(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey? {
        guard let first = values["\(name).first-prime"], let second = values["\(name).second-prime"] else { return nil }
        do throws(CryptographyError) {
            return try RSAPrivateKey(
                firstPrime: SensitiveBytes(first), secondPrime: SensitiveBytes(second),
                publicExponent: name.exponent.bytes)
        } catch {
            throw .unusable(name: name.description, error)
        }
    }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let nibble = nibble(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
