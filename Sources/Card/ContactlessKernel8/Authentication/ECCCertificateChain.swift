public import CardSecrets
public import Cryptography
public import Determinism
public import EMV
import Text

/// A payment system's certification authority public key on an elliptic curve, as stored in a terminal.
public struct ECCAuthorityKey: Hashable, Sendable {
    /// The payment system's registered application provider identifier (RID), 5 bytes.
    public let rid: [UInt8]
    /// The index of the key within the payment system (tag 8F).
    public let index: UInt8
    /// The suite of the signatures that the key verifies.
    public let suite: CertificateSuite
    /// The key, with the smaller of the two roots.
    public let key: EllipticCurvePoint
    /// The last day on which certificates under this key are accepted; nil when there is no limit.
    public let expiry: CivilDate?

    /// - Parameters:
    ///   - rid: 5 bytes.
    ///   - index: the key's index within the payment system.
    ///   - suite: the suite of the key.
    ///   - key: x alone, 32 or 66 bytes; or x and y, 64 or 132 bytes.
    ///   - expiry: the last day on which the key may be used.
    /// - Throws: ``ECCAuthorityKeyError``
    public init(
        rid: [UInt8], index: UInt8, suite: CertificateSuite, key: [UInt8], expiry: CivilDate? = nil
    ) throws(ECCAuthorityKeyError) {
        guard rid.count == 5 else { throw .ridLength(rid.count) }
        guard key.count == suite.keyLength || key.count == 2 * suite.keyLength else {
            throw .keyLength(key.count, expected: suite.keyLength)
        }
        let point: EllipticCurvePoint
        do throws(CryptographyError) {
            point =
                try key.count == suite.keyLength
                ? EllipticCurvePoint(smallerRootOf: key, on: suite.curve)
                : EllipticCurvePoint(coordinates: key, on: suite.curve)
        } catch {
            throw .cryptography(rid: rid, index: index, error)
        }
        // x alone stands for the smaller root everywhere, so another y can only be a mistake.
        guard point.hasSmallerY else { throw .largerRoot(rid: rid, index: index) }
        (self.rid, self.index, self.suite, self.expiry) = (rid, index, suite, expiry)
        self.key = point
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
    /// The key is no point of the curve, or libcrypto failed.
    case cryptography(rid: [UInt8], index: UInt8, CryptographyError)

    public var description: String {
        switch self {
        case .ridLength(let count): "the RID of a CA public key has \(count) bytes: it must have 5"
        case .keyLength(let count, let expected):
            "a CA public key has \(count) bytes: give x (\(expected) bytes), or x and y (\(2 * expected) bytes)"
        case .largerRoot(let rid, let index):
            "y of CA public key \(rid.hexadecimal) \([index].hexadecimal) is the larger root: "
                + "compare it with the payment system's publication, or give x alone"
        case .cryptography(let rid, let index, let error):
            "CA public key \(rid.hexadecimal) \([index].hexadecimal): \(error)"
        }
    }
}

/// The chain of certificates from a certification authority over the issuer to the card (EMV Book E chapter 5).
///
/// The variant with RSA certificates and a key of the card in tag 9F810B is not built: the layout of its hash is not
/// public.
public enum ECCCertificateChain {
    /// Verifies both certificates and returns the card's public key, in the order of the book.
    ///
    /// Whether the secure channel was made with this key is another question (``SecureChannel/isBlindedKey(of:)``). A
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
    ///   - staticDataHash: the hash of what the card sent (``StaticDataHash``), 32 bytes.
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
        let card = try CardECCCertificate(cardCertificate, signedWith: issuer.suite)
        guard !isOver(card.expiry, at: now) else { throw .expired(.card) }
        guard card.staticDataHash == staticDataHash else { throw .staticDataHash }
        try verify(card.signature, of: card.signed, .card, signer: issuer.key)
        return try point(card.key, card.keySuite.curve, .card)
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
        do throws(CryptographyError) { return try EllipticCurvePoint(smallerRootOf: x, on: curve) } catch {
            if case .pointNotOnCurve = error { throw .publicKey(certificate) }
            throw .cryptography(certificate, error)
        }
    }

    /// Whether the minute of `last` has passed.
    private static func isOver(_ last: CivilDate, at now: CivilDate) -> Bool {
        (last.year, last.month, last.day, last.hour, last.minute)
            < (now.year, now.month, now.day, now.hour, now.minute)
    }
}
