import CardSecrets
import Cryptography
import Determinism
import EMV

/// A certification authority (768 bits), an issuer (704 bits) and a card (640 bits) for tests, and the
/// certificates that they sign, right or wrong.
enum CertificateFixture {
    static func authority() throws -> RSAPrivateKey {
        try key(
            """
            C1C234542E7C011104BB8F4D1786601BC32366A924A8DC000FA9E130F5EB407452926E5BAB73FF0C5DA7048CD51D7016
            210E2D23350A03A2A66A036A3D8DD7393D261202B857287DAA2BC138A417549BFE80BFDDF3B9CF233F2903BB605869D3
            """,
            """
            812C22E2C9A800B60327B4DE0FAEEABD2CC24470C31B3D555FC69620A3F22AF8370C4992724D54B2E91A03088E13A00D
            978547B1E31178FDF9FDEDEE8255A7B5B0F2CB7801F9BF4C327E512C0E86F6A2BB2394993E6F54161C3921D26C56085B
            """)
    }

    static func issuer() throws -> RSAPrivateKey {
        try key(
            """
            BEC4A6324F764700D96F0C4F6923FB0BEF7751DB6B470A2362F9C520D0632737EDE41CAD9EE0C1FF7EAD582E
            73A192ABEEA484239854F5A81841EEDCEDB6AB95F0D4919CCA2A03AF1CC67E982E13074E90BA98C2708BEE57
            """,
            """
            7F2DC4218A4EDA0090F4B2DF9B6D5207F4FA36924784B16CECA6836B35976F7A9E98131E69EB2BFFA9C8E573
            266165F56BB34EFE12F20C96E481C7C1C1F9EFDE86CD77477D12A75C402256EC9B7DBCA175CF55DACA6293BB
            """)
    }

    static func card() throws -> RSAPrivateKey {
        try key(
            """
            BFACDCB3EBAEBC4237C23732E96D90F11EAD1C0C991C156BDB8445C3DA3BF461605B19A62B2A62133041402E90E0C86E
            6E4A67D36A20241363CCB84FE3640B4C4EA296AE80630F1BC412AEF5E3C88F6B
            """,
            """
            7FC893229D1F282C252C24CC9B9E60A0BF1E12B310BD639D3D02D92D3C27F840EAE7666EC77196B64D53AF5669332B2E
            1ED3D8FE487CBEC45AA043C1DF85945F60CE4D5B5FD637C875BD01AA6F4F833B
            """)
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

    private static func key(_ modulus: String, _ privateExponent: String) throws -> RSAPrivateKey {
        try RSAPrivateKey(
            modulus: hex(modulus), publicExponent: [3], privateExponent: SensitiveBytes(hex(privateExponent)))
    }
}
