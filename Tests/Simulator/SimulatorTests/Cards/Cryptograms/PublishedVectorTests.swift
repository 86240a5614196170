import CardSecrets
import Cryptography
import SmartCard
import Testing

@testable import Simulator

/// Numbers that others have published. Those of pyemv (github.com/knovichikhin/pyemv, `tests/*_hsm.py`) were made with
/// a hardware security module; the one for EMV 2000 stands in the documentation of its release 1.5.0.
struct PublishedVectorTests {
    typealias Fixture = CryptogramFixture

    private static let cryptogramKey = "0123456789ABCDEFFEDCBA9876543210"
    private static let macKey = "FEDCBA98765432100123456789ABCDEF"
    private static let confidentialityKey = "89ABCDEF0123456776543210FEDCBA98"

    private func master(_ issuerKey: String, pan: String = "1234567890123456", psn: UInt8 = 0) throws -> SensitiveBytes
    {
        try ICCMasterKey.derive(
            issuerMasterKey: SensitiveBytes(hex(issuerKey)), pan: try Fixture.pan(pan), panSequenceNumber: psn)
    }

    /// The first bytes of zeros enciphered under a key.
    private func checkValue(_ key: borrowing SensitiveBytes) throws -> [UInt8] {
        Array(try TripleDES.encrypt([UInt8](repeating: 0, count: 8), key: key).prefix(2))
    }

    /// 40.00 Canadian dollars, transaction counter 28.
    private func input(_ issuerData: String) throws -> ApplicationCryptogram.Input {
        let objects: [BERTag: [UInt8]] = [
            0x9F02: hex("000000004000"), 0x9F03: hex("000000000000"), 0x9F1A: hex("0124"), 0x95: hex("8000048000"),
            0x5F2A: hex("0124"), 0x9A: hex("191105"), 0x9C: [1], 0x9F37: hex("52BF4585"), 0x82: hex("1800"),
            0x9F36: hex("001C"), 0x9F10: hex(issuerData),
        ]
        return try ApplicationCryptogram.Input { objects[$0] }
    }

    // EMV Book 2 §8.2.1: the ARPC of method 1 agrees with published numbers
    // EMV Book 2 §8.1.2: cryptograms agree with published numbers
    @Test(arguments: [
        ("06010A03A06010", "29CCA15AE665FA2E", "28993816AFAE4AEB3030"),
        ("06011203A0B800", "7A788EA6B8A3E733", "9AF514C100000000"),
    ])
    func `Visa's request and response cryptograms`(issuerData: String, arqc: String, response: String) throws {
        let input = try input(issuerData)
        let key = try master(Self.cryptogramKey)
        #expect(try checkValue(key) == hex("BAB0"))
        #expect(try ApplicationCryptogram.compute(input, masterKey: key) == hex(arqc))
        let context = IssuerAuthenticationData.Context(
            version: input.issuerApplicationData.version, atc: 28, unpredictableNumber: hex("52BF4585"),
            arqc: hex(arqc))
        let data = try IssuerAuthenticationData.make(
            context, responseCode: Array("00".utf8), cardStatusUpdate: CardStatusUpdate(approves: false),
            masterKey: key)
        #expect(data == hex(response))
    }

    // EMV Book 2 §9.2.3: a script's MAC is cut to four bytes or kept at eight
    @Test(arguments: [
        (CryptogramVersion.cvn10, "29CCA15AE665FA2E", "DB56BA60087CEFD3"),
        (.cvn18, "7A788EA6B8A3E733", "04EDE90BC24CC35E"),
    ])
    func `the MAC of Visa's APPLICATION UNBLOCK`(version: CryptogramVersion, arqc: String, mac: String) throws {
        let key = try master(Self.macKey)
        for length in ScriptMAC.lengths {
            let made = try ScriptMAC.compute(
                header: hex("8418000008"), data: [], atc: 28, applicationCryptogram: hex(arqc), version: version,
                masterKey: key, length: length)
            #expect(made == Array(hex(mac).prefix(length)))
        }
    }

    @Test(arguments: [
        (
            CryptogramVersion.cvn10, "29CCA15AE665FA2E", false,
            "84240002 18BB221AF527377A2811D2B6EBC396A9391A965A5CB2CE62DA"
        ),
        (.cvn10, "29CCA15AE665FA2E", true, "84240001 182EE025E554BCD87E11D2B6EBC396A939C4A8393B57DD2F3F"),
        (.cvn18, "7A788EA6B8A3E733", false, "84240002 18BB221AF527377A2811D2B6EBC396A9391A22B480EF312F40"),
        (.cvn18, "7A788EA6B8A3E733", true, "84240001 182EE025E554BCD87E11D2B6EBC396A9390FB94A4E4EC10F41"),
    ])
    func `Visa's PIN CHANGE, with and without the current PIN`(
        version: CryptogramVersion, arqc: String, hasCurrentPIN: Bool, command: String
    ) throws {
        let block = try ScriptEncipherment.pinBlock(
            newPIN: SealedBytes([9, 9, 9, 9]), currentPIN: hasCurrentPIN ? SealedBytes([8, 8, 8, 8]) : nil,
            version: version, cryptogramKey: try master(Self.cryptogramKey))
        let enciphered = try ScriptEncipherment.encipher(
            block, atc: 28, applicationCryptogram: hex(arqc), version: version,
            masterKey: try master(Self.confidentialityKey))
        let header = Array(hex(command).prefix(5))
        let mac = try ScriptMAC.compute(
            header: header, data: enciphered, atc: 28, applicationCryptogram: hex(arqc), version: version,
            masterKey: try master(Self.macKey))
        #expect(header + enciphered + mac == hex(command))
    }

    // EMV Book 2 §9.3: a new PIN is enciphered under a session key of its own
    @Test(arguments: [
        ([UInt8](repeating: 9, count: 4), "28367E05DE3381C2", "8C4D10091A093B5B"),
        ([UInt8](repeating: 9, count: 12), "99AD3AF9EB3ECF0C", "1471D88C6393BE21"),
    ])
    func `M/Chip's PIN CHANGE`(pin: [UInt8], enciphered: String, mac: String) throws {
        let arqc = hex("ABCDEF1234567890")
        let block = try ScriptEncipherment.pinBlock(
            newPIN: SealedBytes(pin), version: .mChip, cryptogramKey: SensitiveBytes([]))
        let data = try ScriptEncipherment.encipher(
            block, atc: 1, applicationCryptogram: arqc, version: .mChip,
            masterKey: try master("11111111111111112222222222222222", psn: 1))
        #expect(data == hex(enciphered))
        // The vector's MAC goes over the command alone, so it is made with the session key.
        let key = try CryptogramVersion.mChip.scriptKey(
            masterKey: try master(Self.cryptogramKey, psn: 1), atc: 1, applicationCryptogram: arqc)
        #expect(
            try RetailMAC.mac(hex("8424000210") + data, key: key, padding: .markerAndZeros) == hex(mac))
    }

    @Test func `Mastercard's session key, as Interac uses it`() throws {
        let key = try SessionKey.mastercard(
            masterKey: try master(Self.cryptogramKey), atc: 28, unpredictableNumber: hex("ABCDEF12"))
        #expect(try checkValue(key) == hex("2FD5"))
        #expect(
            try AuthorizationResponseCryptogram.methodOne(
                arqc: hex("18932FECA2D84326"), responseCode: [0, 0], key: key) == hex("4DF171A49396C363"))
    }

    // EMV Book 2 annex A1.3.1: the common session key agrees with published numbers
    @Test(arguments: [
        ("12345678901234567", "FF08", "DF82", "19C1FBC83EBDC0D5", "C3620580668E5B65"),
        ("9901234567890123", "1DA5", "0995", "4B46013359B7A58B", nil),
    ])
    func `the common session key, the cryptogram under it, and the response by method 1`(
        pan: String, masterCheck: String, sessionCheck: String, arqc: String, arpc: String?
    ) throws {
        let key = try master(Self.cryptogramKey, pan: pan, psn: 45)
        #expect(try checkValue(key) == hex(masterCheck))
        let session = try SessionKey.derive(masterKey: key, diversifier: hex("1234567890123456"))
        #expect(try checkValue(session) == hex(sessionCheck))
        let message = hex("0123456789ABCDEF0123456789ABCDEF")
        #expect(try RetailMAC.mac(message, key: session, padding: .markerAndZeros) == hex(arqc))
        if let arpc {
            #expect(
                try AuthorizationResponseCryptogram.methodOne(arqc: hex(arqc), responseCode: [0, 0], key: session)
                    == hex(arpc))
        }
    }

    // EMV Book 2 §8.2.2: the ARPC of method 2 agrees with published numbers
    @Test func `responses by method 2, with and without proprietary data`() throws {
        let session = try SessionKey.derive(
            masterKey: try master(Self.cryptogramKey, pan: "9901234567890123", psn: 45),
            diversifier: hex("1234567890123456"))
        for (proprietary, expected) in [("1234567890ABCDEF", "4962B76C"), ("", "7DFB1188")] {
            #expect(
                try AuthorizationResponseCryptogram.methodTwo(
                    arqc: hex("4B46013359B7A58B"), cardStatusUpdate: [0, 0, 0, 0], proprietaryData: hex(proprietary),
                    key: session) == hex(expected))
        }
    }

    @Test func `the session key of EMV 2000, four branches`() throws {
        let key = try SessionKey.tree(masterKey: SensitiveBytes(hex(Self.cryptogramKey)), atc: 0x001C)
        #expect(Fixture.revealed(key) == hex("E5BF6D1067F194B0A89B7F5D83BC64A2"))
    }

    /// Computed with the published program (pyemv 1.5.0, `derive_emv2000_tree_sk`), not found in print.
    @Test(arguments: [
        (SessionKey.TreeBranches.four, UInt16(0), "5DEACDA173081562C7F15D2C1C46FD5E"),
        (.four, 1, "763DD643437CCED5BA46C22CFBD54085"), (.four, 0x1234, "F86D23E3CB0E207361A107869446B9EA"),
        (.four, 0xFFFF, "C70815AB641575C1AEDF86A4D61FD0B3"), (.two, 0, "A88352F152BFAD46F4EA1A9D13E9CBB0"),
        (.two, 0x001C, "5BD69B2676F464F4B3D3D549C1737C61"), (.two, 0x1234, "F43E58C79D4CE0DA7F970DDFA43ECE68"),
        (.two, 0xFFFF, "CB15F72A5798B9F7AE9E92C2C2A87ACB"),
    ])
    func `session keys of EMV 2000 agree with another program's`(
        branches: SessionKey.TreeBranches, atc: UInt16, expected: String
    ) throws {
        let key = try SessionKey.tree(
            masterKey: SensitiveBytes(hex(Self.cryptogramKey)), atc: atc, branches: branches)
        #expect(Fixture.revealed(key) == hex(expected))
    }
}

struct ScriptEnciphermentTests {
    private let key = hex("67F8292358083E5EA7AB7FDA58D53B6B")
    private let arqc = hex("1122334455667788")

    private func encipher(_ data: [UInt8], _ version: CryptogramVersion) throws -> [UInt8] {
        try ScriptEncipherment.encipher(
            SensitiveBytes(data), atc: 7, applicationCryptogram: arqc, version: version, masterKey: SensitiveBytes(key))
    }

    private func decipher(_ data: [UInt8], _ version: CryptogramVersion) throws -> [UInt8] {
        CryptogramFixture.revealed(
            try ScriptEncipherment.decipher(
                data, atc: 7, applicationCryptogram: arqc, version: version, masterKey: SensitiveBytes(key)))
    }

    // EMV Book 2 §9.3: data enciphered by the issuer open with the card's session key
    @Test(arguments: CryptogramVersion.allCases) func `a card deciphers data of its issuer`(
        version: CryptogramVersion
    ) throws {
        for count in [0, 1, 7, 8, 9, 15, 16, 17, 200] {
            let data = (0..<count).map { UInt8($0 + 1) }
            let enciphered = try encipher(data, version)
            let opened = try? decipher(enciphered, version)
            switch version {
            // M/Chip has no mark of the end: padding stays.
            case .mChip, .mChipCommonSessionKey, .mChipEMV2000: #expect(opened?.starts(with: data) ?? data.isEmpty)
            case .cvn10, .cvn18, .aes: #expect(opened == data)
            }
        }
    }

    @Test(arguments: CryptogramVersion.allCases) func `a card deciphers the PIN of its issuer`(
        version: CryptogramVersion
    ) throws {
        for current in [nil, SealedBytes([4, 3, 2, 1])] where current == nil || version.takesCurrentPIN {
            let block = try ScriptEncipherment.pinBlock(
                newPIN: SealedBytes([1, 2, 3, 4, 5]), currentPIN: current, version: version,
                cryptogramKey: SensitiveBytes(key))
            let opened = try ScriptEncipherment.formatTwoBlock(
                in: block, currentPIN: current, version: version, cryptogramKey: SensitiveBytes(key))
            #expect(CryptogramFixture.revealed(opened) == hex("2512345FFFFFFFFF"))
        }
    }

    // EMV Book 2 §9.3: enciphered data of a wrong length are refused
    @Test(arguments: CryptogramVersion.allCases) func `data that is not enciphered is rejected`(
        version: CryptogramVersion
    ) throws {
        for count in [0, 1, 7, 9] {
            #expect(throws: CryptogramError.malformedScriptData) {
                _ = try decipher([UInt8](repeating: 3, count: count), version)
            }
        }
        #expect(throws: CryptogramError.unusablePIN) {
            _ = try ScriptEncipherment.pinBlock(
                newPIN: SealedBytes([1, 2, 3]), version: version, cryptogramKey: SensitiveBytes(key))
        }
        #expect(throws: CryptogramError.unusablePIN) {
            _ = try ScriptEncipherment.formatTwoBlock(
                in: SensitiveBytes([1, 2, 3, 4, 5, 6, 7, 8]), currentPIN: nil, version: version,
                cryptogramKey: SensitiveBytes(key))
        }
    }

    @Test func `a current PIN is rejected in schemes without one`() {
        #expect(throws: CryptogramError.unusablePIN) {
            _ = try ScriptEncipherment.pinBlock(
                newPIN: SealedBytes([1, 2, 3, 4]), currentPIN: SealedBytes([1, 2, 3, 4]), version: .mChip,
                cryptogramKey: SensitiveBytes(key))
        }
    }
}
