import ContactlessKernel8
import EMV
import EntryPoint
import SmartCard
import Testing

/// What cards may do in more than one way.
struct Kernel8CaseTests {
    /// The answer to SELECT with these objects in A5.
    private static func selection(_ proprietary: String, qualifier: String = "0200FFFF800000") -> [UInt8] {
        let issuer = BERTLV(0xBF0C, BERTLV.encode(0x9F2C, hex(qualifier)))
        let inner = hex(proprietary) + issuer.encoded
        return BERTLV.encode(0x6F, BERTLV.encode(0x84, GoldenRun.dfName) + BERTLV.encode(0xA5, inner))
    }

    /// The first command for an answer to SELECT, and the run that it is refused in.
    private func refused(_ selection: [UInt8]) throws -> Kernel8Fixture.Run {
        try Kernel8Fixture().run(selection: selection) { _ in ResponseAPDU(status: .conditionsNotSatisfied) }
    }

    // EMV Book C-8 state 2: the suites of the card may stand in any place of its list
    @Test(arguments: ["0200FFFF800000", "02FFFF00800000", "028800FF800000", "0100FFFF000000"])
    func `the secure channel is found in each place of the list`(qualifier: String) throws {
        let run = try refused(Self.selection("9F38 03 9F2B08", qualifier: qualifier))
        #expect(run.commands.map(\.data) == [hex("8308 02800010FFFF0000")])
        #expect(run.outcome?.status == .selectNext)
        #expect(run.outcome?.start == .c)
    }

    @Test(arguments: ["02FFFFFF800000", "028801FF800000"])
    func `a list without a suite that is built ends the application`(qualifier: String) throws {
        let run = try refused(Self.selection("9F38 03 9F2B08", qualifier: qualifier))
        #expect(run.commands.isEmpty)
        #expect(run.kernel.result?.error == .noCommonSuite)
    }

    // EMV Book C-8 state 1: the card notices that the field was off, or not
    @Test func `the field goes off only for a card that notices it`() throws {
        let card = ScriptedCard()
        card.selection = Kernel8OutcomeTests.selection(qualifier: "0200FFFF000000")
        let run = try Kernel8Fixture().run(card)
        #expect(run.summary.first == "10F0F000B0F0FF00")
        #expect(run.outcome?.fieldOff == nil)
    }

    // EMV Book C-8 state 1: the languages of messages, filled with zeros to eight bytes
    @Test(arguments: [("5F2D02656E", "656E000000000000"), ("5F2D086465656E66726974", "6465656E66726974"), ("", "")])
    func `messages have the languages of the card`(object: String, languages: String) throws {
        let card = ScriptedCard()
        card.selection = Self.selection(
            "5007544553542043389F380E9F2B089E409F02069F1A029F3501" + object)
        let result = try #require(try Kernel8Fixture().run(card).kernel.result)
        #expect(result.error == nil)
        let filled = hex(languages) + [UInt8](repeating: 0, count: 8 - hex(languages).count)
        #expect(result.userInterfaceRequest == hex("0300000013") + filled)
    }

    @Test func `without a PDOL the values are empty`() throws {
        let run = try refused(Self.selection("50045445 5354"))
        #expect(run.commands.map(\.bytes) == [hex("80A8000002830000")])
    }

    @Test func `the kernel's key is cut or filled with zeros as the PDOL asks`() throws {
        let key = GoldenRun.kernelX + GoldenRun.kernelY
        let short = try refused(Self.selection("9F38 02 9E20"))
        #expect(short.commands.first?.data == hex("8320" + GoldenRun.kernelX))
        let long = try refused(Self.selection("9F38 02 9E42"))
        #expect(long.commands.first?.data == hex("8342" + key + "0000"))
    }

    @Test func `a PDOL of which values do not fit, or that ends early, is an error`() throws {
        func error(_ list: String) throws -> Kernel8Error? {
            try refused(Self.selection(BERTLV(0x9F38, hex(list)).encoded.digits)).kernel.result?.error
        }
        #expect(try error("9F02FC") == .refused(.getProcessingOptions, .conditionsNotSatisfied))
        #expect(try error("9F02FD") == .listTooLong(0x9F38))
        #expect(try error("9F0206 9F") == .malformedList(0x9F38, offset: 3))
        #expect(try error("9F0206 9F1A") == .malformedList(0x9F38, offset: 3))
    }

    // EMV Book C-8 state 20: CDOL1 comes with the FCI, with GET PROCESSING OPTIONS, or is the default
    @Test func `CDOL1 may come from the FCI or be the default`() throws {
        let early = ScriptedCard()
        early.hasCDOL1 = false
        let list = BERTLV(0x8C, early.cdol1).encoded.digits
        early.selection = Self.selection(
            "5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501" + list)
        #expect(try Kernel8Fixture().run(early).outcome?.status == .approved)
        #expect(early.cryptogram == hex("2624B651CFC6F1BB"))
        let silent = ScriptedCard()
        silent.hasCDOL1 = false
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8220] = silent.cdol1
        #expect(try fixture.run(silent).outcome?.status == .approved)
        #expect(silent.cryptogram == hex("2624B651CFC6F1BB"))
    }

    @Test func `the records of a high SFI are hashed without their template too`() throws {
        let card = ScriptedCard()
        card.fileLocator = hex("5801010110020300")
        let run = try Kernel8Fixture().run(card)
        #expect(run.commands[1].p2 == 0x5C)
        #expect(run.kernel.authentication == .succeeded)
    }

    @Test func `records are read in the order of the file locator, also a descending one`() throws {
        let card = ScriptedCard()
        card.fileLocator = hex("1002030008010101")
        let run = try Kernel8Fixture().run(card)
        #expect(run.commands[1...3].map(\.p1) == [2, 3, 1])
        #expect(run.kernel.authentication == .succeeded)
        #expect(run.outcome?.status == .approved)
    }

    // EMV Book E §7: a plain record does not count in the channel
    @Test func `plain and enciphered records may alternate`() throws {
        for isFirstEnciphered in [true, false] {
            let card = ScriptedCard()
            card.enciphersRecords = isFirstEnciphered
            card.bends[0xB2] = { [unowned card] right in
                card.enciphersRecords.toggle()
                return right
            }
            let run = try Kernel8Fixture().run(card)
            #expect(run.kernel.authentication == .succeeded)
            #expect(run.record[0x9F_8109] == hex("245EF795395063FD"))
            #expect(run.outcome?.status == .approved)
        }
    }

    /// A decision of the card, the capability of the terminal, and what follows.
    struct Verification: Sendable {
        let decision: UInt8
        let capability: UInt8
        let method: ContactlessOutcome.CVM?
        let results: String
        let byte3: UInt8
    }

    // EMV Book C-8 state 29: the card decides on the verification, among what the terminal can
    @Test(arguments: [
        Verification(decision: 0x00, capability: 0x08, method: .noCVM, results: "1F0002", byte3: 0x00),
        Verification(decision: 0x00, capability: 0x64, method: nil, results: "3F0001", byte3: 0x80),
        Verification(decision: 0x01, capability: 0x20, method: .signature, results: "1E0000", byte3: 0x00),
        Verification(decision: 0x01, capability: 0x4C, method: nil, results: "3F0001", byte3: 0x80),
        Verification(decision: 0x02, capability: 0x40, method: .onlinePIN, results: "020000", byte3: 0x04),
        Verification(decision: 0x02, capability: 0x2C, method: nil, results: "3F0001", byte3: 0x80),
        Verification(
            decision: 0x03, capability: 0x04, method: .confirmationCodeVerified, results: "010002", byte3: 0x00),
        Verification(decision: 0x03, capability: 0x68, method: nil, results: "3F0001", byte3: 0x80),
        Verification(decision: 0x0F, capability: 0x00, method: nil, results: "3F0000", byte3: 0x00),
        Verification(decision: 0xFF, capability: 0x6C, method: nil, results: "3F0001", byte3: 0x80),
        Verification(decision: 0x07, capability: 0x6C, method: nil, results: "3F0001", byte3: 0x80),
    ])
    func `each verification has its results`(verification: Verification) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8208] = [verification.capability]
        let card = ScriptedCard()
        card.verification = verification.decision
        let run = try fixture.run(card)
        #expect(run.outcome?.cvm == verification.method)
        #expect(run.record[0x9F34] == hex(verification.results))
        #expect(run.record[0x95]?[2] == verification.byte3)
    }

    // EMV Book C-8 state 20: terminal type and offline capability of the card decide on the request
    @Test(
        arguments: [
            (0x11, "010A", 0x80), (0x21, "010A", 0x80), (0x14, "010A", 0x80), (0x24, "010A", 0x80),
            (0x34, "010A", 0x80),
            (0x23, "010A", 0x40), (0x26, "0102", 0x00), (0x36, "010A", 0x40), (0x13, "0102", 0x00),
            (0x16, "010A", 0x40),
            (0x22, "010A", 0x40), (0x22, "0102", 0x80), (0x25, "010A", 0x40), (0x12, "0102", 0x80),
        ] as [(UInt8, String, UInt8)])
    func `each terminal type asks for its cryptogram`(type: UInt8, profile: String, asked: UInt8) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F35] = [type]
        let card = ScriptedCard()
        card.interchangeProfile = hex(profile)
        try card.certify()
        #expect(try fixture.run(card).commands.last?.p1 == asked)
    }

    // EMV Book C-8 state 28: the offset of the card
    @Test func `the IAD-MAC goes to the offset that the card gives`() throws {
        let card = ScriptedCard()
        card.interchangeProfile = hex("010C")
        card.records[1] += hex("9F81070104")
        try card.certify()
        let run = try Kernel8Fixture().run(card)
        let data = try #require(run.record[0x9F10])
        #expect(Array(data[4..<12]) == card.iadMAC)
        #expect(data.count == 32)
    }

    @Test(arguments: [0x9F27, 0x9F36, 0x9F26, 0x9F10, 0x9F_8105, 0x9F_8102] as [UInt32])
    func `each object of the answer to GENERATE AC must be there`(tag: UInt32) throws {
        let card = ScriptedCard()
        card.missing = [BERTag(rawValue: tag)]
        let run = try Kernel8Fixture().run(card)
        #expect(run.kernel.result?.error == .missing(BERTag(rawValue: tag)))
    }

    // EMV Book E §3.2: the EDA-MAC covers cryptogram and issuer application data
    @Test(arguments: [0x9F26, 0x9F10, 0x9F_8105, 0x9F36, 0x9F_8102] as [UInt32])
    func `no byte of the answer to GENERATE AC may be another one`(tag: UInt32) throws {
        let tag = BERTag(rawValue: tag)
        for position in 0..<32 {
            let card = ScriptedCard()
            var isChanged = false
            card.bends[0xAE] = { right in
                Kernel8OutcomeTests.changing(right, tag: tag) { value in
                    guard position < value.count else { return }
                    value[position] ^= 0x10
                    isChanged = true
                }
            }
            let run = try Kernel8Fixture().run(card)
            #expect(run.kernel.result?.error == (isChanged ? .wrongEDAMAC : nil))
        }
    }

    // EMV Book C-8 annex A1.81: the kernel reserved TVR mask
    @Test func `the mask says which bits the card may change`() throws {
        func results(_ mask: String) throws -> [UInt8]? {
            var fixture = try Kernel8Fixture()
            fixture.data[0x9F_821A] = hex(mask)
            let card = ScriptedCard()
            card.objects = [BERTLV(0x9F_8104, hex("0060000000"))]
            return try fixture.run(card).record[0x95]
        }
        #expect(try results("FFFFFFFFFF") == hex("0000000081"))
        #expect(try results("0000000000") == hex("0060000000"))
        #expect(try results("84000480CF") == hex("0060000081"))
    }
}
