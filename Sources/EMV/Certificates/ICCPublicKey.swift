public import CardSecrets
public import Cryptography
public import Determinism

/// A card's own public key, recovered from a certificate of its issuer.
public struct ICCPublicKey: Hashable, Sendable {
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The month through which the certificate is good.
    public let expiry: CertificateExpiry

    /// Recovers the key that the card signs with in DDA and CDA (EMV Book 2 §6.4).
    ///
    /// - Parameters:
    ///   - data: tags 9F46, 9F48 and 9F47.
    ///   - issuer: the issuer's recovered key.
    ///   - pan: the card's PAN (tag 5A).
    ///   - staticData: the static data to be authenticated: the records that the AFL marks, and the
    ///     AIP when the static data authentication tag list names it (EMV Book 3 §10.3).
    ///   - date: the date of the transaction.
    /// - Throws: ``CertificateError``
    public init(
        recovering data: PublicKeyCertificate, issuer: IssuerPublicKey, pan: borrowing PrimaryAccountNumber,
        staticData: [UInt8], date: CivilDate
    ) throws(CertificateError) {
        try self.init(data, .icc, issuer: issuer, pan: pan, staticData: staticData, date: date)
    }

    /// Recovers the key that a PIN is enciphered under on its way to the card (EMV Book 2 §7.1).
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

    /// Whether ten bytes hold the digits of the PAN and F on the right.
    private static func equals(_ subject: [UInt8], _ pan: borrowing PrimaryAccountNumber) -> Bool {
        var nibbles = subject.flatMap { [$0 >> 4, $0 & 0x0F] }
        defer { nibbles.wipe() }
        return pan.withDigits { digits in
            nibbles.starts(with: digits) && nibbles.dropFirst(digits.count).allSatisfy { $0 == 0x0F }
        }
    }
}
