public import Cryptography
public import Determinism

/// The certificate of an issuer's public key on an elliptic curve (tag 90): 117 bytes with P-256 (EMV Book E chapter 5;
/// Book 2 §12.3). Nothing in it is hidden: it is the fields, and the signature of the certification authority over
/// them.
///
/// A parsed certificate is not verified: ``ECCCertificateChain`` does that.
public struct IssuerECCCertificate: Hashable, Sendable {
    /// The first 3 to 10 digits of the PAN, filled with F to 5 bytes.
    public let issuerIdentifier: [UInt8]
    /// The suite of the certified key.
    public let keySuite: CertificateSuite
    /// The last day on which the certificate is good, in UTC.
    public let expiry: CivilDate
    /// 3 bytes, by the certification authority.
    public let serialNumber: [UInt8]
    /// The payment system, 5 bytes.
    public let rid: [UInt8]
    /// The index of the certification authority's key, the same as in tag 8F.
    public let authorityKeyIndex: UInt8
    /// x of the issuer's public key: 32 or 66 bytes. Nothing says yet that a point has it.
    public let key: [UInt8]
    /// The signed bytes: everything before the signature.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Reads a certificate and checks its fields.
    ///
    /// - Parameters:
    ///   - bytes: the value of tag 90.
    ///   - signer: the suite of the certification authority's key, which gives the length of the signature.
    /// - Throws: ``ECCCertificateError``: length, format, encoding, suite, identifier, or expiry.
    public init(_ bytes: [UInt8], signedWith signer: CertificateSuite) throws(ECCCertificateError) {
        var fields = try CertificateReader(bytes, .issuer, shortest: 21 + 32 + signer.signatureLength)
        try fields.expect(0x12, .format)
        try fields.expect(0x00, .encoding)
        issuerIdentifier = fields.take(5)
        keySuite = try fields.suite()
        try fields.checkLength(21 + keySuite.keyLength + signer.signatureLength)
        expiry = try fields.date()
        serialNumber = fields.take(3)
        rid = fields.take(5)
        authorityKeyIndex = fields.byte()
        key = fields.take(keySuite.keyLength)
        signed = fields.consumed
        signature = fields.take(signer.signatureLength)
        guard Self.digitCount(issuerIdentifier) != nil else {
            throw .field(.issuer, .issuerIdentifier, offset: 2)
        }
    }

    /// The number of digits of an identifier; nil unless it is 3 to 10 digits and then F alone.
    static func digitCount(_ identifier: [UInt8]) -> Int? {
        let nibbles = identifier.flatMap { [$0 >> 4, $0 & 0x0F] }
        let digits = nibbles.prefix { $0 <= 9 }
        guard (3...10).contains(digits.count), nibbles.dropFirst(digits.count).allSatisfy({ $0 == 0x0F }) else {
            return nil
        }
        return digits.count
    }
}

/// The certificate of a card's public key for the secure channel (tag 9F46): 145 bytes with P-256 (EMV Book E chapter
/// 5; Book 2 §12.4).
///
/// A parsed certificate is not verified: ``ECCCertificateChain`` does that.
public struct CardECCCertificate: Hashable, Sendable {
    /// The suite of the secure channel that the certified key is for.
    public let keySuite: SecureChannelSuite
    /// The last minute in which the certificate is good, in UTC.
    public let expiry: CivilDate
    /// 6 bytes, by the issuer.
    public let serialNumber: [UInt8]
    /// The hash of the card's static data, 32 bytes (``StaticDataHash``).
    public let staticDataHash: [UInt8]
    /// x of the card's public key, 32 bytes. Nothing says yet that a point has it.
    public let key: [UInt8]
    /// The signed bytes: everything before the signature.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Reads a certificate and checks its fields.
    ///
    /// - Parameters:
    ///   - bytes: the value of tag 9F46.
    ///   - signer: the suite of the issuer's key, which gives the length of the signature.
    /// - Throws: ``ECCCertificateError``: length, format, encoding, suite, expiry, or the way of the hash. Hash
    ///   encoding 00 belongs to contact cards, and hash algorithm 03 (SHA-512) was never seen: both are refused.
    public init(_ bytes: [UInt8], signedWith signer: CertificateSuite) throws(ECCCertificateError) {
        var fields = try CertificateReader(bytes, .card, shortest: 49 + 32 + signer.signatureLength)
        try fields.expect(0x14, .format)
        try fields.expect(0x00, .encoding)
        keySuite = try fields.channelSuite()
        try fields.checkLength(49 + keySuite.curve.length + signer.signatureLength)
        expiry = try fields.dateAndTime()
        serialNumber = fields.take(6)
        try fields.expect(0x01, .hashEncoding)
        try fields.expect(0x02, .hashAlgorithm)
        staticDataHash = fields.take(32)
        key = fields.take(keySuite.curve.length)
        signed = fields.consumed
        signature = fields.take(signer.signatureLength)
    }
}

/// Reads the fields of a certificate one after the other. Beyond the end, fields are shorter or zero: a certificate of
/// the wrong length is refused before that matters.
private struct CertificateReader {
    private let bytes: [UInt8]
    private let certificate: ECCCertificateError.Certificate
    private var position = 0

    init(
        _ bytes: [UInt8], _ certificate: ECCCertificateError.Certificate, shortest: Int
    ) throws(ECCCertificateError) {
        (self.bytes, self.certificate) = (bytes, certificate)
        guard bytes.count >= shortest else {
            throw .length(certificate, expected: shortest, actual: bytes.count)
        }
    }

    var consumed: [UInt8] { Array(bytes.prefix(position)) }

    func checkLength(_ expected: Int) throws(ECCCertificateError) {
        guard bytes.count == expected else { throw .length(certificate, expected: expected, actual: bytes.count) }
    }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { position += count }
        return Array(bytes.dropFirst(position).prefix(count))
    }

    mutating func byte() -> UInt8 { take(1).first ?? 0 }

    mutating func expect(_ value: UInt8, _ field: ECCCertificateError.Field) throws(ECCCertificateError) {
        guard byte() == value else { throw .field(certificate, field, offset: position - 1) }
    }

    mutating func suite() throws(ECCCertificateError) -> CertificateSuite {
        guard let suite = CertificateSuite(rawValue: byte()) else {
            throw .field(certificate, .keySuite, offset: position - 1)
        }
        return suite
    }

    mutating func channelSuite() throws(ECCCertificateError) -> SecureChannelSuite {
        guard let suite = SecureChannelSuite(rawValue: byte()) else {
            throw .field(certificate, .keySuite, offset: position - 1)
        }
        return suite
    }

    /// Reads YYYYMMDD, eight digits in four bytes.
    mutating func date() throws(ECCCertificateError) -> CivilDate { try date(hasTime: false) }

    /// Reads YYYYMMDDHHMM, twelve digits in six bytes.
    mutating func dateAndTime() throws(ECCCertificateError) -> CivilDate { try date(hasTime: true) }

    private mutating func date(hasTime: Bool) throws(ECCCertificateError) -> CivilDate {
        let start = position
        let digits = take(hasTime ? 6 : 4).flatMap { [Int($0 >> 4), Int($0 & 0x0F)] }
        func number(_ range: Range<Int>) -> Int {
            digits.dropFirst(range.lowerBound).prefix(range.count).reduce(0) { $0 * 10 + $1 }
        }
        let date = CivilDate(
            year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
            minute: number(10..<12))
        guard digits.allSatisfy({ $0 <= 9 }), date.year > 0, (1...12).contains(date.month),
            (1...date.daysInMonth).contains(date.day), date.hour <= 23, date.minute <= 59
        else { throw .field(certificate, .expiry, offset: start) }
        return date
    }
}

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
        case .staticDataHash: "\(Certificate.card.rawValue): the card's data are not the certified ones"
        case .cryptography(let certificate, let error): "\(certificate.rawValue): \(error)"
        }
    }
}
