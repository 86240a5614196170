import CardSecrets
import Cryptography
import Simulator
import Testing

struct IssuerAuthenticationTests {
    typealias Fixture = CryptogramFixture

    private func master() -> SensitiveBytes { SensitiveBytes(Fixture.hex("67F8292358083E5EA7AB7FDA58D53B6B")) }

    private func context(_ version: CryptogramVersion) -> IssuerAuthenticationData.Context {
        IssuerAuthenticationData.Context(
            version: version, atc: 0x0102, unpredictableNumber: [1, 2, 3, 4], arqc: Fixture.hex("1122334455667788"))
    }

    // EMV Book 2 §8.2.1: ARPC method 1 enciphers the ARQC with the response code over its first two bytes
    @Test func `method 1 enciphers the request cryptogram with the response code over its beginning`() throws {
        let data = try IssuerAuthenticationData.make(
            context(.cvn10), responseCode: Array("00".utf8), cardStatusUpdate: CardStatusUpdate(approves: true),
            masterKey: master())
        let expected = try TripleDES.encrypt(Fixture.hex("2112334455667788"), key: master())
        #expect(data == expected + Fixture.hex("3030"))
    }

    // EMV Book 2 §8.2.2: ARPC method 2 is four bytes of a MAC over ARQC and card status update
    @Test func `method 2 is four bytes of a MAC over request cryptogram and card status update`() throws {
        let update = CardStatusUpdate(approves: true, pinTryCounter: 3)
        let data = try IssuerAuthenticationData.make(
            context(.cvn18), responseCode: Array("00".utf8), cardStatusUpdate: update, masterKey: master())
        let key = try SessionKey.common(masterKey: master(), atc: 0x0102)
        let mac = try RetailMAC.mac(Fixture.hex("1122334455667788 03920000"), key: key, padding: .markerAndZeros)
        #expect(data == mac.prefix(4) + Fixture.hex("03920000"))
    }

    // EMV Book 2 §8.2: the card proves its issuer with the ARPC
    @Test(arguments: CryptogramVersion.allCases) func `a card accepts its issuer's cryptogram`(
        version: CryptogramVersion
    )
        throws
    {
        // M/Chip's response code has no bit to block the application.
        let update = CardStatusUpdate(
            approves: true, blocksApplication: version.responseMethod == .two, pinTryCounter: 2,
            goesOnlineNextTime: true)
        let data = try IssuerAuthenticationData.make(
            context(version), responseCode: Array("51".utf8), cardStatusUpdate: update, masterKey: master())
        let content = try IssuerAuthenticationData.verify(data, context(version), masterKey: master())
        switch version {
        case .cvn10: #expect(content == .responseCode(Array("51".utf8)))
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000, .cvn18, .aes: #expect(content == .cardStatusUpdate(update))
        }
    }

    @Test(arguments: [
        ("0010", CardStatusUpdate(approves: true, counters: .leave)), ("0012", CardStatusUpdate(approves: true)),
        ("0000", CardStatusUpdate(approves: false)),
        (
            "031F",
            CardStatusUpdate(approves: true, pinTryCounter: 3, goesOnlineNextTime: true, counters: .addTransaction)
        ),
    ])
    func `M/Chip's response code is two binary bytes`(code: String, update: CardStatusUpdate) throws {
        #expect(update.mChipResponseCode == hex(code))
        for version in [CryptogramVersion.mChip, .mChipCommonSessionKey, .mChipEMV2000] {
            let data = try IssuerAuthenticationData.make(
                context(version), responseCode: Array("00".utf8), cardStatusUpdate: update, masterKey: master())
            #expect(data.suffix(2) == hex(code)[...])
            #expect(
                try IssuerAuthenticationData.verify(data, context(version), masterKey: master())
                    == .cardStatusUpdate(update))
        }
    }

    // EMV Book 2 §8.2: an ARPC with one bit changed, for another request or under another key is refused
    @Test(arguments: CryptogramVersion.allCases)
    func `a card rejects a changed bit, another request, and another key`(version: CryptogramVersion) throws {
        let data = try IssuerAuthenticationData.make(
            context(version), responseCode: Array("00".utf8), cardStatusUpdate: CardStatusUpdate(approves: true),
            masterKey: master())
        for bit in 0..<data.count * 8 {
            var changed = data
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try IssuerAuthenticationData.verify(changed, context(version), masterKey: master()) == nil)
        }
        var other = context(version)
        other.arqc[0] ^= 1
        #expect(try IssuerAuthenticationData.verify(data, other, masterKey: master()) == nil)
        let wrong = master().exclusiveOr([2])
        #expect(try IssuerAuthenticationData.verify(data, context(version), masterKey: wrong) == nil)
    }

    // EMV Book 3 §6.5.4: issuer authentication data are 8 to 16 bytes long
    @Test(arguments: [0, 7, 17]) func `data of another length is rejected`(count: Int) {
        for version in CryptogramVersion.allCases {
            #expect(throws: CryptogramError.malformedIssuerAuthenticationData(count)) {
                try IssuerAuthenticationData.verify(
                    [UInt8](repeating: 0, count: count), context(version), masterKey: master())
            }
        }
    }

    // EMV Book 2 §8.2.2: proprietary authentication data are in the MAC of method 2
    @Test func `proprietary data after the card status update is authenticated too`() throws {
        let update = CardStatusUpdate(approves: true)
        let key = try SessionKey.common(masterKey: master(), atc: 0x0102)
        let mac = try AuthorizationResponseCryptogram.methodTwo(
            arqc: context(.cvn18).arqc, cardStatusUpdate: update.encoded, proprietaryData: [1, 2, 3], key: key)
        let data = mac + update.encoded + [1, 2, 3]
        #expect(
            try IssuerAuthenticationData.verify(data, context(.cvn18), masterKey: master())
                == .cardStatusUpdate(update))
    }

    // EMV Book 2 §9.2.3: the MAC of a script command covers header, counter, cryptogram and data
    @Test(arguments: CryptogramVersion.allCases) func `the MAC of a script covers header, counter, request, and data`(
        version: CryptogramVersion
    ) throws {
        func mac(_ header: [UInt8], _ data: [UInt8], _ atc: UInt16, _ arqc: [UInt8]) throws -> [UInt8] {
            try ScriptMAC.compute(
                header: header, data: data, atc: atc, applicationCryptogram: arqc, version: version,
                masterKey: master())
        }
        let arqc = Fixture.hex("1122334455667788")
        let macs = try [
            mac([0x84, 0x1E, 0, 0, 8], [], 1, arqc), mac([0x84, 0x18, 0, 0, 8], [], 1, arqc),
            mac([0x84, 0x1E, 0, 0, 8], [1], 1, arqc), mac([0x84, 0x1E, 0, 0, 8], [], 2, arqc),
            mac([0x84, 0x1E, 0, 0, 8], [], 1, Fixture.hex("1122334455667789")),
        ]
        #expect(macs.allSatisfy { $0.count == ScriptMAC.length })
        #expect(Set(macs).count == macs.count)
    }
}
