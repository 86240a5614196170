public import CardSecrets
public import Cryptography
public import Determinism

/// A public key certificate as stored on a card, in three data objects.
public struct PublicKeyCertificate: Hashable, Sendable {
    /// Tag 90, 9F46 or 9F2D; as long as the signer's modulus.
    public var certificate: [UInt8]
    /// Tag 92, 9F48 or 9F2F: the rest of a modulus that does not fit in the certificate; empty if none.
    public var remainder: [UInt8]
    /// Tag 9F32, 9F47 or 9F2E: `[3]` or `[1, 0, 1]`.
    public var exponent: [UInt8]

    /// Takes the values of the three data objects, without their tags and lengths; nothing is checked yet.
    public init(certificate: [UInt8], remainder: [UInt8] = [], exponent: [UInt8]) {
        (self.certificate, self.remainder, self.exponent) = (certificate, remainder, exponent)
    }
}

/// An issuer's public key, recovered from its certificate (EMV Book 2 §5.3 and §6.3).
public struct IssuerPublicKey: Hashable, Sendable {
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The certificate's serial number, 3 bytes.
    public let serialNumber: [UInt8]
    /// The certificate's expiration month.
    public let expiry: CertificateExpiry

    /// Recovers the key with all checks of EMV Book 2 §6.3.
    ///
    /// - Parameters:
    ///   - data: tags 90, 92 and 9F32.
    ///   - authority: the certification authority key with the index in tag 8F.
    ///   - pan: the card's PAN (tag 5A), which starts with the issuer identifier of three to eight digits.
    ///   - date: the date of the transaction.
    ///   - revoked: the payment systems' revocation lists.
    /// - Throws: ``CertificateError``
    public init(
        recovering data: PublicKeyCertificate, authority: CAPublicKey, pan: borrowing PrimaryAccountNumber,
        date: CivilDate, revoked: Set<CertificateRevocation> = []
    ) throws(CertificateError) {
        if let last = authority.expiry, (last.year, last.month, last.day) < (date.year, date.month, date.day) {
            throw .authorityKeyExpired(index: authority.index)
        }
        let fields = try CertificateFields(
            opening: data, .issuer, signer: authority.key)
        guard Self.names(fields.subject, pan) else { throw .issuerIdentifier }
        guard !fields.expiry.isOver(on: date) else { throw .expired(.issuer) }
        let revocation = CertificateRevocation(
            rid: authority.rid, index: authority.index, serialNumber: fields.serialNumber)
        guard !revoked.contains(revocation) else { throw .revoked(.issuer) }
        key = try fields.publicKey(data, signerLength: authority.key.length)
        (serialNumber, expiry) = (fields.serialNumber, fields.expiry)
    }

    /// Returns whether the PAN starts with the issuer identifier, 3...8 digits padded with F on the right.
    private static func names(_ identifier: [UInt8], _ pan: borrowing PrimaryAccountNumber) -> Bool {
        let nibbles = identifier.flatMap { [$0 >> 4, $0 & 0x0F] }
        let digits = nibbles.prefix { $0 <= 9 }
        guard (3...8).contains(digits.count), nibbles.dropFirst(digits.count).allSatisfy({ $0 == 0x0F }) else {
            return false
        }
        return pan.withDigits { $0.starts(with: digits) }
    }
}

/// A card's public key, recovered from its certificate.
public struct ICCPublicKey: Hashable, Sendable {
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The certificate's expiration month.
    public let expiry: CertificateExpiry

    /// Recovers the card's signature key for DDA and CDA (EMV Book 2 §6.4).
    ///
    /// - Parameters:
    ///   - data: tags 9F46, 9F48 and 9F47.
    ///   - issuer: the issuer's recovered key.
    ///   - pan: the card's PAN (tag 5A).
    ///   - staticData: the static data to be authenticated: the records marked in the AFL, and the AIP if the static
    ///     data authentication tag list contains it (EMV Book 3 §10.3).
    ///   - date: the date of the transaction.
    /// - Throws: ``CertificateError``
    public init(
        recovering data: PublicKeyCertificate, issuer: IssuerPublicKey, pan: borrowing PrimaryAccountNumber,
        staticData: [UInt8], date: CivilDate
    ) throws(CertificateError) {
        try self.init(data, .icc, issuer: issuer, pan: pan, staticData: staticData, date: date)
    }

    /// Recovers the card's PIN encipherment key (EMV Book 2 §7.1).
    ///
    /// - Parameters:
    ///   - data: tags 9F2D, 9F2F and 9F2E.
    ///   - issuer: the issuer's recovered key.
    ///   - pan: the card's PAN (tag 5A).
    ///   - date: the date of the transaction.
    /// - Throws: ``CertificateError``
    public init(
        recoveringPINKey data: PublicKeyCertificate, issuer: IssuerPublicKey, pan: borrowing PrimaryAccountNumber,
        date: CivilDate
    ) throws(CertificateError) {
        try self.init(data, .iccPIN, issuer: issuer, pan: pan, staticData: [], date: date)
    }

    private init(
        _ data: PublicKeyCertificate, _ certificate: CertificateError.Certificate, issuer: IssuerPublicKey,
        pan: borrowing PrimaryAccountNumber, staticData: [UInt8], date: CivilDate
    ) throws(CertificateError) {
        let fields = try CertificateFields(
            opening: data, certificate, signer: issuer.key, staticData: staticData)
        guard Self.equals(fields.subject, pan) else { throw .accountNumber(certificate) }
        guard !fields.expiry.isOver(on: date) else { throw .expired(certificate) }
        key = try fields.publicKey(data, signerLength: issuer.key.length)
        expiry = fields.expiry
    }

    /// Returns whether ten bytes contain the PAN padded with F on the right.
    private static func equals(_ subject: [UInt8], _ pan: borrowing PrimaryAccountNumber) -> Bool {
        var nibbles = subject.flatMap { [$0 >> 4, $0 & 0x0F] }
        defer { nibbles.wipe() }
        return pan.withDigits { digits in
            nibbles.starts(with: digits) && nibbles.dropFirst(digits.count).allSatisfy { $0 == 0x0F }
        }
    }
}

/// Why a public key certificate of a card was rejected: which certificate failed which check of EMV Book 2 §5.3, §6.3,
/// §6.4, or §7.1. Contains no card data.
public enum CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A certificate of the chain.
    public enum Certificate: String, Hashable, Sendable {
        /// Tag 90, signed by the certification authority.
        case issuer = "issuer public key certificate (90)"
        /// Tag 9F46, signed by the issuer.
        case icc = "ICC public key certificate (9F46)"
        /// Tag 9F2D, signed by the issuer.
        case iccPIN = "ICC PIN encipherment public key certificate (9F2D)"
    }

    /// The certificate is not as long as the signer's modulus.
    case length(Certificate, expected: Int, actual: Int)
    /// The last recovered byte is not BC: the certificate was signed with another key.
    case trailer(Certificate)
    /// The first recovered byte is not 6A.
    case header(Certificate)
    /// The certificate format byte belongs to another kind of certificate.
    case format(Certificate, UInt8)
    /// The hash does not match the certificate's data.
    case hash(Certificate)
    /// The PAN does not start with the issuer identifier.
    case issuerIdentifier
    /// The PAN in the certificate is not the card's PAN.
    case accountNumber(Certificate)
    /// The certificate expiration date is not a valid month and year.
    case malformedExpiry(Certificate)
    /// The certificate has expired.
    case expired(Certificate)
    /// The payment system revoked the certificate.
    case revoked(Certificate)
    /// The hash algorithm is not SHA-1.
    case hashAlgorithm(Certificate, UInt8)
    /// The public key algorithm is not RSA.
    case publicKeyAlgorithm(Certificate, UInt8)
    /// The certified key is longer than the signer's key or too short; its length in bytes.
    case keyLength(Certificate, Int)
    /// The remainder of the modulus is missing or has the wrong length.
    case remainderLength(Certificate, expected: Int, actual: Int)
    /// The exponent is neither 3 nor 65537, or its length differs from the one in the certificate.
    case exponent(Certificate)
    /// The certification authority's key has expired.
    case authorityKeyExpired(index: UInt8)
    /// The recovered modulus is not a valid RSA modulus, or libcrypto failed.
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
            "\(Certificate.issuer.rawValue): the account number does not start with the issuer identifier"
        case .accountNumber(let certificate): "\(certificate.rawValue): issued for another account number"
        case .malformedExpiry(let certificate): "\(certificate.rawValue): the expiration date is not valid"
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
