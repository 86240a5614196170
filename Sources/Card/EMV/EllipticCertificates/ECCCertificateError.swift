public import Cryptography

/// Why a certificate on an elliptic curve was refused: which certificate failed which check, and where. It contains no
/// card data.
public enum ECCCertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A certificate of the chain.
    public enum Certificate: String, Hashable, Sendable {
        /// Tag 90, signed by the certification authority.
        case issuer = "issuer public key certificate (90)"
        /// Tag 9F46, signed by the issuer.
        case card = "ICC public key certificate (9F46)"
    }

    /// A field whose value is not allowed.
    public enum Field: String, Hashable, Sendable {
        case format = "certificate format"
        case encoding = "certificate encoding"
        case issuerIdentifier = "issuer identifier"
        case keySuite = "algorithm suite of the key"
        case expiry = "expiration date"
        case hashEncoding = "encoding of the hashed data"
        case hashAlgorithm = "hash algorithm"
    }

    /// The certificate has not the length that its suites ask for; a short one is compared with the shortest possible.
    case length(Certificate, expected: Int, actual: Int)
    /// A field has a value that is not allowed or not built; the offset of its first byte in the certificate.
    case field(Certificate, Field, offset: Int)
    /// The certification authority's key has expired.
    case authorityKeyExpired(index: UInt8)
    /// The certificate has expired.
    case expired(Certificate)
    /// The PAN does not start with the issuer identifier.
    case issuerIdentifier
    /// The certificate belongs to another payment system than the application or the certification authority's key.
    case applicationProvider
    /// The certificate names another key of the certification authority than the card (8F) or than the one used.
    case authorityKeyIndex(expected: UInt8, actual: UInt8)
    /// The payment system revoked the certificate of the issuer.
    case revoked
    /// The signature is not that of the signer.
    case signature(Certificate)
    /// No point of the curve has the x of the certified key.
    case publicKey(Certificate)
    /// The certified key is the base point of its curve, whose private key is one.
    case knownPrivateKey(Certificate)
    /// The certified hash is not that of the card's data.
    case staticDataHash
    /// libcrypto failed.
    case cryptography(Certificate, CryptographyError)

    public var description: String {
        switch self {
        case .length(let certificate, let expected, let actual):
            "\(certificate.rawValue): \(actual) bytes instead of \(expected)"
        case .field(let certificate, let field, let offset):
            "\(certificate.rawValue): \(field.rawValue) is not allowed, at offset \(offset)"
        case .authorityKeyExpired(let index):
            "CA public key \(index) has expired: load the payment system's new keys"
        case .expired(let certificate): "\(certificate.rawValue): expired"
        case .issuerIdentifier:
            "\(Certificate.issuer.rawValue): the account number does not start with the issuer identifier"
        case .applicationProvider: "\(Certificate.issuer.rawValue): it belongs to another payment system"
        case .authorityKeyIndex(let expected, let actual):
            "\(Certificate.issuer.rawValue): signed with CA public key \(actual) instead of \(expected)"
        case .revoked: "\(Certificate.issuer.rawValue): revoked"
        case .signature(let certificate): "\(certificate.rawValue): wrong signature"
        case .publicKey(let certificate): "\(certificate.rawValue): the certified key is no point of the curve"
        case .knownPrivateKey(let certificate):
            "\(certificate.rawValue): everybody knows the private key of the certified key"
        case .staticDataHash: "\(Certificate.card.rawValue): the card's data are not the certified ones"
        case .cryptography(let certificate, let error): "\(certificate.rawValue): \(error)"
        }
    }
}
