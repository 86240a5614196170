public import Cryptography

/// Why data is not a certification authority public key.
public enum CAPublicKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The RID has this many bytes, and must have five.
    case ridLength(Int)
    /// The modulus has this many bytes, and must have 64...248.
    case modulusLength(Int)
    /// The exponent is neither 3 nor 65537.
    case exponent([UInt8])
    /// The checksum does not fit RID, index, modulus and exponent: one of them is mistyped.
    case checksumMismatch(rid: [UInt8], index: UInt8)
    /// The modulus is not that of an RSA key, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .ridLength(let count): "the RID of a CA public key has \(count) bytes: it must have 5"
        case .modulusLength(let count): "the modulus of a CA public key has \(count) bytes: it must have 64 to 248"
        case .exponent(let bytes):
            "the exponent of a CA public key is \(bytes.hexadecimal): it must be 03 or 010001"
        case .checksumMismatch(let rid, let index):
            "the checksum of CA public key \(rid.hexadecimal) \([index].hexadecimal) is wrong: "
                + "compare modulus, exponent and checksum with the payment system's publication"
        case .cryptography(let error): "CA public key: \(error)"
        }
    }
}
