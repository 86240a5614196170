public import CardSecrets

/// An RSA private key, for the bare operation without padding (EMV Book 2 annex B2.1): what a
/// certification authority, an issuer and a card sign and decipher with.
public struct RSAPrivateKey: ~Copyable, Sendable {
    /// The public half.
    public let publicKey: RSAPublicKey
    private let privateExponent: SensitiveBytes

    /// - Parameters:
    ///   - modulus: big-endian, 64...512 bytes, no leading zero byte.
    ///   - publicExponent: big-endian, 1...4 bytes.
    ///   - privateExponent: big-endian, at most as long as the modulus.
    /// - Throws: ``CryptographyError/unusableModulus(_:)``, ``CryptographyError/unusableExponent(_:)``
    public init(
        modulus: [UInt8], publicExponent: [UInt8], privateExponent: consuming SensitiveBytes
    ) throws(CryptographyError) {
        let publicKey = try RSAPublicKey(modulus: modulus, exponent: publicExponent)
        let count = privateExponent.count
        guard (1...modulus.count).contains(count) else { throw .unusableExponent(count) }
        self.init(publicKey: publicKey, privateExponent: privateExponent)
    }

    /// The number of bytes of the modulus, and of everything that the key is applied to.
    public var length: Int { publicKey.length }

    /// Raises `input` to the private exponent: signs with message recovery, or deciphers.
    /// The input has ``length`` bytes and is, as a number, smaller than the modulus.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)``, ``CryptographyError/inputNotBelowModulus``,
    ///   or a failure of libcrypto.
    public borrowing func apply(_ input: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let modulus = publicKey.modulus
        return try privateExponent.withUnsafeBytes { (exponent) throws(CryptographyError) in
            try ModularPower.compute(input, exponent, modulus: modulus, secret: true)
        }
    }

    /// A second owner of the same key, in memory of its own.
    public borrowing func duplicate() -> RSAPrivateKey {
        RSAPrivateKey(publicKey: publicKey, privateExponent: privateExponent.duplicate())
    }

    private init(publicKey: RSAPublicKey, privateExponent: consuming SensitiveBytes) {
        self.publicKey = publicKey
        self.privateExponent = privateExponent
    }
}
