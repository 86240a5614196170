import COpenSSL
public import CardSecrets
public import Determinism

/// An RSA private key for the operation without padding (EMV Book 2 annex B2.1), which certification authorities,
/// issuers and cards use to sign and decipher.
///
/// It computes modulo each prime and combines the results (Chinese remainder theorem; PKCS #1 §5.1.2), which takes a
/// quarter of the time. Secret values are overwritten when the key is released.
public final class RSAPrivateKey: Sendable {
    /// The public key.
    public let publicKey: RSAPublicKey
    private let first: PrimeHalf
    private let second: PrimeHalf
    /// The inverse of the second prime modulo the first one.
    private let coefficient: BigNumber

    /// Makes the private key of two primes and a public exponent. It does not check that the numbers are prime.
    ///
    /// - Parameters:
    ///   - firstPrime: big-endian.
    ///   - secondPrime: big-endian; different from the first.
    ///   - publicExponent: big-endian, 1...4 bytes.
    /// - Throws: ``CryptographyError/unusablePrimes`` when there is no private exponent, or the primes are equal;
    ///   ``CryptographyError/unusableModulus(_:)``; ``CryptographyError/unusableExponent(_:)``
    public convenience init(
        firstPrime: borrowing SensitiveBytes, secondPrime: borrowing SensitiveBytes, publicExponent: [UInt8]
    ) throws(CryptographyError) {
        try self.init(try BigNumber(secret: firstPrime), try BigNumber(secret: secondPrime), publicExponent)
    }

    init(
        _ firstPrime: consuming BigNumber, _ secondPrime: consuming BigNumber, _ publicExponent: [UInt8]
    ) throws(CryptographyError) {
        guard BN_is_odd(firstPrime.pointer) == 1, BN_is_odd(secondPrime.pointer) == 1 else { throw .unusablePrimes }
        let context = try BigNumberContext()
        let modulus = try BigNumber()
        guard BN_mul(modulus.pointer, firstPrime.pointer, secondPrime.pointer, context.pointer) == 1 else {
            throw .libraryFailure("RSA")
        }
        publicKey = try RSAPublicKey(
            modulus: try modulus.bytes(count: modulus.byteCount), exponent: publicExponent)
        let coefficient = try BigNumber()
        // Equal primes have no inverse.
        guard
            BN_mod_inverse(coefficient.pointer, secondPrime.pointer, firstPrime.pointer, context.pointer) != nil
        else { throw .unusablePrimes }
        coefficient.hide()
        self.coefficient = coefficient
        let exponent = try BigNumber(publicExponent)
        first = try PrimeHalf(firstPrime, exponent, context)
        second = try PrimeHalf(secondPrime, exponent, context)
    }

    /// The length of the modulus and of every input, in bytes.
    public var length: Int { publicKey.length }

    /// Raises `input` to the private exponent: signs with message recovery, or deciphers.
    /// The input has ``length`` bytes and must be a number below the modulus. The time does not depend on the key.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)``, ``CryptographyError/inputNotBelowModulus``,
    ///   or a failure of libcrypto.
    public func apply(_ input: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try publicKey.checkInput(input)
        let context = try BigNumberContext()
        let base = try BigNumber(input)
        let left = try first.raise(base, context)
        let right = try second.raise(base, context)
        let result = try BigNumber()
        // Garner's formula: right + second * ((left - right) * coefficient mod first).
        guard
            BN_mod_sub(result.pointer, left.pointer, right.pointer, first.prime.pointer, context.pointer) == 1,
            BN_mod_mul(
                result.pointer, result.pointer, coefficient.pointer, first.prime.pointer, context.pointer) == 1,
            BN_mul(result.pointer, result.pointer, second.prime.pointer, context.pointer) == 1,
            BN_add(result.pointer, result.pointer, right.pointer) == 1
        else { throw .libraryFailure("RSA") }
        return try result.bytes(count: length)
    }

    /// A copy of the first prime, big-endian.
    ///
    /// - Throws: a failure of libcrypto.
    public func firstPrime() throws(CryptographyError) -> SensitiveBytes { try first.primeBytes() }

    /// A copy of the second prime, big-endian.
    ///
    /// - Throws: a failure of libcrypto.
    public func secondPrime() throws(CryptographyError) -> SensitiveBytes { try second.primeBytes() }
}

/// A private key modulo one of its primes.
private struct PrimeHalf: ~Copyable, Sendable {
    let prime: BigNumber
    /// The inverse of the public exponent modulo the prime less one.
    private let exponent: BigNumber
    private let montgomery: MontgomeryContext

    init(
        _ prime: consuming BigNumber, _ publicExponent: borrowing BigNumber, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) {
        let order = try BigNumber()
        let exponent = try BigNumber()
        guard BN_copy(order.pointer, prime.pointer) != nil, BN_sub_word(order.pointer, 1) == 1 else {
            throw .libraryFailure("RSA")
        }
        order.hide()
        guard BN_mod_inverse(exponent.pointer, publicExponent.pointer, order.pointer, context.pointer) != nil else {
            throw .unusablePrimes
        }
        exponent.hide()
        montgomery = try MontgomeryContext(modulus: prime, context)
        self.exponent = exponent
        self.prime = prime
    }

    func raise(
        _ base: borrowing BigNumber, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> BigNumber {
        let result = try BigNumber()
        guard BN_nnmod(result.pointer, base.pointer, prime.pointer, context.pointer) == 1,
            BN_mod_exp_mont_consttime(
                result.pointer, result.pointer, exponent.pointer, prime.pointer, context.pointer, montgomery.pointer)
                == 1
        else { throw .libraryFailure("RSA") }
        return result
    }

    func primeBytes() throws(CryptographyError) -> SensitiveBytes {
        var bytes = try prime.bytes(count: prime.byteCount)
        return SensitiveBytes(wiping: &bytes)
    }
}

/// Generates RSA keys from a source of random bytes: the same bytes give the same key.
///
/// Each prime is the first suitable one at or above a random odd number. For keys that protect data, use a secure
/// source such as `SystemRandomSource`.
public struct RSAKeyGenerator: Sendable {
    private let random: any RandomSource

    /// Takes the source of all randomness of the keys.
    public init(random: any RandomSource) { self.random = random }

    /// Generates a key with a modulus of exactly `bits` bits.
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
            // Two high bits in each prime give the product its full length.
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
