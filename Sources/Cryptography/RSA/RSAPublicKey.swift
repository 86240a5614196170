internal import COpenSSL

/// An RSA public key, for the bare operation without padding (EMV Book 2 annex B2.1).
public struct RSAPublicKey: Hashable, Sendable {
    /// Big-endian, 64...512 bytes, no leading zero byte.
    public let modulus: [UInt8]
    /// Big-endian, 1...4 bytes.
    public let exponent: [UInt8]

    /// - Throws: ``CryptographyError/unusableModulus(_:)``, ``CryptographyError/unusableExponent(_:)``
    public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        guard (64...512).contains(modulus.count), let first = modulus.first, first != 0,
            let last = modulus.last, last & 1 == 1
        else { throw .unusableModulus(modulus.count) }
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
        try checkInput(input)
        let context = try BigNumberContext()
        let base = try BigNumber(input)
        let divisor = try BigNumber(modulus)
        let result = try BigNumber()
        let succeeded: Bool
        if exponent == [3] {
            // Two divisions take less time than Montgomery's preparations, and a card's keys are used once.
            succeeded =
                BN_mod_sqr(result.pointer, base.pointer, divisor.pointer, context.pointer) == 1
                && BN_mod_mul(result.pointer, result.pointer, base.pointer, divisor.pointer, context.pointer) == 1
        } else {
            let power = try BigNumber(exponent)
            succeeded =
                BN_mod_exp_mont(result.pointer, base.pointer, power.pointer, divisor.pointer, context.pointer, nil) == 1
        }
        guard succeeded else { throw .libraryFailure("RSA") }
        return try result.bytes(count: length)
    }

    /// Refuses what no key of this modulus can be applied to.
    func checkInput(_ input: [UInt8]) throws(CryptographyError) {
        guard input.count == length else { throw .dataLength(input.count, algorithm: "RSA") }
        guard input.lexicographicallyPrecedes(modulus) else { throw .inputNotBelowModulus }
    }
}
