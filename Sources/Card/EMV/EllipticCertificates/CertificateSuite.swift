public import Cryptography

/// An algorithm suite of certificates: curve, hash function, and signature scheme (EMV Book 2 §B2.4.1, and
/// Book E).
///
/// The suites with SHA-3 (12, 13) and the regional one (80) are assigned and not built; 01 stands for RSA in the list
/// of kernel 8, and is not built either.
public enum CertificateSuite: UInt8, CaseIterable, Hashable, Sendable {
    /// EC-SDSA with SHA-256 on P-256.
    case p256 = 0x10
    /// EC-SDSA with SHA-512 on P-521.
    case p521 = 0x11

    /// The curve of keys and signatures.
    public var curve: EllipticCurve {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }

    /// The length of a public key in a certificate, which is x alone: 32 or 66 bytes.
    public var keyLength: Int { curve.length }

    /// The length of a digest: 32 or 64 bytes.
    public var hashLength: Int { curve.hashLength }

    /// The length of a signature: 64 or 130 bytes.
    public var signatureLength: Int { ECSDSA.length(on: curve) }
}
