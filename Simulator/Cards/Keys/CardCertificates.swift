public import CardSecrets
import Cryptography
public import EMV

/// Issues the certificates and the static signature of a simulated card. The same card always gets the same ones.
public struct CardCertificates: Sendable {
    /// The bytes of an issuer certificate that are not part of the key (EMV Book 2 table 5).
    static let issuerOverhead = 36
    /// The bytes of an ICC certificate that are not part of the key (EMV Book 2 table 13).
    static let iccOverhead = 42

    /// The serial number of all revoked issuer certificates.
    public static let revokedSerialNumber: [UInt8] = [0xBA, 0xD0, 0x01]

    private let keys: TestRSAKeys
    private let sizes: CardKeySizes
    private let profile: OfflineAuthenticationProfile?

    /// Creates an issuer of certificates.
    ///
    /// - Parameters:
    ///   - keys: the signing and certified keys.
    ///   - profile: key sizes, expiry dates, and faults; nil for standard keys without faults.
    public init(keys: TestRSAKeys, profile: OfflineAuthenticationProfile? = nil) {
        (self.keys, self.profile) = (keys, profile)
        sizes = profile?.keySizes ?? .standard
    }

    /// Returns tags 90, 92, and 9F32: the issuer's key certified by the certification authority, for an issuer
    /// identified by the first six digits of the PAN.
    ///
    /// - Throws: ``TestKeysError``
    public func issuer(pan: borrowing PrimaryAccountNumber) throws(TestKeysError) -> PublicKeyCertificate {
        var identifier = Array(Self.compressed(pan).prefix(3)) + [0xFF]
        if profile?.fault == .otherIssuer { identifier[2] = Self.otherDigit(identifier[2]) }
        let fields = Fields(
            format: 2, subject: identifier, expiry: (profile?.issuerExpiry ?? .last).encoded,
            serialNumber: profile?.isRevoked == true ? Self.revokedSerialNumber : [0, 0, 1],
            hashAlgorithm: profile?.fault == .hashAlgorithm ? 2 : 1)
        return try certify(.issuer, fields, signer: .certificationAuthority, staticData: [])
    }

    /// Returns tags 9F46, 9F48, and 9F47: the card's key for offline data authentication, signed by the issuer
    /// together with the card's static data.
    ///
    /// - Throws: ``TestKeysError``
    public func icc(
        pan: borrowing PrimaryAccountNumber, staticData: [UInt8]
    ) throws(TestKeysError) -> PublicKeyCertificate {
        try certify(.icc, iccFields(pan, serialNumber: 2), signer: .issuer, staticData: staticData)
    }

    /// Returns tags 9F2D, 9F2F, and 9F2E: the card's key for PIN encipherment, signed by the issuer.
    ///
    /// - Throws: ``TestKeysError``
    public func iccPIN(pan: borrowing PrimaryAccountNumber) throws(TestKeysError) -> PublicKeyCertificate {
        try certify(.iccPIN, iccFields(pan, serialNumber: 3), signer: .issuer, staticData: [])
    }

    /// Returns tag 93: the issuer's signature over the card's static data (EMV Book 2 table 2).
    ///
    /// - Throws: ``TestKeysError``
    public func signedStaticData(_ staticData: [UInt8]) throws(TestKeysError) -> [UInt8] {
        let signer = try keys.key(sizes.key(.issuer))
        do throws(CryptographyError) {
            return try keys.signature(
                of: [3, 1] + (profile?.dataAuthenticationCode ?? [0, 0]), rest: staticData, by: sizes.key(.issuer),
                signer, hasWrongHash: profile?.fault == .staticSignature)
        } catch {
            throw .unusable(name: sizes.key(.issuer).description, error)
        }
    }

    /// The fields of a certificate before the lengths and the key.
    private struct Fields {
        var format: UInt8
        var subject: [UInt8]
        var expiry: [UInt8]
        var serialNumber: [UInt8]
        var hashAlgorithm: UInt8 = 1
    }

    private func iccFields(_ pan: borrowing PrimaryAccountNumber, serialNumber: UInt8) -> Fields {
        var subject = Self.compressed(pan)
        if profile?.fault == .otherAccount { subject[3] = Self.otherDigit(subject[3]) }
        return Fields(
            format: 4, subject: subject, expiry: (profile?.iccExpiry ?? .last).encoded,
            serialNumber: [0, 0, serialNumber])
    }

    /// Signs a certificate by EMV Book 2 tables 1, 11, and 21: the part of the modulus that does not fit becomes the
    /// remainder.
    private func certify(
        _ holder: TestRSAKey.Holder, _ fields: Fields, signer: TestRSAKey.Holder, staticData: [UInt8]
    ) throws(TestKeysError) -> PublicKeyCertificate {
        let name = sizes.key(signer)
        let (key, signingKey) = (try keys.key(sizes.key(holder)).publicKey, try keys.key(name))
        let head =
            [fields.format] + fields.subject + fields.expiry + fields.serialNumber + [
                fields.hashAlgorithm, 1, UInt8(truncatingIfNeeded: key.length),
                UInt8(truncatingIfNeeded: key.exponent.count),
            ]
        let room = RecoverableSignature.room(signerLength: signingKey.length) - head.count
        let remainder = Array(key.modulus.dropFirst(room))
        do throws(CryptographyError) {
            return PublicKeyCertificate(
                certificate: try keys.signature(
                    of: head + key.modulus.prefix(room), rest: remainder + key.exponent + staticData, by: name,
                    signingKey),
                remainder: remainder, exponent: key.exponent)
        } catch {
            throw .unusable(name: sizes.key(holder).description, error)
        }
    }

    /// Returns the PAN as ten bytes, right-padded with F.
    private static func compressed(_ pan: borrowing PrimaryAccountNumber) -> [UInt8] {
        pan.withDigits { digits in
            let nibbles = digits + [UInt8](repeating: 0x0F, count: max(0, 20 - digits.count))
            return stride(from: 0, to: 20, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        }
    }

    /// Returns the byte with a different first digit.
    private static func otherDigit(_ byte: UInt8) -> UInt8 { byte >> 4 == 9 ? byte & 0x0F : byte &+ 0x10 }
}

/// Signs with message recovery (EMV Book 2 annex A2.1): header 6A, data, hash, trailer BC, as long as the modulus.
enum RecoverableSignature {
    /// Returns the number of data bytes that fit into a signature under a key of this length in bytes.
    static func room(signerLength: Int) -> Int { max(0, signerLength - 2 - SHA1.length) }

    /// Signs data.
    ///
    /// - Parameters:
    ///   - data: the recoverable data, right-padded with BB.
    ///   - rest: further data covered by the hash.
    ///   - signer: the signing key.
    ///   - hasWrongHash: whether the hash is made invalid.
    /// - Returns: the signature.
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)`` if the data do not fit; a failure of libcrypto.
    static func sign(
        _ data: [UInt8], rest: [UInt8], with signer: RSAPrivateKey, hasWrongHash: Bool = false
    ) throws(CryptographyError) -> [UInt8] {
        let room = room(signerLength: signer.length)
        guard data.count <= room else { throw .dataLength(data.count, algorithm: "a signature with message recovery") }
        let content = data + [UInt8](repeating: 0xBB, count: room - data.count)
        var hash = try SHA1.hash(content + rest)
        if hasWrongHash { hash[0] ^= 0xFF }
        return try signer.apply([0x6A] + content + hash + [0xBC])
    }
}
