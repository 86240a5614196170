import CardSecrets
public import Cryptography
public import Determinism

/// The certificate of an issuer's public key on an elliptic curve (tag 90): 117 bytes with P-256 (EMV Book 2 §12.3,
/// table 35; Book E chapter 5). Nothing in it is hidden: it is the fields, and the signature of the certification
/// authority over them.
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

/// The certificate of a card's public key on an elliptic curve (tag 9F46): 145 bytes with P-256 (EMV Book 2 §12.4,
/// table 36; Book E chapter 5).
///
/// A parsed certificate is not verified: ``ECCCertificateChain`` does that.
public struct CardECCCertificate: Hashable, Sendable {
    /// What the certified key is for. It decides which suites and hashes the certificate may have.
    public enum Use: Hashable, Sendable {
        /// The card signs its cryptograms with the key (XDA): signature suites, and a hash over data objects.
        case signature
        /// The key agreement of the secure channel of kernel 8: channel suite 00, and a hash with SHA-256 over data
        /// objects and the value of the AIP.
        case secureChannel

        /// The indicator of the way in which the hashed data are written.
        var hashEncoding: UInt8 {
            switch self {
            case .signature: 0x00
            case .secureChannel: 0x01
            }
        }

        /// Returns the curve of a suite; nil if the use does not allow it, or it is not built.
        func curve(ofSuite suite: UInt8) -> EllipticCurve? {
            switch self {
            case .signature: CertificateSuite(rawValue: suite)?.curve
            case .secureChannel: suite == 0x00 ? .p256 : nil
            }
        }

        /// Returns whether a hash algorithm may be used: 02 is SHA-256, 03 SHA-512 (EMV Book 2 §B2.3). The secure
        /// channel was never seen with SHA-512.
        func allows(hashAlgorithm: UInt8) -> Bool { hashAlgorithm == 2 || hashAlgorithm == 3 && self == .signature }
    }

    /// The suite of the certified key: of signatures, or of the secure channel.
    public let keySuite: UInt8
    /// The curve of the certified key.
    public let keyCurve: EllipticCurve
    /// The last minute in which the certificate is good, in UTC.
    public let expiry: CivilDate
    /// 6 bytes, by the issuer.
    public let serialNumber: [UInt8]
    /// The hash of the card's static data, 32 or 64 bytes.
    public let staticDataHash: [UInt8]
    /// x of the card's public key: 32 or 66 bytes. Nothing says yet that a point has it.
    public let key: [UInt8]
    /// The signed bytes: everything before the signature.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Reads a certificate and checks its fields.
    ///
    /// - Parameters:
    ///   - bytes: the value of tag 9F46.
    ///   - signer: the suite of the issuer's key, which gives the length of the signature.
    ///   - use: what the key is for.
    /// - Throws: ``ECCCertificateError``: length, format, encoding, suite, expiry, or the way of the hash.
    public init(_ bytes: [UInt8], signedWith signer: CertificateSuite, for use: Use) throws(ECCCertificateError) {
        var fields = try CertificateReader(bytes, .card, shortest: 49 + 32 + signer.signatureLength)
        try fields.expect(0x14, .format)
        try fields.expect(0x00, .encoding)
        keySuite = fields.byte()
        guard let curve = use.curve(ofSuite: keySuite) else { throw .field(.card, .keySuite, offset: 2) }
        keyCurve = curve
        let algorithm = bytes[16]
        guard use.allows(hashAlgorithm: algorithm) else { throw .field(.card, .hashAlgorithm, offset: 16) }
        let hashLength = algorithm == 3 ? 64 : 32
        try fields.checkLength(17 + hashLength + curve.length + signer.signatureLength)
        expiry = try fields.dateAndTime()
        serialNumber = fields.take(6)
        try fields.expect(use.hashEncoding, .hashEncoding)
        try fields.expect(algorithm, .hashAlgorithm)
        staticDataHash = fields.take(hashLength)
        key = fields.take(curve.length)
        signed = fields.consumed
        signature = fields.take(signer.signatureLength)
    }

    /// Returns the hash of data with the certificate's algorithm.
    func hash(_ data: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        staticDataHash.count == SHA512.length ? try SHA512.hash(data) : try SHA256.hash(data)
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
