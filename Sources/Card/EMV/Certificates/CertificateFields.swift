public import Cryptography
public import Determinism

/// The fields of a recovered public key certificate, in the order that all kinds share: format, subject, expiration
/// date, serial number, algorithms, lengths, leftmost part of the modulus.
struct CertificateFields {
    let certificate: CertificateError.Certificate
    /// Issuer identifier or PAN: digits, padded with F on the right.
    let subject: [UInt8]
    /// Month and year.
    let expiry: CertificateExpiry
    /// 3 bytes.
    let serialNumber: [UInt8]
    private let hashAlgorithm: UInt8
    private let publicKeyAlgorithm: UInt8
    private let keyLength: Int
    private let exponentLength: Int
    /// The leftmost bytes of the modulus, padded with BB.
    private let modulusPart: [UInt8]

    /// Recovers the certificate and checks length, trailer, header, format, and hash.
    ///
    /// The hash covers the recovered fields, the remainder, the exponent, and for the ICC certificate the static data.
    init(
        opening data: PublicKeyCertificate, _ certificate: CertificateError.Certificate, signer: RSAPublicKey,
        staticData: [UInt8] = []
    ) throws(CertificateError) {
        self.certificate = certificate
        let signed: SignedRecoverableData
        do throws(SignedRecoverableData.Failure) {
            signed = try SignedRecoverableData(opening: data.certificate, with: signer)
        } catch {
            switch error {
            case .length(let expected, let actual):
                throw .length(certificate, expected: expected, actual: actual)
            case .trailer: throw .trailer(certificate)
            case .header: throw .header(certificate)
            case .cryptography(let error): throw .cryptography(certificate, error)
            }
        }
        let (format, subjectLength): (UInt8, Int) = certificate == .issuer ? (2, 4) : (4, 10)
        var fields = signed.content[...]
        // The shortest modulus has 64 bytes, so the fixed fields always fit.
        let found = fields.popFirst() ?? 0
        guard found == format else { throw .format(certificate, found) }
        // A long key without its remainder also fails the hash check: report the missing remainder instead.
        let length = Int(fields.dropFirst(subjectLength + 7).first ?? 0)
        let room = fields.count - subjectLength - 9
        guard !data.remainder.isEmpty || length <= room else {
            throw .remainderLength(certificate, expected: length - room, actual: 0)
        }
        let isGenuine: Bool
        do throws(CryptographyError) {
            isGenuine = try signed.matches(data.remainder + data.exponent + staticData)
        } catch {
            throw .cryptography(certificate, error)
        }
        guard isGenuine else { throw .hash(certificate) }
        func take(_ count: Int) -> [UInt8] {
            defer { fields = fields.dropFirst(count) }
            return Array(fields.prefix(count))
        }
        subject = take(subjectLength)
        guard let expiry = CertificateExpiry(take(2)) else { throw .malformedExpiry(certificate) }
        self.expiry = expiry
        serialNumber = take(3)
        hashAlgorithm = fields.popFirst() ?? 0
        publicKeyAlgorithm = fields.popFirst() ?? 0
        keyLength = Int(fields.popFirst() ?? 0)
        exponentLength = Int(fields.popFirst() ?? 0)
        modulusPart = Array(fields)
    }

    /// Returns the certified key: checks algorithms, lengths, and exponent, and assembles the modulus.
    func publicKey(
        _ data: PublicKeyCertificate, signerLength: Int
    ) throws(CertificateError) -> RSAPublicKey {
        guard hashAlgorithm == 1 else { throw .hashAlgorithm(certificate, hashAlgorithm) }
        guard publicKeyAlgorithm == 1 else { throw .publicKeyAlgorithm(certificate, publicKeyAlgorithm) }
        guard keyLength <= signerLength else { throw .keyLength(certificate, keyLength) }
        let expected = max(0, keyLength - modulusPart.count)
        guard data.remainder.count == expected else {
            throw .remainderLength(certificate, expected: expected, actual: data.remainder.count)
        }
        guard data.exponent.count == exponentLength, data.exponent == [3] || data.exponent == [1, 0, 1] else {
            throw .exponent(certificate)
        }
        do throws(CryptographyError) {
            return try RSAPublicKey(
                modulus: modulusPart.prefix(keyLength) + data.remainder, exponent: data.exponent)
        } catch {
            throw .cryptography(certificate, error)
        }
    }
}

/// The content recovered from an RSA signature with message recovery (EMV Book 2 annex A2.1), the format of
/// certificates and signed application data.
public struct SignedRecoverableData: Hashable, Sendable {
    /// Why a signature could not be recovered.
    public enum Failure: Error, Hashable, Sendable {
        /// The signature is not as long as the modulus.
        case length(expected: Int, actual: Int)
        /// The last recovered byte is not BC.
        case trailer
        /// The first recovered byte is not 6A.
        case header
        /// The signature is not below the modulus, or libcrypto failed.
        case cryptography(CryptographyError)
    }

    /// The bytes between header and hash. The first byte is the format.
    public let content: [UInt8]
    /// SHA-1 over the content and the data outside the signature, 20 bytes.
    public let hash: [UInt8]

    /// Recovers `signature` with the signer's public key and checks length, trailer, and header, in this order.
    ///
    /// - Throws: ``Failure``
    public init(opening signature: [UInt8], with key: RSAPublicKey) throws(Failure) {
        guard signature.count == key.length else {
            throw .length(expected: key.length, actual: signature.count)
        }
        let recovered: [UInt8]
        do throws(CryptographyError) {
            recovered = try key.apply(signature)
        } catch {
            throw .cryptography(error)
        }
        guard recovered.last == 0xBC else { throw .trailer }
        guard recovered.first == 0x6A else { throw .header }
        content = Array(recovered.dropFirst().dropLast(1 + SHA1.length))
        hash = Array(recovered.dropLast().suffix(SHA1.length))
    }

    /// Returns whether the hash matches the content followed by `rest`.
    ///
    /// - Throws: ``CryptographyError`` when libcrypto fails.
    public func matches(_ rest: [UInt8]) throws(CryptographyError) -> Bool { try SHA1.hash(content + rest) == hash }
}

/// The expiration month of a certificate, which is valid through the last day of it.
public struct CertificateExpiry: Hashable, Sendable {
    /// Four digits.
    public let year: Int
    /// 1...12
    public let month: Int

    /// Decodes two BCD bytes MMYY; nil when they are not a valid month. Years 00...49 are 2000...2049 (EMV Book 4
    /// §6.7.3).
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 2, bytes.allSatisfy({ $0 >> 4 <= 9 && $0 & 0x0F <= 9 }) else { return nil }
        let (month, year) = (Self.decimal(bytes[0]), Self.decimal(bytes[1]))
        guard (1...12).contains(month) else { return nil }
        (self.year, self.month) = (year < 50 ? 2000 + year : 1900 + year, month)
    }

    /// Returns whether the certificate has expired on `date`.
    public func isOver(on date: CivilDate) -> Bool { (year, month) < (date.year, date.month) }

    private static func decimal(_ byte: UInt8) -> Int { Int(byte >> 4) * 10 + Int(byte & 0x0F) }
}
