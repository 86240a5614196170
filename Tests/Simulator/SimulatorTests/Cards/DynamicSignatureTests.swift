import Cryptography
import EMV
import SmartCard
import Testing

@testable import Simulator

/// INTERNAL AUTHENTICATE and the signed answer to GENERATE AC.
struct DynamicSignatureTests {
    private let visa = "A0000000031010"
    private let mastercard = "A0000000041010"
    private let number = hex("11223344")

    private func key(_ bits: Int = 1024) throws -> RSAPublicKey {
        try TestRSAKeys.embedded.key(TestRSAKey(.icc, bits: bits)).publicKey
    }

    private func internalAuthenticate(_ data: [UInt8]) -> [UInt8] { hex("00880000") + [UInt8(data.count)] + data + [0] }

    /// Opens a dynamic signature and gives the ICC dynamic data.
    private func open(_ signature: [UInt8], _ key: RSAPublicKey, rest: [UInt8]) throws -> [UInt8] {
        let signed = try SignedRecoverableData(opening: signature, with: key)
        #expect(try signed.matches(rest))
        #expect(signed.content.starts(with: [5, 1]))
        let length = Int(signed.content[2])
        #expect(signed.content.dropFirst(3 + length).allSatisfy { $0 == 0xBB })
        return Array(signed.content[3..<3 + length])
    }

    // EMV Book 2 §6.5.1: the card signs the terminal's data with a dynamic number of its own
    @Test func `the card signs the terminal's data, each time with another dynamic number`() throws {
        let card = try CardUnderTest(named: "visa-dda")
        try card.begin()
        var numbers: Set<[UInt8]> = []
        for _ in 0..<3 {
            let response = try card.send(internalAuthenticate(number))
            #expect(response.status == .success)
            let template = try #require(try BERTLV.parse(response.data).first)
            #expect(template.tag == 0x80)
            let dynamicData = try open(template.value, key(), rest: number)
            #expect(dynamicData.count == 9)
            #expect(dynamicData.first == 8)
            numbers.insert(dynamicData)
        }
        #expect(numbers.count == 3)
    }

    @Test func `the profile selects format 2 and the counter as the dynamic number`() throws {
        var profile = try CardProfileLibrary.profile("visa-dda")
        profile.applications[0].answersInFormatTwo = true
        profile.applications[0].offlineAuthentication?.dynamicNumber = .counter
        let card = try CardUnderTest(profile)
        try card.begin()
        let template = try #require(try BERTLV.parse(try card.send(internalAuthenticate(number)).data).first)
        #expect(template.tag == 0x77)
        #expect(try open(try #require(template.first(0x9F4B)).value, key(), rest: number) == [2, 0, 2])
    }

    @Test func `the issuer data shows that the card signed`() throws {
        let card = try CardUnderTest(named: "visa-dda")
        try card.begin()
        try card.send(internalAuthenticate(number))
        // Byte 4 of the CVR: offline dynamic data authentication performed.
        #expect(try card.generateAC(0x80, terminalData()).issuerData == hex("06011203A00002"))
    }

    // EMV Book 3 §6.5.9: INTERNAL AUTHENTICATE takes the data of the DDOL, before the first GENERATE AC
    @Test func `INTERNAL AUTHENTICATE is rejected in a wrong state or format`() throws {
        let card = try CardUnderTest(named: "visa-dda")
        try card.select()
        #expect(try card.send(internalAuthenticate(number)).status == .conditionsNotSatisfied)
        try card.begin()
        #expect(try card.send(internalAuthenticate(hex("112233"))).status == .wrongLength)
        #expect(try card.send("00880000").status == .wrongLength)
        #expect(try card.send("00880100 04 11223344 00").status == .incorrectParameters)
        #expect(try card.send("80880000 04 11223344 00").status == .classNotSupported)
        try card.generateAC(0x80, terminalData())
        #expect(try card.send(internalAuthenticate(number)).status == .conditionsNotSatisfied)
        for name in ["visa-sda", "visa-credit"] {
            let other = try CardUnderTest(named: name)
            try other.begin()
            #expect(try other.send(internalAuthenticate(number)).status == .conditionsNotSatisfied)
        }
    }

    /// Opens a signed answer to GENERATE AC and checks it against everything that was sent.
    private func check(
        _ response: ResponseAPDU, sent: [UInt8], number: [UInt8], information: UInt8, key: RSAPublicKey
    ) throws -> [UInt8] {
        #expect(response.status == .success)
        let template = try #require(try BERTLV.parse(response.data).first)
        #expect(template.tag == 0x77)
        #expect(template.children.map(\.tag) == [0x9F27, 0x9F36, 0x9F4B, 0x9F10])
        #expect(template.first(0x9F27)?.value == [information])
        let dynamicData = try open(try #require(template.first(0x9F4B)).value, key, rest: number)
        let answer = template.children.filter { $0.tag != 0x9F4B }.flatMap(\.encoded)
        #expect(dynamicData.count == 38)
        #expect(dynamicData[0] == 8)
        #expect(dynamicData[9] == information)
        #expect(dynamicData.suffix(20) == (try SHA1.hash(sent + answer)).suffix(20))
        return Array(dynamicData[10..<18])
    }

    // EMV Book 2 §6.6.1: the signature holds cryptogram, information and a hash over all that was sent and answered
    @Test func `first and second cryptogram are signed with all data of the terminal`() throws {
        let card = try CardUnderTest(named: "mastercard-cda")
        try card.begin(mastercard)
        let first = terminalData() + hex("22 1F0002")
        let arqc = try check(
            try card.send(hex("80AE9000") + [UInt8(first.count)] + first + [0]), sent: first, number: number,
            information: 0x80, key: key())
        let second = hex("00000000000000000000") + Array("00".utf8) + hex("8000000000 55667788")
        let tc = try check(
            try card.send(hex("80AE5000") + [UInt8(second.count)] + second + [0]), sent: first + second,
            number: hex("55667788"), information: 0x40, key: key())
        #expect(arqc != tc)
    }

    // EMV Book 2 §6.6.1: the data of the PDOL are in the transaction data hash
    @Test func `the signature covers the PDOL data`() throws {
        let card = try CardUnderTest(named: "amex-cda")
        try card.select("A00000002501")
        #expect(try card.send("80A80000 06 8304 22E0F8C8 00").status == .success)
        let data = terminalData() + hex("22 1F0002")
        let key = try TestRSAKeys.embedded.key(TestRSAKey(.icc, bits: 1152, exponent: .fermatFour)).publicKey
        _ = try check(
            try card.send(hex("80AE9000") + [UInt8(data.count)] + data + [0]), sent: hex("22E0F8C8") + data,
            number: number, information: 0x80, key: key)
    }

    // EMV Book 2 §6.6.1: an AAC is not signed
    @Test func `an AAC is not signed, nor any cryptogram without a request`() throws {
        for (type, information): (UInt8, UInt8) in [(0x10, 0x00), (0x00, 0x00), (0x80, 0x80)] {
            let card = try CardUnderTest(named: "mastercard-cda")
            try card.begin(mastercard)
            let cryptogram = try card.generateAC(type, terminalData() + hex("22 1F0002"))
            #expect(cryptogram.information == information)
            #expect(cryptogram.value.count == 8)
        }
    }

    @Test func `a card without CDA does not know the bit`() throws {
        let card = try CardUnderTest(named: "visa-dda")
        try card.begin()
        for type: UInt8 in [0x90, 0x50, 0x88, 0x98, 0xA0, 0x84] {
            #expect(try card.generateAC(type, terminalData()).status == .incorrectParameters)
        }
        #expect(try card.generateAC(0x80, terminalData()).status == .success)
    }

    @Test func `a faulty card signs with a wrong hash`() throws {
        let card = try CardUnderTest(named: "visa-dda-wrong-signature")
        try card.begin()
        let signature = try #require(try BERTLV.parse(try card.send(internalAuthenticate(number)).data).first).value
        let signed = try SignedRecoverableData(opening: signature, with: key())
        #expect(try !signed.matches(number))
    }

    @Test func `cards with the same seed respond alike, with different seeds differently`() throws {
        let profile = try CardProfileLibrary.profile("visa-dda")
        func answers(_ seed: UInt64) throws -> [[UInt8]] {
            let card = try CardUnderTest(profile, seed: seed)
            try card.begin()
            return [
                try card.send("00B2011C00").data, try card.send("00B2012400").data,
                try card.send(internalAuthenticate(number)).data,
            ]
        }
        let first = try answers(1)
        #expect(try answers(1) == first)
        let second = try answers(2)
        #expect(second[0...1] == first[0...1])
        #expect(second[2] != first[2])
    }
}
