public import CardSecrets
public import Cryptography
public import Determinism

/// The chain of certificates from a certification authority over the issuer to the card (EMV Book 2 §12.2 to
/// §12.4, for the signatures of contact cards; Book E chapter 5, for the secure channel of kernel 8).
///
/// The variant with RSA certificates and a key of the card in tag 9F810B is not built: the layout of its hash is not
/// public.
public enum ECCCertificateChain {
    /// Verifies both certificates and returns the card's public key for the secure channel, in the order of the book.
    ///
    /// Whether the secure channel was made with this key is another question, which kernel 8 answers. A
    /// chain that fails is a failed local authentication, and the transaction goes on; a certificate, or tag 8F, that
    /// is missing altogether ends the application.
    ///
    /// - Parameters:
    ///   - issuerCertificate: tag 90.
    ///   - cardCertificate: tag 9F46.
    ///   - authority: the key of the application's payment system with the index of tag 8F.
    ///   - keyIndex: tag 8F.
    ///   - dfName: tag 84, which begins with the RID; 5...16 bytes.
    ///   - pan: the card's PAN (tag 5A), which starts with the issuer identifier of 3 to 10 digits.
    ///   - staticDataHash: the hash of what the card sent, 32 bytes.
    ///   - now: the time of the transaction, in UTC.
    ///   - revoked: the payment systems' revocation lists.
    /// - Returns: the point with the smaller root.
    /// - Throws: ``ECCCertificateError``
    public static func cardKey(
        issuerCertificate: [UInt8], cardCertificate: [UInt8], authority: ECCAuthorityKey, keyIndex: UInt8,
        dfName: [UInt8], pan: borrowing PrimaryAccountNumber, staticDataHash: [UInt8], now: CivilDate,
        revoked: Set<CertificateRevocation> = []
    ) throws(ECCCertificateError) -> EllipticCurvePoint {
        let issuer = try issuerKey(
            issuerCertificate, authority: authority, keyIndex: keyIndex, dfName: dfName, pan: pan, now: now,
            revoked: revoked)
        let card = try CardECCCertificate(cardCertificate, signedWith: issuer.suite, for: .secureChannel)
        guard !isOver(card.expiry, at: now) else { throw .expired(.card) }
        guard card.staticDataHash == staticDataHash else { throw .staticDataHash }
        return try certifiedKey(card, issuer.key)
    }

    /// Verifies both certificates and returns the card's public key for signatures (XDA), in the order of the book.
    ///
    /// - Parameters:
    ///   - issuerCertificate: tag 90.
    ///   - cardCertificate: tag 9F46.
    ///   - authority: the key of the application's payment system with the index of tag 8F.
    ///   - dfName: tag 84, which begins with the RID; 5...16 bytes.
    ///   - pan: the card's PAN (tag 5A), which starts with the issuer identifier of 3 to 10 digits.
    ///   - staticData: the static data to be authenticated (EMV Book 3 §10.3).
    ///   - now: the time of the transaction, in UTC. The card's certificate must expire later.
    ///   - revoked: the payment systems' revocation lists.
    /// - Returns: the point with the smaller root.
    /// - Throws: ``ECCCertificateError``
    public static func signatureKey(
        issuerCertificate: [UInt8], cardCertificate: [UInt8], authority: ECCAuthorityKey, dfName: [UInt8],
        pan: borrowing PrimaryAccountNumber, staticData: borrowing SensitiveBytes, now: CivilDate,
        revoked: Set<CertificateRevocation> = []
    ) throws(ECCCertificateError) -> EllipticCurvePoint {
        let issuer = try issuerKey(
            issuerCertificate, authority: authority, keyIndex: authority.index, dfName: dfName, pan: pan, now: now,
            revoked: revoked)
        let card = try CardECCCertificate(cardCertificate, signedWith: issuer.suite, for: .signature)
        guard isOver(now, at: card.expiry) else { throw .expired(.card) }
        let hash: [UInt8]
        do throws(CryptographyError) { hash = try card.hash(staticData) } catch { throw .cryptography(.card, error) }
        guard card.staticDataHash == hash else { throw .staticDataHash }
        return try certifiedKey(card, issuer.key)
    }

    private static func certifiedKey(
        _ card: CardECCCertificate, _ issuer: EllipticCurvePoint
    ) throws(ECCCertificateError) -> EllipticCurvePoint {
        try verify(card.signature, of: card.signed, .card, signer: issuer)
        return try point(card.key, card.keyCurve, .card)
    }

    private static func issuerKey(
        _ certificate: [UInt8], authority: ECCAuthorityKey, keyIndex: UInt8, dfName: [UInt8],
        pan: borrowing PrimaryAccountNumber, now: CivilDate, revoked: Set<CertificateRevocation>
    ) throws(ECCCertificateError) -> (key: EllipticCurvePoint, suite: CertificateSuite) {
        if let last = authority.expiry, isOver(last.endOfDay, at: now) {
            throw .authorityKeyExpired(index: authority.index)
        }
        let issuer = try IssuerECCCertificate(certificate, signedWith: authority.suite)
        guard identifies(issuer.issuerIdentifier, pan) else { throw .issuerIdentifier }
        guard !isOver(issuer.expiry.endOfDay, at: now) else { throw .expired(.issuer) }
        guard issuer.rid == Array(dfName.prefix(5)), issuer.rid == authority.rid else { throw .applicationProvider }
        for expected in [keyIndex, authority.index] where issuer.authorityKeyIndex != expected {
            throw .authorityKeyIndex(expected: expected, actual: issuer.authorityKeyIndex)
        }
        let revocation = CertificateRevocation(
            rid: issuer.rid, index: issuer.authorityKeyIndex, serialNumber: issuer.serialNumber)
        guard !revoked.contains(revocation) else { throw .revoked }
        try verify(issuer.signature, of: issuer.signed, .issuer, signer: authority.key)
        return (try point(issuer.key, issuer.keySuite.curve, .issuer), issuer.keySuite)
    }

    /// Whether the PAN starts with the digits of an issuer identifier.
    private static func identifies(_ identifier: [UInt8], _ pan: borrowing PrimaryAccountNumber) -> Bool {
        guard let count = IssuerECCCertificate.digitCount(identifier) else { return false }
        let digits = identifier.flatMap { [$0 >> 4, $0 & 0x0F] }.prefix(count)
        return pan.withDigits { $0.starts(with: digits) }
    }

    private static func verify(
        _ signature: [UInt8], of message: [UInt8], _ certificate: ECCCertificateError.Certificate,
        signer: EllipticCurvePoint
    ) throws(ECCCertificateError) {
        let isGenuine: Bool
        do throws(CryptographyError) { isGenuine = try ECSDSA.verify(signature, of: message, key: signer) } catch {
            throw .cryptography(certificate, error)
        }
        guard isGenuine else { throw .signature(certificate) }
    }

    private static func point(
        _ x: [UInt8], _ curve: EllipticCurve, _ certificate: ECCCertificateError.Certificate
    ) throws(ECCCertificateError) -> EllipticCurvePoint {
        let point: EllipticCurvePoint
        do throws(CryptographyError) { point = try EllipticCurvePoint(smallerRootOf: x, on: curve) } catch {
            if case .pointNotOnCurve = error { throw .publicKey(certificate) }
            throw .cryptography(certificate, error)
        }
        // Anybody could sign with it.
        guard !point.hasKnownPrivateKey else { throw .knownPrivateKey(certificate) }
        return point
    }

    /// Whether the minute of `last` has passed.
    private static func isOver(_ last: CivilDate, at now: CivilDate) -> Bool {
        (last.year, last.month, last.day, last.hour, last.minute)
            < (now.year, now.month, now.day, now.hour, now.minute)
    }
}
