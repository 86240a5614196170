import CardSecrets
import ContactlessKernel8
import Cryptography
import SmartCard
import Testing

/// The values named "golden run" and "single steps" are those of transactions between our test card and another
/// implementation of kernel 8 (``GoldenRun``).
struct ApplicationMACTests {
    private func mac(_ input: ApplicationMACInput) throws -> [UInt8] { try GoldenRun.channel().iadMAC(of: input) }

    private func hash(_ records: String, tags: [BERTag] = [], profile: String) throws -> [UInt8] {
        let values: [BERTag: [UInt8]] = [0x50: hex("54455354204338")]
        return try StaticDataHash.compute(
            records: SensitiveBytes(hex(records)), extendedTags: tags, interchangeProfile: hex(profile)
        ) { values[$0] }
    }

    // EMV Book E §3.2: the IAD-MAC covers the values of PDOL and CDOL1, the answer, and the static data
    @Test func `the IAD-MAC is that of the golden run, on both sides`() throws {
        let input = try GoldenRun.macInput()
        #expect(try mac(input) == hex("245EF795395063FD"))
        let card = try GoldenRun.cardChannel().iadMAC(of: input)
        #expect(card == hex("245EF795395063FD"))
    }

    // EMV Book E §3.2: the EDA-MAC covers the cryptogram and the IAD-MAC
    @Test func `the EDA-MAC is that of the golden run, on both sides`() throws {
        let (cryptogram, iadMAC) = (hex("2624B651CFC6F1BB"), hex("245EF795395063FD"))
        let made = try GoldenRun.cardChannel().edaMAC(cryptogram: cryptogram, iadMAC: iadMAC)
        #expect(made == hex("2565A8A19F53F58D"))
        let channel = try GoldenRun.channel()
        try channel.checkEDAMAC(made, cryptogram: cryptogram, iadMAC: iadMAC)
        for bent in [hex("2565A8A19F53F58C"), [], Array(made.dropLast()), made + [0]] {
            #expect(throws: SecureChannelError.wrongMAC(.enhancedDataAuthentication)) {
                try GoldenRun.channel().checkEDAMAC(bent, cryptogram: cryptogram, iadMAC: iadMAC)
            }
        }
        #expect(throws: SecureChannelError.wrongMAC(.enhancedDataAuthentication)) {
            try GoldenRun.channel().checkEDAMAC(made, cryptogram: hex("2624B651CFC6F1BA"), iadMAC: iadMAC)
        }
        #expect(throws: SecureChannelError.wrongMAC(.enhancedDataAuthentication)) {
            try GoldenRun.channel().checkEDAMAC(made, cryptogram: cryptogram, iadMAC: hex("245EF795395063FC"))
        }
    }

    @Test func `the MAC of another channel is worthless`() throws {
        let factor = try EllipticCurveScalar(SensitiveBytes(hex(GoldenRun.issuerSecret)), on: .p256)
        let other = try CardSecureChannel(
            key: GoldenRun.key(GoldenRun.cardSecret), kernelKeyData: hex(GoldenRun.kernelX + GoldenRun.kernelY),
            blindingFactor: factor)
        let (cryptogram, iadMAC) = (hex("2624B651CFC6F1BB"), hex("245EF795395063FD"))
        let made = try other.edaMAC(cryptogram: cryptogram, iadMAC: iadMAC)
        #expect(throws: SecureChannelError.wrongMAC(.enhancedDataAuthentication)) {
            try GoldenRun.channel().checkEDAMAC(made, cryptogram: cryptogram, iadMAC: iadMAC)
        }
    }

    @Test func `cryptogram and EDA-MAC in the answer do not change the IAD-MAC, anything else does`() throws {
        let expected = hex("245EF795395063FD")
        var input = try GoldenRun.macInput()
        input.answer = input.answer.filter { $0.tag != 0x9F26 && $0.tag != 0x9F_8105 }
        #expect(try mac(input) == expected)
        input.answer.reverse()
        #expect(try mac(input) != expected)
        for part in [\ApplicationMACInput.pdolValues, \.cdol1Values, \.staticDataHash] {
            var bent = try GoldenRun.macInput()
            bent[keyPath: part][0] ^= 0x01
            #expect(try mac(bent) != expected)
        }
        var longer = try GoldenRun.macInput()
        longer.answer.append(BERTLV(0x9F_8108, [0x20, 0x20]))
        #expect(try mac(longer) != expected)
    }

    // Single steps: relay resistance. AIP 010B, TVR 0000000082 in CDOL1
    @Test func `an exchange of relay resistance data is covered too`() throws {
        var input = try GoldenRun.macInput()
        input.cdol1Values = hex(
            "000000001500 000000000000 0276 0000000082 0978 261123 00 11223344 E00810 0800000000000000")
        input.staticDataHash = try hash(GoldenRun.records[0].plain, profile: "010B")
        input.relayResistance = RelayResistanceExchange(
            terminalEntropy: hex("11223344"),
            answer: try RelayResistanceAnswer(response: hex("800AA1A2A3A40000FFFF0012")))
        let iadMAC = try mac(input)
        #expect(iadMAC == hex("579B9CA7F2088C02"))
        try GoldenRun.channel().checkEDAMAC(
            hex("84F33C09DCFB7D4F"), cryptogram: hex("AE96C3EF74E7F332"), iadMAC: iadMAC)
    }

    // Single steps: CVD 02, amount 000000015000
    @Test func `a decision for online PIN is covered`() throws {
        var input = try GoldenRun.macInput()
        input.pdolValues = hex("02800010FFFF0000" + GoldenRun.kernelX + GoldenRun.kernelY + "000000015000 0276 22")
        input.cdol1Values = hex(
            "000000015000 000000000000 0276 0000008081 0978 261123 00 11223344 E04410 4480000000000000")
        var answer = GoldenRun.answer
        answer[answer.count - 1] = 0x02
        input.answer = try GoldenRun.objects(answer)
        #expect(try mac(input) == hex("68F9EAB284FCB485"))
    }

    // Single steps: AIP 000A, no local authentication
    @Test func `a card without local authentication has an IAD-MAC too`() throws {
        var input = try GoldenRun.macInput()
        input.cdol1Values = hex(
            "000000001500 000000000000 0276 8000000081 0978 261123 00 11223344 E00810 0800000000000000")
        var answer = GoldenRun.answer
        answer[5] = 0x80
        input.answer = try GoldenRun.objects(answer)
        input.staticDataHash = try hash(GoldenRun.records[0].plain, profile: "000A")
        #expect(try mac(input) == hex("FAAAB3E52AF85699"))
    }

    // Golden run: SHA-256 of the content of record 1 and of the AIP
    @Test func `the static data are the signed records without templates, and the AIP`() throws {
        #expect(try hash(GoldenRun.records[0].plain, profile: "010A") == GoldenRun.staticDataHash)
        #expect(try hash("7000" + GoldenRun.records[0].plain, profile: "010A") != GoldenRun.staticDataHash)
    }

    // Single steps: 9F810A 01 50 in record 1, label TEST C8
    @Test func `objects of the extended SDA tag list are hashed with tag and length`() throws {
        let list = hex("50")
        var input = try GoldenRun.macInput()
        input.staticDataHash = try hash(
            GoldenRun.records[0].plain + "9F810A0150", tags: StaticDataHash.tags(in: list), profile: "010A")
        #expect(try mac(input) == hex("D32C8EFD39B7A36B"))
    }

    @Test func `an object that is absent is hashed with length 0`() throws {
        let absent = try hash("5F340101", tags: StaticDataHash.tags(in: hex("9F0750")), profile: "010A")
        let explicit = try hash("5F340101 9F0700 500754455354204338", profile: "010A")
        #expect(absent == explicit)
    }

    @Test func `a tag list that ends in a tag is refused with its offset`() throws {
        #expect(try StaticDataHash.tags(in: []) == [])
        #expect(try StaticDataHash.tags(in: hex("9F810A 50 9F10")) == [0x9F_810A, 0x50, 0x9F10])
        #expect(throws: BERTLVError.truncated(offset: 1)) { try StaticDataHash.tags(in: hex("50 9F")) }
        #expect(throws: BERTLVError.tagTooLong(offset: 0)) { try StaticDataHash.tags(in: hex("9F81818181")) }
    }

    // EMV Book C-8 state 28: bits 06 of byte 2 of the AIP say where the IAD-MAC goes
    @Test func `the IAD-MAC is written where the AIP says`() throws {
        let (mac, data) = (hex("245EF795395063FD"), hex("1F0A0180") + [UInt8](repeating: 0, count: 28))
        func written(_ profile: String, cardOffset: UInt8? = nil) throws -> [UInt8] {
            try IADMACPlacement(interchangeProfile: hex(profile))
                .write(mac, into: data, defaultOffset: 0x18, cardOffset: cardOffset)
        }
        #expect(try written("0108") == data)
        #expect(try written("010A") == Array(data.prefix(24)) + mac)
        #expect(try written("010C", cardOffset: 4) == Array(data.prefix(4)) + mac + Array(data.suffix(20)))
        #expect(try written("010E", cardOffset: 4) == data)
        #expect(IADMACPlacement(interchangeProfile: []) == .nowhere)
        #expect(throws: IADMACError.offsetMissing) { try written("010C") }
        #expect(throws: IADMACError.noRoom(offset: 25, length: 32)) { try written("010C", cardOffset: 25) }
        #expect(throws: IADMACError.noRoom(offset: 255, length: 32)) { try written("010C", cardOffset: 255) }
    }
}
