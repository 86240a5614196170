import SmartCard
import Testing

@testable import Simulator

struct OfflineAuthenticationProfileTests {
    /// A card with these lines in its `offlineAuthentication` section, which begins on line 12.
    private func profile(_ lines: [String], pin: Bool = false) throws -> CardProfile {
        let head = """
            name: test
            description: A card for a test
            applications:
              - aid: A0000000031010
                label: VISA
                pan: 4761739001010010
                expiry: 2035-12-31
                issuerCountry: 840
                currency: USD
                cryptogram: cvn18
                offlineAuthentication:

            """
        let tail = pin ? "\n    pin: { value: \"1234\", encipheredUnder: pinKey }" : ""
        return try CardProfile(
            yaml: head + lines.map { "      " + $0 }.joined(separator: "\n") + tail, file: "card.yaml")
    }

    @Test func `a section that names the methods has standard values for the rest`() throws {
        let authentication = try #require(
            try profile(["methods: [sda, dda, cda]"]).applications[0].offlineAuthentication)
        #expect(authentication.methods == [.sda, .dda, .cda])
        #expect(authentication.keySizes == .standard)
        #expect(authentication.issuerExpiry == .last)
        #expect(authentication.iccExpiry == .last)
        #expect(authentication.ddol.encoded == hex("9F3704"))
        #expect(authentication.staticDataTagList == nil)
        #expect(authentication.dataAuthenticationCode == hex("DAC0"))
        #expect(authentication.dynamicNumber == .random)
        #expect(!authentication.isRevoked)
        #expect(authentication.fault == nil)
    }

    @Test func `every value can be set`() throws {
        let authentication = try #require(
            try profile([
                "methods: [dda]", "keys: { ca: 1984, issuer: 1408, icc: 1152, pin: 1024 }", "exponent: 65537",
                "issuerExpiry: 2030-12", "iccExpiry: 2029-01", "revoked: true", "ddol: 9F3704 9F0206",
                "staticDataTagList: 82", "dataAuthenticationCode: 1234", "dynamicNumber: counter",
                "fault: dynamicSignature",
            ]).applications[0].offlineAuthentication)
        #expect(authentication.keySizes.key(.certificationAuthority).description == "ca-1984-65537")
        #expect(authentication.keySizes.key(.issuer).bits == 1408)
        #expect(authentication.keySizes.key(.icc).bits == 1152)
        #expect(authentication.keySizes.key(.iccPIN).bits == 1024)
        #expect(authentication.issuerExpiry.encoded == hex("1230"))
        #expect(authentication.iccExpiry.encoded == hex("0129"))
        #expect(authentication.isRevoked)
        #expect(authentication.ddol.dataLength == 10)
        #expect(authentication.staticDataTagList == [0x82])
        #expect(authentication.fault == .dynamicSignature)
    }

    // EMV Book 3 annex C1: SDA, DDA and CDA have a bit each in the AIP
    @Test func `the methods are in the AIP`() throws {
        #expect(try profile(["methods: [sda]"]).applications[0].interchangeProfile == hex("4C00"))
        #expect(try profile(["methods: [dda]"]).applications[0].interchangeProfile == hex("2C00"))
        #expect(try profile(["methods: [cda]"]).applications[0].interchangeProfile == hex("0D00"))
        #expect(try profile(["methods: [sda, dda, cda]"]).applications[0].interchangeProfile == hex("6D00"))
    }

    private static let mistakes: [(line: Int, lines: [String], message: String)] = [
        (12, ["keys: { ca: 1408 }"], "the key 'methods' is missing"),
        (12, ["methods: [rsa]"], "unknown value 'rsa'"),
        (12, ["methods: []"], "there is nothing to authenticate"),
        (13, ["methods: [sda]", "keys: { ca: 1400 }"], "not a multiple of 16"),
        (13, ["methods: [sda]", "keys: { icc: 1001 }"], "is not in 1024...1984"),
        (13, ["methods: [sda]", "keys: { issuer: 1025 }"], "not a multiple of 8"),
        (13, ["methods: [sda]", "keys: { ca: 1024 }"], "longer than the key of 1024 bits that signs it"),
        (13, ["methods: [dda]", "keys: { icc: 1160 }"], "longer than the key of 1152 bits that signs it"),
        (13, ["methods: [dda]", "keys: { ca: 1984, issuer: 1984 }"], "is longer than a record"),
        (13, ["methods: [cda]", "keys: { ca: 1984, issuer: 1976, icc: 1648 }"], "does not fit in the answer"),
        (13, ["methods: [sda]", "exponent: 5"], "unknown value"),
        (13, ["methods: [sda]", "issuerExpiry: 2030-13"], "is not a month"),
        (13, ["methods: [sda]", "iccExpiry: 2050-01"], "is not a month"),
        (13, ["methods: [sda]", "ddol: 9F"], "not a data object list"),
        (13, ["methods: [sda]", "fault: dynamicSignature"], "has no effect with these methods"),
        (13, ["methods: [dda]", "fault: staticSignature"], "has no effect with these methods"),
        (14, ["methods: [dda]", "keys: { issuer: 1408 }", "fault: missingRemainder"], "has no effect with these"),
        (13, ["methods: [sda]", "fault: colour"], "unknown value"),
        (13, ["methods: [sda]", "colour: red"], "colour"),
    ]

    @Test(arguments: mistakes.indices)
    func `an error is reported with its line`(index: Int) {
        let mistake = Self.mistakes[index]
        do {
            _ = try profile(mistake.lines)
            Issue.record("taken: \(mistake.lines)")
        } catch {
            #expect("\(error)".contains("card.yaml:\(mistake.line): "), "\(error)")
            #expect("\(error)".contains(mistake.message), "\(error)")
        }
    }

    @Test func `keys can be only for an enciphered PIN`() throws {
        let profile = try profile(["methods: []", "keys: { pin: 1152 }"], pin: true)
        #expect(profile.applications[0].interchangeProfile == hex("0C00"))
        #expect(profile.applications[0].needsCertificates)
    }

    // EMV Book 3 §6.5.11: a record has no more than 254 bytes
    @Test(arguments: [(1024, 1024, 1024), (1152, 1152, 1024), (1408, 1408, 1408), (1984, 1976, 1976)])
    func `no record is longer than a record can be`(ca: Int, issuer: Int, icc: Int) throws {
        let card = try CardUnderTest(
            try profile(
                [
                    "methods: [sda, dda]", "keys: { ca: \(ca), issuer: \(issuer), icc: \(icc) }",
                    "staticDataTagList: 82",
                ], pin: true))
        try card.select()
        let locator = try card.send("80A8 0000 02 8300 00").data.dropFirst(4).map { $0 }
        var tags: Set<BERTag> = []
        for start in stride(from: 0, to: locator.count, by: 4) {
            for record in locator[start + 1]...locator[start + 2] {
                let response = try card.send([0x00, 0xB2, record, locator[start] | 0x04, 0x00])
                #expect(response.status == .success)
                #expect(response.data.count <= 254)
                tags.formUnion(try BERTLV.parse(response.data).flatMap(\.children).map(\.tag))
            }
        }
        #expect(tags.isSuperset(of: [0x8F, 0x90, 0x9F32, 0x93, 0x9F46, 0x9F47, 0x9F49, 0x9F4A, 0x9F2D, 0x9F2E]))
        #expect(tags.contains(0x9F48))
    }
}
