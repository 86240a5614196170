/// Why a cryptographic operation was refused or failed. Carries lengths and names, never data.
public enum CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key has this many bytes, and the algorithm takes no such key.
    case keyLength(Int, algorithm: String)
    /// The data has this many bytes, and the algorithm takes whole blocks, or exactly one block.
    case dataLength(Int, algorithm: String)
    /// The initialisation vector has this many bytes, and must be one block.
    case initialisationVectorLength(Int, algorithm: String)
    /// An RSA modulus that is even, too short or too long; the number of bytes.
    case unusableModulus(Int)
    /// An RSA exponent that is empty, zero or too long; the number of bytes.
    case unusableExponent(Int)
    /// Two RSA primes that are even or alike, or that leave no private exponent to the public one.
    case unusablePrimes
    /// An RSA key of this size cannot be made.
    case unusableKeySize(bits: Int)
    /// An RSA input that is not smaller than the modulus.
    case inputNotBelowModulus
    /// The installed libcrypto does not offer this algorithm.
    case unavailable(String)
    /// libcrypto reported a failure, as good as always for want of memory.
    case libraryFailure(String)

    public var description: String {
        switch self {
        case .keyLength(let count, let algorithm): "\(algorithm) takes no key of \(count) bytes"
        case .dataLength(let count, let algorithm): "\(algorithm) takes no data of \(count) bytes"
        case .initialisationVectorLength(let count, let algorithm):
            "\(algorithm) takes no initialisation vector of \(count) bytes"
        case .unusableModulus(let count): "an RSA modulus of \(count) bytes cannot be used"
        case .unusableExponent(let count): "an RSA exponent of \(count) bytes cannot be used"
        case .unusablePrimes: "the RSA primes do not make a key with this public exponent"
        case .unusableKeySize(let bits):
            "no RSA key of \(bits) bits can be made: ask for 512 to 1984 in steps of 8"
        case .inputNotBelowModulus: "an RSA input must be smaller than the modulus"
        case .unavailable(let algorithm):
            "libcrypto does not offer \(algorithm): install OpenSSL 3 with its default provider"
        case .libraryFailure(let operation): "libcrypto failed at \(operation)"
        }
    }
}
