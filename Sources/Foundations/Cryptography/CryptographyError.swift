/// The reason why a cryptographic operation was refused or failed. It contains lengths and names, never data.
public enum CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The algorithm does not accept keys of this number of bytes.
    case keyLength(Int, algorithm: String)
    /// The algorithm does not accept data of this number of bytes: it needs whole blocks, or exactly one block.
    case dataLength(Int, algorithm: String)
    /// The initialization vector has this many bytes, and must be one block.
    case initializationVectorLength(Int, algorithm: String)
    /// An RSA modulus that is even, too short or too long; the number of bytes.
    case unusableModulus(Int)
    /// An RSA exponent that is empty, zero or too long; the number of bytes.
    case unusableExponent(Int)
    /// Two RSA primes that are even or equal, or that have no private exponent for the public one.
    case unusablePrimes
    /// RSA keys of this size are not supported.
    case unusableKeySize(bits: Int)
    /// An RSA input that is not smaller than the modulus.
    case inputNotBelowModulus
    /// The tag of enciphered data is another one: the data, its key, its nonce, or what it belongs to was changed.
    case notAuthentic
    /// Coordinates that are no point of the curve: one is not below its prime, they do not satisfy its equation, or no
    /// point has this x.
    case pointNotOnCurve(String)
    /// The point at infinity, which is no public key and has no coordinates.
    case pointAtInfinity(String)
    /// A first byte that no encoding of a point has (SEC 1 §2.3.3).
    case pointEncoding(UInt8)
    /// A private key or a factor that is zero, or not below the order of the curve.
    case unusableScalar(String)
    /// Two keys, or a key and a point, of different curves.
    case differentCurves
    /// The random source gave no number that is a private key, however often it was asked.
    case unusableRandomness(String)
    /// The installed libcrypto does not offer this algorithm.
    case unavailable(String)
    /// libcrypto reported a failure, almost always for lack of memory.
    case libraryFailure(String)

    public var description: String {
        switch self {
        case .keyLength(let count, let algorithm): "\(algorithm) takes no key of \(count) bytes"
        case .dataLength(let count, let algorithm): "\(algorithm) takes no data of \(count) bytes"
        case .initializationVectorLength(let count, let algorithm):
            "\(algorithm) takes no initialization vector of \(count) bytes"
        case .unusableModulus(let count): "an RSA modulus of \(count) bytes cannot be used"
        case .unusableExponent(let count): "an RSA exponent of \(count) bytes cannot be used"
        case .unusablePrimes: "the RSA primes do not make a key with this public exponent"
        case .unusableKeySize(let bits):
            "no RSA key of \(bits) bits can be made: ask for 512 to 1984 in steps of 8"
        case .inputNotBelowModulus: "an RSA input must be smaller than the modulus"
        case .notAuthentic: "the enciphered data is not what it was, or under another key"
        case .pointNotOnCurve(let curve): "the coordinates are no point of the curve \(curve)"
        case .pointAtInfinity(let curve): "the point at infinity of the curve \(curve) is no key"
        case .pointEncoding(let byte): "no encoding of a point begins with the byte \(byte): use 2, 3, or 4"
        case .unusableScalar(let curve):
            "a private key of the curve \(curve) must be at least 1 and below the order of the curve"
        case .differentCurves: "the keys belong to different curves"
        case .unusableRandomness(let curve):
            "the random source repeats itself, and makes no private key of the curve \(curve)"
        case .unavailable(let algorithm):
            "libcrypto does not offer \(algorithm): install OpenSSL 3 with its default provider"
        case .libraryFailure(let operation): "libcrypto failed at \(operation)"
        }
    }
}
