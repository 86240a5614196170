import CardSecrets
import Cryptography
import EMV
import SmartCard
import Testing

@testable import Simulator

struct PINVerificationTests {
    private let right = "00200080 08 241234FFFFFFFFFF"
    private let wrong = "00200080 08 244321FFFFFFFFFF"

    // EMV Book 3 §6.5.12: each wrong PIN takes a try, and the card answers 63Cx, then 6983, also after a reset
    @Test func `the correct PIN is accepted, and wrong ones are counted until the PIN is blocked`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.begin()
        #expect(try card.send(right).status == .success)
        #expect(try card.send(wrong).status.rawValue == 0x63C2)
        #expect(try card.send("80CA9F1700").data == hex("9F170102"))
        #expect(try card.send(wrong).status.rawValue == 0x63C1)
        #expect(try card.send(wrong).status.rawValue == 0x63C0)
        #expect(try card.send(wrong).status == .authenticationMethodBlocked)
        #expect(try card.send(right).status == .authenticationMethodBlocked)
        #expect(try card.send("80CA9F1700").data == hex("9F170100"))
        // Nor does it help to pull the card and put it in again.
        _ = card.card.reset(warm: false)
        try card.begin()
        #expect(try card.send(right).status == .authenticationMethodBlocked)
    }

    // EMV Book 3 §6.5.12: a right PIN gives all tries back
    @Test func `the correct PIN restores all tries`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.begin()
        try card.send(wrong)
        try card.send(right)
        #expect(try card.send("80CA9F1700").data == hex("9F170103"))
    }

    @Test func `a PIN is verified between processing options and the first cryptogram only`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.select()
        #expect(try card.send(right).status == .conditionsNotSatisfied)
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.send(right).status == .conditionsNotSatisfied)
    }

    // EMV Book 3 §6.5.12: VERIFY takes a block of eight bytes with the reference of a plaintext PIN
    @Test func `blocks of another length or format are rejected`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.begin()
        #expect(try card.send("00200080 07 241234FFFFFFFF").status == .wrongLength)
        #expect(try card.send("00200081 08 241234FFFFFFFFFF").status == .incorrectParameters)
        #expect(try card.send("00200088 08 241234FFFFFFFFFF").status == .incorrectParameters)
        #expect(try card.send("00200080 08 141234FFFFFFFFFF").status.rawValue == 0x63C2)
    }

    @Test func `a card without a PIN says so`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        #expect(try card.send(right).status == .referenceDataInvalidated)
        #expect(try card.send("80CA9F1700").status == .referencedDataNotFound)
    }

    // EMV Book 3 §6.5.5.4: the reason code says that the PIN try limit was exceeded
    @Test func `the result of the PIN is in the issuer data`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.begin()
        for _ in 0..<3 { try card.send(wrong) }
        let cryptogram = try card.generateAC(0x80, terminalData())
        // Reason "PIN try limit exceeded"; CVR: PIN performed and failed, try limit exceeded.
        #expect(cryptogram.information == 0x82)
        #expect(cryptogram.issuerData == hex("06011203 A6 40 00"))
    }

    /// Reads the certificates out of the card, recovers its key and enciphers a PIN block for it.
    private func encipher(_ block: String, _ card: CardUnderTest, key: TestKeys) throws -> [UInt8] {
        let challenge = try card.send("0084000000").data
        let publicKey = try key.rsa.key(TestRSAKey(.iccPIN, bits: 1024)).publicKey
        let filler = [UInt8](repeating: 0x55, count: publicKey.length - 17)
        return try publicKey.apply([0x7F] + hex(block) + challenge + filler)
    }

    private func verify(_ data: [UInt8]) -> [UInt8] { [0x00, 0x20, 0x00, 0x88, UInt8(data.count)] + data }

    // EMV Book 2 §7.2: the card deciphers the block and compares the PIN in it
    @Test func `an enciphered PIN is deciphered and compared`() throws {
        let keys = try TestKeys.embedded()
        let card = try CardUnderTest(named: "pin-enciphered")
        try card.begin("A0000000041010")
        #expect(try card.send(verify(try encipher("244321FFFFFFFFFF", card, key: keys))).status.rawValue == 0x63C2)
        #expect(try card.send(verify(try encipher("241234FFFFFFFFFF", card, key: keys))).status == .success)
        #expect(try card.send("00200080 08 241234FFFFFFFFFF").status == .incorrectParameters)
    }

    // EMV Book 2 §7.2: the challenge in the block must be the one that the card gave just before
    // EMV Book 3 §6.5.6: a challenge serves the next command alone
    @Test func `a challenge is valid once, for the next command only`() throws {
        let keys = try TestKeys.embedded()
        let card = try CardUnderTest(named: "pin-enciphered")
        try card.begin("A0000000041010")
        let data = verify(try encipher("241234FFFFFFFFFF", card, key: keys))
        #expect(try card.send(data).status == .success)
        #expect(try card.send(data).status == .referenceDataInvalidated)
        let late = verify(try encipher("241234FFFFFFFFFF", card, key: keys))
        try card.send("80CA9F1700")
        #expect(try card.send(late).status == .referenceDataInvalidated)
        // None of this costs a try.
        #expect(try card.send("80CA9F1700").data == hex("9F170103"))
        #expect(
            try card.send(verify([UInt8](repeating: 0xFF, count: 128))).status
                == .referenceDataInvalidated)
        #expect(try card.send(verify([1, 2, 3])).status == .wrongLength)
    }

    // EMV Book 2 §7.1: the key for PINs comes out of its certificate, or the card's key for DDA serves
    @Test(arguments: [OfflinePINProfile.Encipherment.pinKey, .iccKey])
    func `the certificates in the records contain the PIN encipherment key`(
        encipherment: OfflinePINProfile.Encipherment
    ) throws {
        let keys = try TestKeys.embedded()
        var profile = try CardProfileLibrary.profile("pin-enciphered")
        profile.applications[0].pin?.encipherment = encipherment
        let card = try CardUnderTest(profile)
        try card.begin("A0000000041010")
        var objects: [BERTLV] = []
        var staticData: [UInt8] = []
        let locator = try #require(
            try { () throws -> [UInt8]? in
                try card.select("A0000000041010")
                return try BERTLV.parse(try card.send("80A80000 02 8300 00").data).first(0x94)?.value
            }())
        for start in stride(from: 0, to: locator.count, by: 4) {
            for record in locator[start + 1]...locator[start + 2] {
                let response = try card.send([0x00, 0xB2, record, locator[start] | 0x04, 0x00])
                #expect(response.status == .success)
                #expect(response.data.count <= 256)
                let template = try #require(try BERTLV.parse(response.data).first)
                objects += template.children
                if record - locator[start + 1] < locator[start + 3] { staticData += template.value }
            }
        }
        func value(_ tag: BERTag) -> [UInt8] { objects.first(tag)?.value ?? [] }
        let authority = try keys.rsa.key(TestRSAKey(.certificationAuthority, bits: 1408)).publicKey
        #expect(value(0x8F) == [CardKeySizes.standard.certificationAuthorityIndex])
        let issuerContent = try SignedRecoverableData(opening: value(0x90), with: authority)
        #expect(try issuerContent.matches(value(0x92) + value(0x9F32)))
        let (certificate, remainder, exponent, expected, signed) =
            encipherment == .pinKey
            ? (
                value(0x9F2D), value(0x9F2F), value(0x9F2E),
                try keys.rsa.key(TestRSAKey(.iccPIN, bits: 1024)).publicKey, []
            )
            : (
                value(0x9F46), value(0x9F48), value(0x9F47), try keys.rsa.key(TestRSAKey(.icc, bits: 1024)).publicKey,
                staticData
            )
        let content = try SignedRecoverableData(
            opening: certificate, with: try keys.rsa.key(TestRSAKey(.issuer, bits: 1152)).publicKey)
        #expect(try content.matches(remainder + exponent + signed))
        #expect(exponent == expected.exponent)
    }
}
