/// An RSA public key, for the bare operation without padding (EMV Book 2 annex B2.1).
public struct RSAPublicKey: Hashable, Sendable {
    /// Big-endian, 64...512 bytes, no leading zero byte.
    public let modulus: [UInt8]
    /// Big-endian, 1...4 bytes.
    public let exponent: [UInt8]

    /// - Throws: ``CryptographyError/unusableModulus(_:)``, ``CryptographyError/unusableExponent(_:)``
    public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        try ModularPower.checkModulus(modulus)
        guard (1...4).contains(exponent.count), exponent.contains(where: { $0 != 0 }) else {
            throw .unusableExponent(exponent.count)
        }
        (self.modulus, self.exponent) = (modulus, exponent)
    }

    /// The number of bytes of the modulus, and of everything that the key is applied to.
    public var length: Int { modulus.count }

    /// Raises `input` to the public exponent: opens a signature with message recovery, or enciphers.
    /// The input has ``length`` bytes and is, as a number, smaller than the modulus.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)``, ``CryptographyError/inputNotBelowModulus``,
    ///   or a failure of libcrypto.
    public func apply(_ input: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try exponent.withUnsafeBufferPointer { (exponent) throws(CryptographyError) in
            try ModularPower.compute(input, UnsafeRawBufferPointer(exponent), modulus: modulus, secret: false)
        }
    }
}
