public import Cryptography
public import Determinism
import Text

/// A payment system's certification authority public key on an elliptic curve, as stored in a terminal (EMV Book 2
/// §11.2.2, table 31).
public struct ECCAuthorityKey: Hashable, Sendable {
    /// The payment system's registered application provider identifier (RID), 5 bytes.
    public let rid: [UInt8]
    /// The index of the key within the payment system (tag 8F), which no RSA key of the system has.
    public let index: UInt8
    /// The suite of the signatures that the key verifies.
    public let suite: CertificateSuite
    /// The key, with the smaller of the two roots.
    public let key: EllipticCurvePoint
    /// The last day on which certificates under this key are accepted; nil when there is no limit.
    public let expiry: CivilDate?
    /// The hash of the suite over RID, index, suite, x, and y: 32 or 64 bytes. The book leaves the algorithm to the
    /// terminal; this one is that of the suite.
    public let checksum: [UInt8]

    /// - Parameters:
    ///   - rid: 5 bytes.
    ///   - index: the key's index within the payment system.
    ///   - suite: the suite of the key.
    ///   - key: x alone, 32 or 66 bytes; or x and y, 64 or 132 bytes.
    ///   - checksum: the expected ``checksum``; nil when the source states none.
    ///   - expiry: the last day on which the key may be used.
    /// - Throws: ``ECCAuthorityKeyError``
    public init(
        rid: [UInt8], index: UInt8, suite: CertificateSuite, key: [UInt8], checksum: [UInt8]? = nil,
        expiry: CivilDate? = nil
    ) throws(ECCAuthorityKeyError) {
        guard rid.count == 5 else { throw .ridLength(rid.count) }
        guard key.count == suite.keyLength || key.count == 2 * suite.keyLength else {
            throw .keyLength(key.count, expected: suite.keyLength)
        }
        let point: EllipticCurvePoint
        let computed: [UInt8]
        do throws(CryptographyError) {
            point =
                try key.count == suite.keyLength
                ? EllipticCurvePoint(smallerRootOf: key, on: suite.curve)
                : EllipticCurvePoint(coordinates: key, on: suite.curve)
            computed = try suite.curve.hash(rid + [index, suite.rawValue] + point.coordinates)
        } catch {
            throw .cryptography(rid: rid, index: index, error)
        }
        // x alone stands for the smaller root everywhere, so another y can only be a mistake.
        guard point.hasSmallerY else { throw .largerRoot(rid: rid, index: index) }
        guard !point.hasKnownPrivateKey else { throw .knownPrivateKey(rid: rid, index: index) }
        if let checksum, checksum != computed { throw .checksumMismatch(rid: rid, index: index) }
        (self.rid, self.index, self.suite, self.expiry) = (rid, index, suite, expiry)
        (self.key, self.checksum) = (point, computed)
    }
}

/// The form in which a payment system distributes its key on an elliptic curve: signed with the key itself (EMV Book 2
/// §11.2.1, table 29).
public enum ECCAuthorityCertificate {
    /// Verifies a self-signed certificate. So it is certain that no byte was mistyped, and that the terminal has the
    /// algorithms.
    ///
    /// - Parameters:
    ///   - bytes: format 20, encoding 00, RID, index, suite, x, and the signature: 105 or 205 bytes.
    ///   - expiry: the last day on which the key may be used, which the certificate does not have.
    /// - Returns: its key.
    /// - Throws: ``ECCAuthorityKeyError``
    public static func key(_ bytes: [UInt8], expiry: CivilDate? = nil) throws(ECCAuthorityKeyError) -> ECCAuthorityKey {
        guard bytes.count > 9, bytes[0] == 0x20, bytes[1] == 0x00, let suite = CertificateSuite(rawValue: bytes[8])
        else { throw .certificateFormat }
        let signed = 9 + suite.keyLength
        guard bytes.count == signed + suite.signatureLength else {
            throw .certificateLength(bytes.count, expected: signed + suite.signatureLength)
        }
        let key = try ECCAuthorityKey(
            rid: Array(bytes[2..<7]), index: bytes[7], suite: suite, key: Array(bytes[9..<signed]), expiry: expiry)
        let isGenuine: Bool
        do throws(CryptographyError) {
            isGenuine = try ECSDSA.verify(Array(bytes[signed...]), of: Array(bytes[..<signed]), key: key.key)
        } catch {
            throw .cryptography(rid: key.rid, index: key.index, error)
        }
        guard isGenuine else { throw .certificateSignature(rid: key.rid, index: key.index) }
        return key
    }
}

/// Why data is not a certification authority public key on an elliptic curve.
public enum ECCAuthorityKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The RID has this many bytes instead of five.
    case ridLength(Int)
    /// The key is neither x alone nor x and y; the lengths of the key and of x, in bytes.
    case keyLength(Int, expected: Int)
    /// y is the larger root, although keys are made with the smaller one.
    case largerRoot(rid: [UInt8], index: UInt8)
    /// The key is the base point, whose private key is one.
    case knownPrivateKey(rid: [UInt8], index: UInt8)
    /// The checksum does not match RID, index, suite, x, and y: one of them is mistyped.
    case checksumMismatch(rid: [UInt8], index: UInt8)
    /// The self-signed certificate does not begin as table 29 of the book says, or has an unknown suite.
    case certificateFormat
    /// The self-signed certificate has not the length of its suite.
    case certificateLength(Int, expected: Int)
    /// The self-signed certificate is not signed with its own key.
    case certificateSignature(rid: [UInt8], index: UInt8)
    /// The key is no point of the curve, or libcrypto failed.
    case cryptography(rid: [UInt8], index: UInt8, CryptographyError)

    public var description: String {
        switch self {
        case .ridLength(let count): "the RID of a CA public key has \(count) bytes: it must have 5"
        case .keyLength(let count, let expected):
            "a CA public key has \(count) bytes: give x (\(expected) bytes), or x and y (\(2 * expected) bytes)"
        case .largerRoot(let rid, let index):
            "y of CA public key \(Self.name(rid, index)) is the larger root: "
                + "compare it with the payment system's publication, or give x alone"
        case .knownPrivateKey(let rid, let index):
            "CA public key \(Self.name(rid, index)) is the base point of its curve, whose private key is one: "
                + "remove it"
        case .checksumMismatch(let rid, let index):
            "the checksum of CA public key \(Self.name(rid, index)) is wrong: "
                + "compare suite, key and checksum with the payment system's publication"
        case .certificateFormat:
            "a self-signed certificate of a CA public key begins with 2000, RID, index, and suite 10 or 11"
        case .certificateLength(let count, let expected):
            "the self-signed certificate of a CA public key has \(count) bytes instead of \(expected)"
        case .certificateSignature(let rid, let index):
            "the certificate of CA public key \(Self.name(rid, index)) is not signed with its key: "
                + "compare it with the payment system's publication"
        case .cryptography(let rid, let index, let error): "CA public key \(Self.name(rid, index)): \(error)"
        }
    }

    private static func name(_ rid: [UInt8], _ index: UInt8) -> String {
        "\(rid.hexadecimal) \([index].hexadecimal)"
    }
}
