public import CardSecrets
public import Cryptography
public import EMV

/// The keys of the simulated payment world: certification authority, issuer, card and PIN pad.
///
/// They are TEST keys that are published with this program and protect nothing.
public final class TestKeys: Sendable {
    /// The certification authority's, the issuer's and the cards' RSA keys.
    public let rsa: TestRSAKeys
    private let tripleDESMasterKeys: IssuerMasterKeys
    private let aesMasterKeys: IssuerMasterKeys
    /// What the issuer makes card verification values with, 16 bytes.
    public let cardVerificationKey: SensitiveBytes
    /// What the PIN pad's triple DES keys are derived from, 16 bytes.
    public let tripleDESBaseDerivationKey: SensitiveBytes
    /// The PIN pad's key serial number with a counter of zero, 10 bytes.
    public let tripleDESKeySerialNumber: DUKPTKeySerialNumber
    /// What the PIN pad's AES keys are derived from, 16 bytes.
    public let aesBaseDerivationKey: SensitiveBytes
    /// The PIN pad's initial key identifier with a counter of zero, 12 bytes.
    public let aesKeySerialNumber: DUKPTKeySerialNumber

    /// Reads a file of secret keys, as text, and puts RSA keys to them.
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

    /// The keys that come with this program.
    ///
    /// - Parameter rsa: RSA keys of another seed, or with a cache.
    /// - Returns: the keys.
    /// - Throws: ``TestKeysError``
    public static func embedded(rsa: TestRSAKeys = .embedded) throws(TestKeysError) -> TestKeys {
        try TestKeys(PackageResources.test_keys_txt, rsa: rsa)
    }

    /// The issuer's master keys for the cards of a cipher.
    public func withMasterKeys<Result: ~Copyable, Failure: Error>(
        _ cipher: CryptogramVersion.Cipher, _ body: (borrowing IssuerMasterKeys) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch cipher {
        case .tripleDES: try body(tripleDESMasterKeys)
        case .aes: try body(aesMasterKeys)
        }
    }

    /// The certification authority's key as a terminal holds it for the payment system `rid` (5 bytes).
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
    /// For ARQC, TC, AAC and ARPC.
    public let applicationCryptogram: SensitiveBytes
    /// For the MACs of issuer script commands.
    public let scriptMAC: SensitiveBytes
    /// For what is secret in issuer script commands.
    public let scriptConfidentiality: SensitiveBytes

    public init(
        applicationCryptogram: consuming SensitiveBytes, scriptMAC: consuming SensitiveBytes,
        scriptConfidentiality: consuming SensitiveBytes
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.scriptMAC = scriptMAC
        self.scriptConfidentiality = scriptConfidentiality
    }
}
