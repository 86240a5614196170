public import Cryptography

/// Why a public key certificate of a card was not accepted: which certificate, and which check of
/// EMV Book 2 §5.3, §6.3, §6.4 or §7.1. Carries no card data.
public enum CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which certificate of the chain.
    public enum Certificate: String, Hashable, Sendable {
        /// Tag 90, signed by the certification authority.
        case issuer = "issuer public key certificate (90)"
        /// Tag 9F46, signed by the issuer.
        case icc = "ICC public key certificate (9F46)"
        /// Tag 9F2D, signed by the issuer.
        case iccPIN = "ICC PIN encipherment public key certificate (9F2D)"
    }

    /// The certificate is not as long as the modulus of the key that it is signed with.
    case length(Certificate, expected: Int, actual: Int)
    /// The last recovered byte is not BC: the certificate is not signed with this key.
    case trailer(Certificate)
    /// The first recovered byte is not 6A.
    case header(Certificate)
    /// The certificate format byte is of another kind of certificate.
    case format(Certificate, UInt8)
    /// The hash is not that of the certificate's data.
    case hash(Certificate)
    /// The issuer identifier is not the beginning of the PAN.
    case issuerIdentifier
    /// The PAN in the certificate is not the card's.
    case accountNumber(Certificate)
    /// The expiry date in the certificate is no month and year.
    case malformedExpiry(Certificate)
    /// The certificate's last month is over.
    case expired(Certificate)
    /// The payment system has revoked the certificate.
    case revoked(Certificate)
    /// The certificate names a hash algorithm that is not SHA-1.
    case hashAlgorithm(Certificate, UInt8)
    /// The certificate names a public key algorithm that is not RSA.
    case publicKeyAlgorithm(Certificate, UInt8)
    /// The certified key is longer than the key that certifies it, or too short; the number of bytes.
    case keyLength(Certificate, Int)
    /// The remainder of the modulus is missing, or not as long as the key's length asks for.
    case remainderLength(Certificate, expected: Int, actual: Int)
    /// The exponent is neither 3 nor 65537, or its length is not the one in the certificate.
    case exponent(Certificate)
    /// The certification authority's key may no longer be used.
    case authorityKeyExpired(index: UInt8)
    /// The recovered modulus is not that of an RSA key, or libcrypto failed.
    case cryptography(Certificate, CryptographyError)

    public var description: String {
        switch self {
        case .length(let certificate, let expected, let actual):
            "\(certificate.rawValue): \(actual) bytes instead of \(expected)"
        case .trailer(let certificate): "\(certificate.rawValue): wrong trailer, signed with another key"
        case .header(let certificate): "\(certificate.rawValue): wrong header"
        case .format(let certificate, let byte): "\(certificate.rawValue): certificate format \(byte)"
        case .hash(let certificate): "\(certificate.rawValue): wrong hash"
        case .issuerIdentifier:
            "\(Certificate.issuer.rawValue): the issuer identifier is not the beginning of the account number"
        case .accountNumber(let certificate): "\(certificate.rawValue): made for another account number"
        case .malformedExpiry(let certificate): "\(certificate.rawValue): the expiry date is no date"
        case .expired(let certificate): "\(certificate.rawValue): expired"
        case .revoked(let certificate): "\(certificate.rawValue): revoked"
        case .hashAlgorithm(let certificate, let byte): "\(certificate.rawValue): unknown hash algorithm \(byte)"
        case .publicKeyAlgorithm(let certificate, let byte):
            "\(certificate.rawValue): unknown public key algorithm \(byte)"
        case .keyLength(let certificate, let count): "\(certificate.rawValue): a key of \(count) bytes"
        case .remainderLength(let certificate, let expected, let actual):
            "\(certificate.rawValue): a key remainder of \(actual) bytes instead of \(expected)"
        case .exponent(let certificate): "\(certificate.rawValue): the exponent is neither 3 nor 65537"
        case .authorityKeyExpired(let index): "CA public key \(index) has expired: load the payment system's new keys"
        case .cryptography(let certificate, let error): "\(certificate.rawValue): \(error)"
        }
    }
}
