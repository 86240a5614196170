internal import COpenSSL
public import CardSecrets

/// An RSA private key, for the bare operation without padding (EMV Book 2 annex B2.1): what a
/// certification authority, an issuer and a card sign and decipher with.
///
/// It computes modulo each of its primes and puts the results together (Chinese remainder theorem; PKCS #1
/// §5.1.2), which takes a quarter of the time. Everything secret is overwritten when the last owner lets go.
public final class RSAPrivateKey: Sendable {
    /// The public half.
    public let publicKey: RSAPublicKey
    private let first: PrimeHalf
    private let second: PrimeHalf
    /// The inverse of the second prime modulo the first one.
    private let coefficient: BigNumber

    /// The private key that belongs to two primes and a public exponent. That they are primes is not checked.
    ///
    /// - Parameters:
    ///   - firstPrime: big-endian.
    ///   - secondPrime: big-endian; another one.
    ///   - publicExponent: big-endian, 1...4 bytes.
    /// - Throws: ``CryptographyError/unusablePrimes`` when there is no private exponent to them, or they are
    ///   alike; ``CryptographyError/unusableModulus(_:)``; ``CryptographyError/unusableExponent(_:)``
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
        // There is no inverse when the primes are alike.
        guard
            BN_mod_inverse(coefficient.pointer, secondPrime.pointer, firstPrime.pointer, context.pointer) != nil
        else { throw .unusablePrimes }
        coefficient.hide()
        self.coefficient = coefficient
        let exponent = try BigNumber(publicExponent)
        first = try PrimeHalf(firstPrime, exponent, context)
        second = try PrimeHalf(secondPrime, exponent, context)
    }

    /// The number of bytes of the modulus, and of everything that the key is applied to.
    public var length: Int { publicKey.length }

    /// Raises `input` to the private exponent: signs with message recovery, or deciphers.
    /// The input has ``length`` bytes and is, as a number, smaller than the modulus. The time does not
    /// depend on the key.
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
