internal import COpenSSL
internal import CardSecrets
public import Determinism

/// Makes RSA keys out of a source of random bytes: the same bytes give the same key.
///
/// A prime is the first one at or above a random odd number that fits the public exponent. Whoever needs a
/// key that protects something gives a source of secrets, such as `SystemRandomSource`.
public struct RSAKeyGenerator: Sendable {
    private let random: any RandomSource

    public init(random: any RandomSource) { self.random = random }

    /// Makes a key whose modulus has exactly this many bits.
    ///
    /// - Parameters:
    ///   - bits: 512...1984, a multiple of 8.
    ///   - exponent: the public exponent.
    /// - Returns: the key.
    /// - Throws: ``CryptographyError/unusableKeySize(bits:)``; ``CryptographyError/unusablePrimes`` when the
    ///   source repeats itself; or a failure of libcrypto.
    public func key(bits: Int, exponent: RSAPublicExponent) throws(CryptographyError) -> RSAPrivateKey {
        guard (512...1984).contains(bits), bits.isMultiple(of: 8) else { throw .unusableKeySize(bits: bits) }
        let context = try BigNumberContext()
        return try RSAPrivateKey(
            try prime(bits: bits / 2, exponent, context), try prime(bits: bits / 2, exponent, context),
            exponent.bytes)
    }

    private func prime(
        bits: Int, _ exponent: RSAPublicExponent, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> BigNumber {
        while true {
            var drawn = random.bytes((bits + 7) / 8)
            defer { drawn.wipe() }
            let candidate = try BigNumber(drawn)
            // Two high bits in each prime make the product as long as it is to be.
            for bit in [bits, bits - 1, bits - 2, 0] {
                guard BN_set_bit(candidate.pointer, Int32(bit)) == 1 else { throw .libraryFailure("RSA") }
            }
            guard BN_mask_bits(candidate.pointer, Int32(bits)) == 1 else { throw .libraryFailure("RSA") }
            while BN_num_bits(candidate.pointer) == bits {
                // A prime of 1 modulo the exponent would leave the key without a private exponent.
                if BN_mod_word(candidate.pointer, UInt(exponent.rawValue)) != 1 {
                    switch BN_check_prime(candidate.pointer, context.pointer, nil) {
                    case 1:
                        candidate.hide()
                        return candidate
                    case 0: break
                    default: throw .libraryFailure("RSA")
                    }
                }
                guard BN_add_word(candidate.pointer, 2) == 1 else { throw .libraryFailure("RSA") }
            }
        }
    }
}
