public import CardSecrets
public import Cryptography
public import Determinism

/// An issuer's public key, recovered from its certificate (EMV Book 2 §5.3 and §6.3).
public struct IssuerPublicKey: Hashable, Sendable {
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The certificate's serial number, 3 bytes.
    public let serialNumber: [UInt8]
    /// The month through which the certificate is good.
    public let expiry: CertificateExpiry

    /// Recovers the key and makes every check of EMV Book 2 §6.3.
    ///
    /// - Parameters:
    ///   - data: tags 90, 92 and 9F32.
    ///   - authority: the certification authority's key that the card names with tag 8F.
    ///   - pan: the card's PAN (tag 5A), whose first three to eight digits name the issuer.
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

    /// Whether the issuer identifier, 3...8 digits filled with F on the right, begins the PAN.
    private static func names(_ identifier: [UInt8], _ pan: borrowing PrimaryAccountNumber) -> Bool {
        let nibbles = identifier.flatMap { [$0 >> 4, $0 & 0x0F] }
        let digits = nibbles.prefix { $0 <= 9 }
        guard (3...8).contains(digits.count), nibbles.dropFirst(digits.count).allSatisfy({ $0 == 0x0F }) else {
            return false
        }
        return pan.withDigits { $0.starts(with: digits) }
    }
}
