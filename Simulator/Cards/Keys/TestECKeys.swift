public import Cryptography
public import EMV

/// The elliptic curve test keys of the simulated certification authority, issuer, and cards: of kernel 8, and of
/// chips with XDA.
///
/// Anyone can compute these TEST keys; they protect nothing.
public struct TestECKeys: Sendable {
    /// The index (tags 8F and 9F22) of the authority's key: one for each curve.
    public static func authorityIndex(_ suite: CertificateSuite) -> UInt8 {
        switch suite {
        case .p256: 0x01
        case .p521: 0x02
        }
    }

    private let authorities: [CertificateSuite: EllipticCurvePrivateKey]
    private let issuers: [CertificateSuite: EllipticCurvePrivateKey]
    /// The card's key for the secure channel, on P-256.
    public let card: EllipticCurvePrivateKey

    /// Reads a text file of keys.
    ///
    /// - Throws: ``TestKeysError``
    public init(_ text: [UInt8]) throws(TestKeysError) {
        let file = try TestKeyFile(text)
        var authorities: [CertificateSuite: EllipticCurvePrivateKey] = [:]
        var issuers: [CertificateSuite: EllipticCurvePrivateKey] = [:]
        for (suite, curve) in [(CertificateSuite.p256, "p256"), (.p521, "p521")] {
            authorities[suite] = try Self.key("ca-\(curve)", suite.curve, file)
            issuers[suite] = try Self.key("issuer-\(curve)", suite.curve, file)
        }
        (self.authorities, self.issuers) = (authorities, issuers)
        card = try Self.key("icc-p256", .p256, file)
    }

    /// The keys built into the program.
    ///
    /// - Throws: ``TestKeysError``
    public static func embedded() throws(TestKeysError) -> TestECKeys { try shared.get() }

    private static let shared: Result<TestECKeys, TestKeysError> = Result { () throws(TestKeysError) in
        try TestECKeys(PackageResources.test_ec_keys_txt)
    }

    /// The certification authority's key pair, which signs issuer keys of every payment system.
    ///
    /// - Throws: ``TestKeysError``
    public func authority(_ suite: CertificateSuite) throws(TestKeysError) -> EllipticCurvePrivateKey {
        guard let key = authorities[suite] else { throw .missing(name: "ca-\(suite)") }
        return key
    }

    /// The issuer's key pair, which signs card keys.
    ///
    /// - Throws: ``TestKeysError``
    public func issuer(_ suite: CertificateSuite) throws(TestKeysError) -> EllipticCurvePrivateKey {
        guard let key = issuers[suite] else { throw .missing(name: "issuer-\(suite)") }
        return key
    }

    /// Returns the authority's public key as a terminal stores it for a payment system (5 bytes).
    ///
    /// - Throws: ``TestKeysError``, `ECCAuthorityKeyError`
    public func authorityPublicKey(rid: [UInt8], suite: CertificateSuite = .p256) throws -> ECCAuthorityKey {
        try ECCAuthorityKey(
            rid: rid, index: Self.authorityIndex(suite), suite: suite, key: authority(suite).publicKey.x)
    }

    private static func key(
        _ name: String, _ curve: EllipticCurve, _ file: TestKeyFile
    ) throws(TestKeysError) -> EllipticCurvePrivateKey {
        let secret = try file.secret(name)
        do throws(CryptographyError) { return try EllipticCurvePrivateKey(secret: secret, on: curve) } catch {
            throw .unusable(name: name, error)
        }
    }
}

extension CardProfile {
    /// Returns the keys of the test certification authority that a terminal needs for the card's contactless side.
    ///
    /// - Throws: ``TestKeysError``, `ECCAuthorityKeyError`
    public func contactlessAuthorityKeys(_ keys: TestECKeys) throws -> [ECCAuthorityKey] {
        guard let contactless else { return [] }
        return [try keys.authorityPublicKey(rid: contactless.rid, suite: contactless.certificates)]
    }

    /// Returns the keys of the test certification authority that a terminal needs for the contactless sides of cards,
    /// each key once.
    ///
    /// - Throws: ``TestKeysError``, `ECCAuthorityKeyError`
    public static func contactlessAuthorityKeys(of profiles: [CardProfile]) throws -> [ECCAuthorityKey] {
        guard profiles.contains(where: { $0.contactless != nil }) else { return [] }
        let keys = try TestECKeys.embedded()
        return try profiles.reduce(into: []) { found, profile in
            found += try profile.contactlessAuthorityKeys(keys).filter { !found.contains($0) }
        }
    }
}
