import CardSecrets
import Cryptography
import Determinism
import EMV

/// A certification authority (768 bits), an issuer (704 bits) and a card (640 bits) for tests, and the
/// certificates that they sign, right or wrong.
enum CertificateFixture {
    static func authority() throws -> RSAPrivateKey {
        try key(
            "E7A254F0D2FD9CF8FD1BE9FC7DC0AECCC7C8DBDB4621CD443B048877525362A339C82AD849B842BE06BB9F7791F057DD",
            "D623ECA78D72312CB2513487FC4CACDBEBF104F36F3EBC472369BEFF3BF98004AC03361FCC5A8E440E17B1882BE7056F")
    }

    static func issuer() throws -> RSAPrivateKey {
        try key(
            "E13D1CD7BAEC7443909592FF44A5AFBBAC9BD16A17B123A00DC49D2639424C38D939DCD2277C7011DF49CCED",
            "D8D25CE4122B1962EB544FC67CD9937E9E23F25E0EEF3B1180C96B7E8350AFFC6B9C8F8A388727E861AE43D3")
    }

    static func card() throws -> RSAPrivateKey {
        try key(
            "EEAE852D3A1AEE2A07D462BC951F0B770C81E04768C1155D93C00A44BC38074A0D412AECE0EC2395",
            "CD9533FFB8F9197F38383F996845FA75CF5A7265AB5A975FA9AD1860B469B425063601895BE526FF")
    }

    static let rid: [UInt8] = [0xA0, 0, 0, 0, 3]
    static let date = CivilDate(year: 2026, month: 11, day: 30)
    static let pan: [UInt8] = [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]
    static let staticData: [UInt8] = [0x5A, 0x08] + pan + [0x3C, 0x00]

    static func primaryAccountNumber(_ bytes: [UInt8] = pan) throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: bytes)
    }

    static func authorityKey(expiry: CivilDate? = nil) throws -> CAPublicKey {
        let publicKey = try authority().publicKey
        return try CAPublicKey(
            rid: rid, index: 7, modulus: publicKey.modulus, exponent: publicKey.exponent, checksum: nil,
            expiry: expiry)
    }

    /// The fields of a certificate, to be bent.
    struct Fields {
        var header: UInt8 = 0x6A
        var format: UInt8
        var subject: [UInt8]
        var expiry: [UInt8] = [0x11, 0x26]
        var serialNumber: [UInt8] = [1, 2, 3]
        var hashAlgorithm: UInt8 = 1
        var keyAlgorithm: UInt8 = 1
        var keyLength: UInt8
        var exponentLength: UInt8 = 1
        var trailer: UInt8 = 0xBC
        var hashDamage: UInt8 = 0

        static let issuer = Fields(format: 2, subject: [0x47, 0x61, 0x73, 0xFF], keyLength: 88)
        static let icc = Fields(format: 4, subject: pan + [0xFF, 0xFF], keyLength: 80)

        func sign(
            _ key: RSAPublicKey, with signer: borrowing RSAPrivateKey, staticData: [UInt8] = []
        ) throws -> PublicKeyCertificate {
            let fields =
                [format] + subject + expiry + serialNumber + [hashAlgorithm, keyAlgorithm, keyLength, exponentLength]
            let room = signer.length - 22 - fields.count
            let part = key.modulus.prefix(room)
            let content = fields + part + [UInt8](repeating: 0xBB, count: room - part.count)
            let remainder = Array(key.modulus.dropFirst(room))
            var hash = try SHA1.hash(content + remainder + key.exponent + staticData)
            hash[0] ^= hashDamage
            return PublicKeyCertificate(
                certificate: try signer.apply([header] + content + hash + [trailer]), remainder: remainder,
                exponent: key.exponent)
        }
    }

    static func issuerCertificate(_ bend: (inout Fields) -> Void = { _ in }) throws -> PublicKeyCertificate {
        var fields = Fields.issuer
        bend(&fields)
        return try fields.sign(issuer().publicKey, with: authority())
    }

    static func cardCertificate(
        staticData: [UInt8] = staticData, _ bend: (inout Fields) -> Void = { _ in }
    ) throws -> PublicKeyCertificate {
        var fields = Fields.icc
        bend(&fields)
        return try fields.sign(card().publicKey, with: issuer(), staticData: staticData)
    }

    static func issuerKey() throws -> IssuerPublicKey {
        try IssuerPublicKey(
            recovering: issuerCertificate(), authority: authorityKey(), pan: primaryAccountNumber(), date: date)
    }

    static func cardKey() throws -> ICCPublicKey {
        try ICCPublicKey(
            recovering: cardCertificate(), issuer: issuerKey(), pan: primaryAccountNumber(), staticData: staticData,
            date: date)
    }

    static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func key(_ firstPrime: String, _ secondPrime: String) throws -> RSAPrivateKey {
        try RSAPrivateKey(
            firstPrime: SensitiveBytes(hex(firstPrime)), secondPrime: SensitiveBytes(hex(secondPrime)),
            publicExponent: [3])
    }
}
