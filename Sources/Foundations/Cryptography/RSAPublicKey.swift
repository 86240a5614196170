import COpenSSL

/// An RSA public key for the operation without padding (EMV Book 2 annex B2.1).
public struct RSAPublicKey: Hashable, Sendable {
    /// The modulus: big-endian, 64...512 bytes, no leading zero byte.
    public let modulus: [UInt8]
    /// The exponent: big-endian, 1...4 bytes.
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

    /// The length of the modulus and of every input, in bytes.
    public var length: Int { modulus.count }

    /// Raises `input` to the public exponent: opens a signature with message recovery, or enciphers.
    /// The input has ``length`` bytes and must be a number below the modulus.
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
            // Two divisions are faster than preparing Montgomery multiplication, and a card's key is used only once.
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

    /// Checks the length and value of an input.
    func checkInput(_ input: [UInt8]) throws(CryptographyError) {
        guard input.count == length else { throw .dataLength(input.count, algorithm: "RSA") }
        guard input.lexicographicallyPrecedes(modulus) else { throw .inputNotBelowModulus }
    }
}

/// The public exponents that EMV allows (Book 2 annex B2.1).
public enum RSAPublicExponent: UInt32, Hashable, Sendable, CaseIterable {
    case three = 3
    /// The Fermat number F4, 65537.
    case fermatFour = 65537

    /// Big-endian, without leading zeros.
    public var bytes: [UInt8] {
        switch self {
        case .three: [3]
        case .fermatFour: [1, 0, 1]
        }
    }
}
