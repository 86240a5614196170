public import Cryptography
public import Determinism
import Text

/// A payment system's certification authority public key, as stored in a terminal (EMV Book 2 §5.1, §11.2.1; Book 4
/// §10.2).
public struct CAPublicKey: Hashable, Sendable {
    /// The payment system's registered application provider identifier (RID), 5 bytes.
    public let rid: [UInt8]
    /// The index of the key within the payment system (tags 8F and 9F22).
    public let index: UInt8
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The last day on which certificates under this key are accepted; nil when there is no limit.
    public let expiry: CivilDate?
    /// SHA-1 over RID, index, modulus, and exponent, 20 bytes. Payment systems publish it with the key to detect typing
    /// errors.
    public let checksum: [UInt8]

    /// - Parameters:
    ///   - rid: 5 bytes.
    ///   - index: the key's index within the payment system.
    ///   - modulus: big-endian, 64...248 bytes, no leading zero byte.
    ///   - exponent: `[3]` or `[1, 0, 1]`.
    ///   - checksum: the expected ``checksum``, 20 bytes; nil when the source states none.
    ///   - expiry: the last day on which the key may be used.
    /// - Throws: ``CAPublicKeyError``
    public init(
        rid: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8], checksum: [UInt8]?, expiry: CivilDate? = nil
    ) throws(CAPublicKeyError) {
        guard rid.count == 5 else { throw .ridLength(rid.count) }
        guard (64...248).contains(modulus.count) else { throw .modulusLength(modulus.count) }
        guard exponent == [3] || exponent == [1, 0, 1] else { throw .exponent(exponent) }
        let computed: [UInt8]
        do throws(CryptographyError) {
            key = try RSAPublicKey(modulus: modulus, exponent: exponent)
            (self.rid, self.index, self.expiry) = (rid, index, expiry)
            computed = try SHA1.hash(rid + [index] + modulus + exponent)
        } catch {
            throw .cryptography(error)
        }
        if let checksum, checksum != computed { throw .checksumMismatch(rid: rid, index: index) }
        self.checksum = computed
    }
}

/// Why data is not a valid certification authority public key.
public enum CAPublicKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The RID has this many bytes instead of five.
    case ridLength(Int)
    /// The modulus has this many bytes instead of 64...248.
    case modulusLength(Int)
    /// The exponent is neither 3 nor 65537.
    case exponent([UInt8])
    /// The checksum does not match RID, index, modulus, and exponent: one of them is mistyped.
    case checksumMismatch(rid: [UInt8], index: UInt8)
    /// The modulus is not a valid RSA modulus, or libcrypto failed.
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

/// An issuer public key certificate that a payment system has revoked (EMV Book 2 §5.1.2).
public struct CertificateRevocation: Hashable, Sendable {
    /// 5 bytes.
    public var rid: [UInt8]
    /// The index of the certification authority's key.
    public var index: UInt8
    /// The certificate's serial number, 3 bytes.
    public var serialNumber: [UInt8]

    /// Names a certificate by its RID (5 bytes), the index of the CA public key, and its serial number (3 bytes).
    public init(rid: [UInt8], index: UInt8, serialNumber: [UInt8]) {
        (self.rid, self.index, self.serialNumber) = (rid, index, serialNumber)
    }
}
