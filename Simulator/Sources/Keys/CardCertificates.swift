public import CardSecrets
public import Cryptography
public import EMV

/// Issues the certificates that a simulated card carries: the same card always gets the same ones.
public struct CardCertificates: Sendable {
    private let keys: TestKeys
    private let expiry: [UInt8]

    /// - Parameters:
    ///   - keys: the keys that sign and the keys that are certified.
    ///   - expiry: the month through which the certificates are good, two bytes MMYY in BCD.
    public init(keys: TestKeys, expiry: [UInt8] = [0x12, 0x49]) {
        (self.keys, self.expiry) = (keys, expiry)
    }

    /// Tags 90, 92 and 9F32: the issuer's key, signed by the certification authority, for an issuer
    /// whose cards begin with the first six digits of the PAN.
    ///
    /// - Throws: a failure of libcrypto.
    public func issuer(pan: borrowing PrimaryAccountNumber) throws(CryptographyError) -> PublicKeyCertificate {
        let identifier = Array(Self.compressed(pan).prefix(3)) + [0xFF]
        return try Self.certify(
            keys.issuer.publicKey, format: 2, subject: identifier, expiry: expiry, serialNumber: [0, 0, 1],
            signer: keys.certificationAuthority, staticData: [])
    }

    /// Tags 9F46, 9F48 and 9F47: the card's key for offline data authentication, signed by the issuer
    /// together with the card's static data.
    ///
    /// - Throws: a failure of libcrypto.
    public func icc(
        pan: borrowing PrimaryAccountNumber, staticData: [UInt8]
    ) throws(CryptographyError) -> PublicKeyCertificate {
        try Self.certify(
            keys.icc.publicKey, format: 4, subject: Self.compressed(pan), expiry: expiry, serialNumber: [0, 0, 2],
            signer: keys.issuer, staticData: staticData)
    }

    /// Tags 9F2D, 9F2F and 9F2E: the card's key for PIN encipherment, signed by the issuer.
    ///
    /// - Throws: a failure of libcrypto.
    public func iccPIN(pan: borrowing PrimaryAccountNumber) throws(CryptographyError) -> PublicKeyCertificate {
        try Self.certify(
            keys.iccPIN.publicKey, format: 4, subject: Self.compressed(pan), expiry: expiry, serialNumber: [0, 0, 3],
            signer: keys.issuer, staticData: [])
    }

    /// Signs as EMV Book 2 tables 1, 11 and 21 lay it out: what does not fit of the modulus becomes the
    /// remainder, and BB fills what is left over.
    private static func certify(
        _ key: RSAPublicKey, format: UInt8, subject: [UInt8], expiry: [UInt8], serialNumber: [UInt8],
        signer: borrowing RSAPrivateKey, staticData: [UInt8]
    ) throws(CryptographyError) -> PublicKeyCertificate {
        let fields =
            [format] + subject + expiry + serialNumber + [
                1, 1, UInt8(truncatingIfNeeded: key.length), UInt8(truncatingIfNeeded: key.exponent.count),
            ]
        let room = signer.length - 2 - SHA1.length - fields.count
        let fill = [UInt8](repeating: 0xBB, count: max(0, room - key.length))
        let content = fields + key.modulus.prefix(room) + fill
        let remainder = Array(key.modulus.dropFirst(room))
        let hash = try SHA1.hash(content + remainder + key.exponent + staticData)
        return PublicKeyCertificate(
            certificate: try signer.apply([0x6A] + content + hash + [0xBC]), remainder: remainder,
            exponent: key.exponent)
    }

    /// Ten bytes: the PAN, filled with F on the right.
    private static func compressed(_ pan: borrowing PrimaryAccountNumber) -> [UInt8] {
        pan.withDigits { digits in
            let nibbles = digits + [UInt8](repeating: 0x0F, count: max(0, 20 - digits.count))
            return stride(from: 0, to: 20, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        }
    }
}
