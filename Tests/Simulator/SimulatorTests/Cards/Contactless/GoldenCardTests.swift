import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import SmartCard
import Testing

@testable import Simulator

/// The simulated card against the commands of another implementation of kernel 8, byte for byte. The keys are SHA-256
/// of their labels; nothing in it is of a real card.
struct GoldenCardTests {
    private static let record =
        "5A0854133300896001195F3401015F24034912319F0702FFC057115413330089600119D49122010000000000"
    private static let certificates = Kernel8CardApplication.Certificates(
        index: 0x01,
        issuer: hex(
            """
            1200541333FFFF1020491231000001F00000000801A8A56754356825E1CB8626FA9FEC83218F99B6CCD06C00E9910C5B9079457598CE
            07EE086E5B189D9E31E41B3E69B365A3553D3A6150DA422B2C5198B2F2B3E4ABD692C58569AC085458455747998A08B56A812ACD2216
            72F8292C67917FF102
            """),
        card: hex(
            """
            14000020491231235900000000000101021E8AD3FC3AD4AF985029733D7226320F877375C9AC94861B517B93D08394BF60617721DF6C
            F96D4AF63C05257248B4613F4569C5C142A340819E4822A1881AC9B87C1E0CA8F06588942F383F28022B2A8D87AFC325FAD73BDF4E8F
            3391F4A392D92A06DD49EF8B61A59BA674FCEFA06E58B2EEB3CFA40F68298CF9EE3A6B450E
            """))

    /// Random bytes by the label of their stream.
    private struct LabeledBytes: RandomSource {
        var drawn: [UInt8] = []

        func bytes(_ count: Int) -> [UInt8] { Array(drawn.prefix(count)) }

        func stream(_ label: String) -> any RandomSource {
            switch label {
            case "blinding factors":
                LabeledBytes(drawn: hex("D7A2327069DE80C5E564CC1102C24422C0CD0FF8963B96AFC67D9B6C2CC7CBEF"))
            case "relay resistance": LabeledBytes(drawn: hex("A1A2A3A4"))
            default: self
            }
        }
    }

    /// The card of the golden run.
    private static func card(
        record: String = record, _ bend: (inout ContactlessProfile) -> Void = { _ in }
    ) throws -> Kernel8CardSystem {
        var profile = try #require(
            try CardProfile(
                yaml: """
                    name: golden
                    description: The card of the golden run
                    applications:
                      - aid: A0000000041010
                        label: TEST C8
                        pan: 5413330089010046
                        expiry: 2035-12-31
                        issuerCountry: 840
                        currency: USD
                        cryptogram: aes
                    contactless: { languages: en, decision: offline }
                    """, file: "golden.yaml"
            ).contactless)
        bend(&profile)
        let key = try EllipticCurvePrivateKey(
            secret: SensitiveBytes(hex("349D4C58002D5D7179BC6711477C83FEAA2E4B4B5EF1B66FA15EC58A83AE80AF")), on: .p256)
        let masterKey = SealedBytes(hex("C2C1B005AAEC16F33522EBCF2038B43A"))
        var application = try Kernel8CardApplication(
            profile, signed: hex(record), key: key, masterKey: masterKey
        ) { (_) throws(SimulatedCardError) in certificates }
        application.issuerApplicationData = hex("1F0A0180") + [UInt8](repeating: 0, count: 28)
        return Kernel8CardSystem(application, atc: 0, random: LabeledBytes())
    }

    private static func send(_ command: String, to card: inout Kernel8CardSystem) throws -> String {
        let answer = card.process(try CommandAPDU(bytes: hex(command)))
        return text(answer.bytes)
    }

    private static let select = "00A4040007F000000008010100"
    private static let processingOptions = """
        80A8000053835102800010FFFF000011EF9D91C68DCFAD53B23960996D93172FB4B468EF23F3ADF9008C4AAC9A494805DBD03EC16E3F63B1
        D176CB7BC87F350BFE9F799ADCED862FF58118C4E716E700000000150002762200
        """
    private static let generateAC =
        "80AE4000280000000015000000000000000276000000008109782611230011223344E00810080000000000000000"

    /// The golden run: each command, and the answer of a card of another make.
    private static let exchange: [(String, String)] = [
        (
            select,
            """
            6F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501BF0C0A9F2C070200FFFF
            8000009000
            """
        ),
        (
            processingOptions,
            """
            776F8202010A940808010101100203009F8103404DF863813A12EC3B3E0A580DCEA1B0B03B20D328BA791D4247422E9A2B3103528667
            AAA3D0DEB54F4586DA77769894699E9FC8AD71EBB3254F1273A0E9014AF68C1B9F02069F03069F1A0295055F2A029A039C019F37049F
            33039F1D089000
            """
        ),
        (
            "00B2010C00",
            """
            DA2CBC58EA3718F9264AC6A27FECB09AADCF422957D95BB85BE5AE2D447FC4FBCCD5F41C5EABFB75E5EAA1AD2E429000
            """
        ),
        (
            "00B2021400",
            """
            DA7A1CE2FA25861D58E4A8480AC7247C25CC59608D9E815D703706C828C74654883FA761D022D588CF7276609BC56E08E52FD9BDB786
            681C361C12F65584F644BEE45E3DF8862444D40B6F97E7724DC37105941E39B68D0960E0EEF10AA3311C7ACA01ADACDA07FAEA219B3D
            F9A52B9729E806463A9CADDB34EA928C9000
            """
        ),
        (
            "00B2031400",
            """
            DA819523D3C50B56877B228D8558AEF828E2DE60649EAB2DA101570594A3A5C9F5B1515A79DE428CFE9B3882ED43B2B6B5A074719075
            2DE11F434866574F28D51413E6B3E39A3366B81E167E4B9F8D796542A8FB959B6A96F5A0E1F6C7C5B60971E4E070797F4E27B53DB664
            6F04C391BAC0EBBB5C801FFED488433BF4E9D7FDC79C43E6707C8FC1A54DE9B2D54A1CBD5480CCFF60FE13FA9000
            """
        ),
        (
            generateAC,
            """
            77489F2701409F360200019F26082624B651CFC6F1BB9F8105082565A8A19F53F58D9F10201F0A018000000000000000000000000000
            0000000000000000000000000000009F810201009000
            """
        ),
    ]

    // EMV Book E §7: the card's side of the secure channel, with every byte of another implementation
    @Test func `the simulated card answers the golden run byte for byte`() throws {
        var card = try Self.card()
        for (command, answer) in Self.exchange {
            #expect(try Self.send(command, to: &card) == Self.text(hex(answer)))
        }
    }

    /// Sends the commands before GENERATE AC.
    private static func open(_ card: inout Kernel8CardSystem, reading: Bool = true) throws {
        for (command, _) in exchange.prefix(reading ? 5 : 2) { _ = try send(command, to: &card) }
    }

    private static func edaMAC(_ answer: String) throws -> String {
        let objects = try BERTLV.parse(Array(hex(answer).dropLast(2)))
        return text(objects.first(Kernel8Tag.edaMAC)?.value ?? [])
    }

    @Test func `the simulated card gives the single steps of the data envelopes`() throws {
        var card = try Self.card { $0.envelopes = [0x9F_8111: hex("0102030405060708")] }
        try Self.open(&card)
        #expect(try Self.send("84320000039F811100", to: &card) == "E66B018BFA294C358C300A4EF7E32F54C3F1D3479000")
        let answer = try Self.send(Self.generateAC.replacing("80AE4000", with: "80AE4080"), to: &card)
        #expect(try Self.edaMAC(answer) == "2565A8A19F53F58D")
        #expect(try Self.send("843400000813EEA70B979A5FD600", to: &card) == "D31E0EDC9E36F61F9000")
        #expect(card.envelopes[0x9F_8112] == hex("11223344"))
    }

    @Test func `the simulated card gives the single step of relay resistance`() throws {
        var card = try Self.card {
            $0.relayResistance = ContactlessProfile.RelayResistance(
                minimum: 0, maximum: 0xFFFF, transmission: 0x12, takes: 0)
        }
        try Self.open(&card, reading: false)
        #expect(try Self.send("80EA0000041122334400", to: &card) == "800AA1A2A3A40000FFFF00129000")
        let answer = try Self.send(Self.generateAC.replacing("0000008109", with: "0000008209"), to: &card)
        #expect(try Self.edaMAC(answer) == "84F33C09DCFB7D4F")
    }

    @Test func `the simulated card gives the single step of the extended SDA tag list`() throws {
        var card = try Self.card(record: Self.record + "9F810A0150") { $0.extendedTags = [0x50] }
        try Self.open(&card, reading: false)
        let answer = try Self.send(Self.generateAC, to: &card)
        #expect(answer.contains("9F260886848282E92AD784"))
    }

    @Test func `the simulated card gives the single step of online PIN`() throws {
        var card = try Self.card { $0.verification = [.onlinePIN] }
        _ = try Self.send(Self.select, to: &card)
        let options = Self.processingOptions.replacing("000000001500", with: "000000015000")
        #expect(try Self.send(options, to: &card).hasSuffix("9000"))
        let command =
            "80AE4000280000000150000000000000000276000000808109782611230011223344E04410448000000000000000"
        let answer = try Self.send(command, to: &card)
        #expect(answer.contains("9F260850840B583F269A7A"))
        #expect(answer.hasSuffix("9F810201029000"))
    }

    @Test func `the simulated card gives the single step of no local authentication`() throws {
        var card = try Self.card { $0.authenticatesLocally = false }
        _ = try Self.send(Self.select, to: &card)
        let options = try Self.send(Self.processingOptions, to: &card)
        #expect(options.hasPrefix("77") && options.contains("8202000A940408010101"))
        let command =
            "80AE8000280000000015000000000000000276800000008109782611230011223344E00810080000000000000000"
        let answer = try Self.send(command, to: &card)
        #expect(answer.contains("9F270180"))
        #expect(answer.contains("9F26087892014CC4D547EB"))
    }

    @Test func `plain records do not change the MACs`() throws {
        var card = try Self.card { $0.enciphersRecords = false }
        try Self.open(&card, reading: false)
        #expect(try Self.send("00B2010C00", to: &card) == "702C" + Self.record + "9000")
        #expect(try Self.edaMAC(Self.send(Self.generateAC, to: &card)) == "2565A8A19F53F58D")
    }

    // What the books leave to the card
    @Test(arguments: [
        ("00A4040007F000000008010200", "6A82"), ("00A4000007F000000008010100", "6A86"),
        ("80A8000002830000", "6985"), ("00B2010C00", "6985"), ("80AE400000", "6985"), ("80EA00000411223344", "6985"),
        ("84320000039F811100", "6985"), ("8434000001AA00", "6985"), ("FFCA000000", "6E00"), ("80CA9F3600", "6D00"),
    ])
    func `a command before SELECT is refused`(command: String, status: String) throws {
        var card = try Self.card()
        #expect(try Self.send(command, to: &card) == status)
    }

    @Test func `the commands have their order`() throws {
        var card = try Self.card()
        try Self.open(&card)
        #expect(try Self.send(Self.processingOptions, to: &card) == "6985")
        #expect(try Self.send("80EA0000041122334400", to: &card) == "6985")
        #expect(try Self.send("00B2010400", to: &card) == "6A86")
        #expect(try Self.send("00B2040C00", to: &card) == "6A83")
        #expect(try Self.send("84320000039F812000", to: &card) == "6A88")
        #expect(try Self.send("8434000001AA00", to: &card) == "6985")
        #expect(try Self.send("80AE4000010000", to: &card) == "6700")
        #expect(try Self.send(Self.generateAC.replacing("80AE4000", with: "80AE5000"), to: &card) == "6A86")
        #expect(try Self.send(Self.generateAC, to: &card).hasSuffix("9000"))
        #expect(try Self.send(Self.generateAC, to: &card) == "6985")
        #expect(try Self.send("843400000813EEA70B979A5FD600", to: &card) == "6985")
        #expect(try Self.send("00B2010C00", to: &card) == "6985")
        #expect(try Self.send(Self.select, to: &card).hasSuffix("9000"))
    }

    // EMV Book E §7: the card checks the kernel's key
    @Test func `a kernel key that is no point, or another suite, opens no channel`() throws {
        for (right, wrong) in [("05DBD03EC1", "05DBD03EC2"), ("02800010FF", "02800110FF")] {
            var card = try Self.card()
            _ = try Self.send(Self.select, to: &card)
            #expect(try Self.send(Self.processingOptions.replacing(right, with: wrong), to: &card) == "6985")
            #expect(card.atc == 0)
        }
        var card = try Self.card()
        _ = try Self.send(Self.select, to: &card)
        #expect(try Self.send("80A8000002830000", to: &card) == "6700")
    }

    @Test(arguments: CertificateSuite.allCases)
    func `the test keys are the hashes of their names, with the smaller y`(suite: CertificateSuite) throws {
        let keys = try TestECKeys.embedded()
        #expect(try keys.authority(suite).publicKey == Self.publicKey("ca", suite))
        #expect(try keys.issuer(suite).publicKey == Self.publicKey("issuer", suite))
        #expect(try keys.card.publicKey == Self.publicKey("icc", .p256))
    }

    /// The public key of the hash of a name, which is shorter than the order of P-521.
    private static func publicKey(_ owner: String, _ suite: CertificateSuite) throws -> EllipticCurvePoint {
        let name = Array("CardPresent EC test key \(owner)-\(suite)".utf8)
        let hash = try suite == .p256 ? SHA256.hash(name) : SHA512.hash(name)
        let secret = [UInt8](repeating: 0, count: suite.keyLength - hash.count) + hash
        return try EllipticCurvePrivateKey(secret: SensitiveBytes(secret), on: suite.curve).withSmallerY().publicKey
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
