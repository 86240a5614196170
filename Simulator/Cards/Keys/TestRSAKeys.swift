import CardSecrets
public import Cryptography
import Determinism
import Settings
import Synchronization

/// The RSA test keys, looked up on demand: in memory, among those built into the program, in the cache on disk, or by
/// computation from the seed.
///
/// Anyone can compute these TEST keys; they protect nothing.
public final class TestRSAKeys: Sendable {
    /// The seed of the keys built into the program.
    public static let standardSeed: UInt64 = 0

    private let seed: UInt64
    private let cache: TestKeyCache?
    private let known = Mutex<[TestRSAKey: RSAPrivateKey]>([:])
    /// Signatures under these keys, by a digest of what was signed, which keeps no card data.
    private let signatures = Mutex<[[UInt8]: [UInt8]]>([:])

    /// The most signatures to keep, some hundred bytes each.
    private static let mostSignatures = 1024

    /// Creates a key store.
    ///
    /// - Parameters:
    ///   - seed: the seed of the keys.
    ///   - cache: the cache on disk for later runs; nil for none.
    public init(seed: UInt64 = standardSeed, cache: TestKeyCache? = nil) {
        (self.seed, self.cache) = (seed, cache)
    }

    /// The keys of the standard seed, without a cache on disk.
    public static let embedded = TestRSAKeys()

    /// Returns the key with this name. Computing a key that is stored nowhere takes some tens of milliseconds.
    ///
    /// - Throws: ``TestKeysError``
    public func key(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey {
        try known.withLock { (known) throws(TestKeysError) in
            if let key = known[name] { return key }
            let key = try find(name)
            known[name] = key
            return key
        }
    }

    /// Signs the certificate or the static data of a card; see ``RecoverableSignature``. The same card gets the same
    /// signatures in every session, and a signature takes most of the time of making a card, so they are kept.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)`` if the data do not fit; a failure of libcrypto.
    func signature(
        of data: [UInt8], rest: [UInt8], by name: TestRSAKey, _ key: RSAPrivateKey, hasWrongHash: Bool = false
    ) throws(CryptographyError) -> [UInt8] {
        let place = try SHA256.hash(Array("\(name) \(data.count) \(hasWrongHash) ".utf8) + data + rest)
        if let made = signatures.withLock({ $0[place] }) { return made }
        let signature = try RecoverableSignature.sign(data, rest: rest, with: key, hasWrongHash: hasWrongHash)
        signatures.withLock { signatures in
            if signatures.count >= Self.mostSignatures { signatures.removeAll() }
            signatures[place] = signature
        }
        return signature
    }

    private func find(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey {
        if seed == Self.standardSeed, let key = try Self.file.get().rsaKey(name) { return key }
        if let key = cache?.load(name, seed: seed) { return key }
        do throws(CryptographyError) {
            // Each key has its own random stream, so that it does not depend on other keys.
            let random = SeededRandomSource(seed: seed).stream("RSA test key \(name)")
            let key = try RSAKeyGenerator(random: random).key(bits: name.bits, exponent: name.exponent)
            try cache?.store(key, name, seed: seed)
            return key
        } catch {
            throw .unusable(name: name.description, error)
        }
    }

    private static let file: Result<TestKeyFile, TestKeysError> = Result { () throws(TestKeysError) in
        try TestKeyFile(PackageResources.test_rsa_keys_txt)
    }
}

/// The name of an RSA test key: holder, length, and exponent.
public struct TestRSAKey: Hashable, Sendable, CustomStringConvertible {
    /// The party that has the private key.
    public enum Holder: String, Hashable, Sendable, CaseIterable {
        /// Signs issuer keys, for every payment system.
        case certificationAuthority = "ca"
        /// Signs card keys and static data.
        case issuer
        /// The card's key for dynamic signatures.
        case icc
        /// The card's key for PIN encipherment.
        case iccPIN = "icc-pin"
    }

    public var holder: Holder
    /// The length of the modulus in bits, 1024...1984, a multiple of 8.
    public var bits: Int
    public var exponent: RSAPublicExponent

    /// Names a key by its holder, the length of its modulus in bits, and its exponent.
    public init(_ holder: Holder, bits: Int, exponent: RSAPublicExponent = .three) {
        (self.holder, self.bits, self.exponent) = (holder, bits, exponent)
    }

    /// The name, for example `ca-1408-3`. Also used in key files.
    public var description: String { "\(holder.rawValue)-\(bits)-\(exponent.rawValue)" }
}

/// The lengths of a card's keys and of those that certify them, in bits, and their public exponent.
public struct CardKeySizes: Hashable, Sendable {
    /// The certification authority's key: 1024...1984, a multiple of 16.
    public var certificationAuthority: Int
    /// The issuer's key, not longer than the authority's.
    public var issuer: Int
    /// The card's key for dynamic signatures, not longer than the issuer's.
    public var icc: Int
    /// The card's key for PIN encipherment, not longer than the issuer's.
    public var iccPIN: Int
    public var exponent: RSAPublicExponent

    /// 1408, 1152 and 1024 bits.
    public static let standard = CardKeySizes(
        certificationAuthority: 1408, issuer: 1152, icc: 1024, iccPIN: 1024, exponent: .three)

    /// Decodes `keys` and `exponent` of a profile.
    init(_ node: SettingsNode?, exponent: SettingsNode?) throws(SettingsError) {
        self = .standard
        try node?.mapping(allowedKeys: ["ca", "issuer", "icc", "pin"])
        if let node = try node?.optional("ca") { certificationAuthority = try Self.bits(node, step: 16) }
        if let node = try node?.optional("issuer") { issuer = try Self.bits(node) }
        if let node = try node?.optional("icc") { icc = try Self.bits(node) }
        if let node = try node?.optional("pin") { iccPIN = try Self.bits(node) }
        if let exponent { self.exponent = try exponent.choice(of: ["3": .three, "65537": .fermatFour]) }
        guard let node else { return }
        guard issuer <= certificationAuthority else {
            throw node.error(
                "an issuer's key of \(issuer) bits is longer than the key of \(certificationAuthority) bits "
                    + "that signs it")
        }
        for length in [icc, iccPIN] where length > issuer {
            throw node.error("a card's key of \(length) bits is longer than the key of \(issuer) bits that signs it")
        }
    }

    private init(certificationAuthority: Int, issuer: Int, icc: Int, iccPIN: Int, exponent: RSAPublicExponent) {
        (self.certificationAuthority, self.issuer, self.icc) = (certificationAuthority, issuer, icc)
        (self.iccPIN, self.exponent) = (iccPIN, exponent)
    }

    private static func bits(_ node: SettingsNode, step: Int = 8) throws(SettingsError) -> Int {
        let bits = try node.int(in: 1024...1984)
        guard bits.isMultiple(of: step) else { throw node.error("a key of \(bits) bits is not a multiple of \(step)") }
        return bits
    }

    /// Returns the key of a holder.
    func key(_ holder: TestRSAKey.Holder) -> TestRSAKey {
        let bits =
            switch holder {
            case .certificationAuthority: certificationAuthority
            case .issuer: issuer
            case .icc: icc
            case .iccPIN: iccPIN
            }
        return TestRSAKey(holder, bits: bits, exponent: exponent)
    }

    /// The index (tags 8F and 9F22) of the authority's key: from 15 for exponent 3, from 52 for 65537, one per size.
    /// No index collides with a published test key of a payment system in the usual sizes, so a terminal can hold
    /// both.
    public var certificationAuthorityIndex: UInt8 {
        let step = UInt8(clamping: (certificationAuthority - 1024) / 16)
        return (exponent == .three ? 0x15 : 0x52) + min(step, 60)
    }
}
