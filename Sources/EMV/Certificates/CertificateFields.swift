internal import Cryptography

/// The fields of a recovered public key certificate, which all kinds have in one order: format,
/// whom it is for, expiry, serial number, algorithms, lengths, the leftmost part of the modulus.
struct CertificateFields {
    let certificate: CertificateError.Certificate
    /// Issuer identifier or PAN: digits, F on the right.
    let subject: [UInt8]
    /// Month and year.
    let expiry: CertificateExpiry
    /// 3 bytes
    let serialNumber: [UInt8]
    private let hashAlgorithm: UInt8
    private let publicKeyAlgorithm: UInt8
    private let keyLength: Int
    private let exponentLength: Int
    /// The leftmost bytes of the modulus, with BB behind when there is room.
    private let modulusPart: [UInt8]

    /// Opens the certificate and checks length, trailer, header, format and hash.
    ///
    /// The hash covers what was recovered, then remainder and exponent and, for the ICC certificate, static data.
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
        // The shortest modulus has 64 bytes: the fields of fixed length always fit into the content.
        let found = fields.popFirst() ?? 0
        guard found == format else { throw .format(certificate, found) }
        // Without its remainder a long key has no hash either: that data is missing is the better word for it.
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

    /// The certified key: checks algorithms, lengths and exponent, and puts the modulus together.
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
