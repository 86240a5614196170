import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import SmartCard

/// One transaction, byte for byte, between our test card and another implementation of kernel 8. The keys are SHA-256
/// of their labels; the private key of the issuer is turned to the smaller y. Nothing in it is of a real card.
enum GoldenRun {
    static let rid = hex("F000000008")
    static let dfName = hex("F0000000080101")
    static let pan = hex("5413330089600119")
    static let date = CivilDate(year: 2026, month: 11, day: 23, hour: 12)

    static let authoritySecret = "B021AC8AF413435B52B703E8D4635E2E126D7F2ABA9C741D20768A22242149A7"
    static let authorityX = "0726D2B6CA0EA6EE656981FE07A57F5340731BC576B5250B199215460D999184"
    static let authorityY = "4F3F0074B80C17BF397DB65B418631EFCD70CC150C37EB8BD3A7C001C5E19DDF"
    static let issuerSecret = "E8C0DF962445782F1FA2B16CFA8F0C0354B6750310E0AFCD4A4F6A6B88DDEAFE"
    static let issuerX = "A8A56754356825E1CB8626FA9FEC83218F99B6CCD06C00E9910C5B9079457598"
    static let cardSecret = "349D4C58002D5D7179BC6711477C83FEAA2E4B4B5EF1B66FA15EC58A83AE80AF"
    static let cardX = "617721DF6CF96D4AF63C05257248B4613F4569C5C142A340819E4822A1881AC9"
    static let kernelSecret = "6B2A4C9D17F3E85A90C1D2B3A4958677E1F2031425364758697A8B9CADBECFD1"
    static let kernelX = "11EF9D91C68DCFAD53B23960996D93172FB4B468EF23F3ADF9008C4AAC9A4948"
    static let kernelY = "05DBD03EC16E3F63B1D176CB7BC87F350BFE9F799ADCED862FF58118C4E716E7"
    static let blindingFactor = "D7A2327069DE80C5E564CC1102C24422C0CD0FF8963B96AFC67D9B6C2CC7CBEF"
    static let blindedX = "4DF863813A12EC3B3E0A580DCEA1B0B03B20D328BA791D4247422E9A2B310352"
    static let blindedSmallerY = "4CF3592188DE2D9D02912290413A243DFBE7A169F4998221FB0D88EB446FA6C1"
    static let sharedX = "1BD325B5B18DFBAA356E3F0309319541067139AC8509EF3AE4EDFCD416C4BC4F"
    static let confidentialityKey = "69D95903E1E5443344E252DEF5618EBF"
    static let integrityKey = "0A026BACE284720955AEC6A750A1C27F"
    static let encipheredFactor = "8667AAA3D0DEB54F4586DA77769894699E9FC8AD71EBB3254F1273A0E9014AF6"

    /// What READ RECORD gave in template DA, and what it deciphers to.
    static let records: [(enciphered: String, plain: String)] = [
        (
            "BC58EA3718F9264AC6A27FECB09AADCF422957D95BB85BE5AE2D447FC4FBCCD5F41C5EABFB75E5EAA1AD2E42",
            "5A0854133300896001195F3401015F24034912319F0702FFC057115413330089600119D49122010000000000"
        ),
        (
            """
            1CE2FA25861D58E4A8480AC7247C25CC59608D9E815D703706C828C74654883FA761D022D588CF7276609BC56E08E52FD9BDB7
            86681C361C12F65584F644BEE45E3DF8862444D40B6F97E7724DC37105941E39B68D0960E0EEF10AA3311C7ACA01ADACDA07FAEA
            219B3DF9A52B9729E806463A9CADDB34EA928C
            """,
            """
            8F010190751200541333FFFF1020491231000001F00000000801A8A56754356825E1CB8626FA9FEC83218F99B6CCD06C00E9910C
            5B9079457598CE07EE086E5B189D9E31E41B3E69B365A3553D3A6150DA422B2C5198B2F2B3E4ABD692C58569AC08545845574799
            8A08B56A812ACD221672F8292C67917FF102
            """
        ),
        (
            """
            23D3C50B56877B228D8558AEF828E2DE60649EAB2DA101570594A3A5C9F5B1515A79DE428CFE9B3882ED43B2B6B5A074719075
            2DE11F434866574F28D51413E6B3E39A3366B81E167E4B9F8D796542A8FB959B6A96F5A0E1F6C7C5B60971E4E070797F4E27B53D
            B6646F04C391BAC0EBBB5C801FFED488433BF4E9D7FDC79C43E6707C8FC1A54DE9B2D54A1CBD5480CCFF60FE13FA
            """,
            """
            9F46819114000020491231235900000000000101021E8AD3FC3AD4AF985029733D7226320F877375C9AC94861B517B93D08394BF
            60617721DF6CF96D4AF63C05257248B4613F4569C5C142A340819E4822A1881AC9B87C1E0CA8F06588942F383F28022B2A8D87AF
            C325FAD73BDF4E8F3391F4A392D92A06DD49EF8B61A59BA674FCEFA06E58B2EEB3CFA40F68298CF9EE3A6B450E
            """
        ),
    ]

    static let staticDataHash = hex("1E8AD3FC3AD4AF985029733D7226320F877375C9AC94861B517B93D08394BF60")
    static let issuerCertificate = Array(hex(records[1].plain).dropFirst(5))
    static let cardCertificate = Array(hex(records[2].plain).dropFirst(4))
    static let interchangeProfile = hex("010A")

    static let pdolValues = hex("02800010FFFF0000" + kernelX + kernelY + "000000001500 0276 22")
    static let cdol1Values = hex(
        "000000001500 000000000000 0276 0000000081 0978 261123 00 11223344 E00810 0800000000000000")
    static let answer = hex(
        """
        77489F2701409F360200019F26082624B651CFC6F1BB9F8105082565A8A19F53F58D9F10201F0A01800000000000000000000000
        00000000000000000000000000000000009F81020100
        """)

    static func key(_ secret: String) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey(secret: SensitiveBytes(hex(secret)), on: .p256)
    }

    static func authorityKey(expiry: CivilDate? = nil) throws -> ECCAuthorityKey {
        try ECCAuthorityKey(rid: rid, index: 1, suite: .p256, key: hex(authorityX), expiry: expiry)
    }

    static func primaryAccountNumber() throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: pan)
    }

    static func kernelKeyPair() throws -> KernelKeyPair {
        try KernelKeyPair(suite: .p256AES128, random: FixedBytes(kernelSecret))
    }

    /// The kernel's channel after GET PROCESSING OPTIONS.
    static func channel() throws -> SecureChannel {
        try kernelKeyPair().openChannel(cardKeyData: hex(blindedX + encipheredFactor))
    }

    /// The card's channel after GET PROCESSING OPTIONS.
    static func cardChannel() throws -> CardSecureChannel {
        let factor = try EllipticCurveScalar(SensitiveBytes(hex(blindingFactor)), on: .p256)
        return try CardSecureChannel(
            key: key(cardSecret), kernelKeyData: hex(kernelX + kernelY), blindingFactor: factor)
    }

    /// The data objects of an answer to GENERATE AC.
    static func objects(_ answer: [UInt8]) throws -> [BERTLV] { try BERTLV.parse(answer).flatMap(\.children) }

    static func macInput() throws -> ApplicationMACInput {
        ApplicationMACInput(
            pdolValues: pdolValues, cdol1Values: cdol1Values, answer: try objects(answer),
            staticDataHash: staticDataHash)
    }
}

/// Random bytes that a test chose.
struct FixedBytes: RandomSource {
    private let drawn: [UInt8]

    init(_ text: String) { drawn = hex(text) }

    func bytes(_ count: Int) -> [UInt8] { Array(drawn.prefix(count)) }

    func stream(_ label: String) -> any RandomSource { self }
}

/// The bytes that hexadecimal digits stand for; spaces and line ends are left out.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension SensitiveBytes {
    /// A copy to compare with in a test.
    var revealed: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
