import CardSecrets
import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import SmartCard
import Testing

/// The outcomes of finished flows and of errors, as another implementation of kernel 8 has them.
struct Kernel8OutcomeTests {
    /// One row: a name, what is other than in the golden run, and the outcome parameter set, message, and error
    /// indication.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: [String]
        let bend: @Sendable (inout Kernel8Fixture, ScriptedCard) throws -> Void

        init(
            _ name: String, _ parameters: String, _ message: String, _ error: String,
            _ bend: @escaping @Sendable (inout Kernel8Fixture, ScriptedCard) throws -> Void
        ) {
            (testDescription, expected, self.bend) = (name, [parameters, message, error], bend)
        }
    }

    private static let fine = "0000000000FF"
    /// The answer to GENERATE AC with a restart indicator.
    private static func restart(_ indicator: String) -> BERTLV { BERTLV(0x9F_8108, hex(indicator)) }

    /// What a finished flow ends with.
    static let decisions: [Row] = [
        Row("TC, accepted", "10F0F000B0F00D00", "0300", fine) { _, _ in },
        Row("TC with signature", "10F0F010B8F00D00", "1A00", fine) { fixture, card in
            fixture.data[0x9F02] = hex("000000009000")
            fixture.data[0x9F_8207] = hex("24")
            card.verification = 0x01
        },
        Row("device verified the cardholder", "10F0F030B8F00D00", "0300", fine) { fixture, card in
            fixture.data[0x9F02] = hex("000000009000")
            card.verification = 0x03
        },
        Row("ARQC where TC was asked", "30F0F000B0F00D00", "1B00", fine) { _, card in card.information = 0x80 },
        Row("online-only terminal", "30F0F000B0F00D00", "1B00", fine) { fixture, _ in fixture.data[0x9F35] = [0x21] },
        Row("online-only card", "30F0F000B0F00D00", "1B00", fine) { _, card in card.interchangeProfile = hex("0102") },
        Row("AAC", "20F0F000B0F00D00", "0700", fine) { _, card in card.information = 0x00 },
        Row("offline-only terminal, online-only card", "20F0F000B0F00D00", "0700", fine) { fixture, card in
            fixture.data[0x9F35] = [0x23]
            card.interchangeProfile = hex("0102")
        },
        Row("refund with AAC", "40F0F000B0F00D00", "1E00", fine) { fixture, card in
            fixture.data[0x9C] = [0x20]
            card.information = 0x00
        },
        Row("cashback with AAC", "20F0F000B0F00D00", "0700", fine) { fixture, card in
            fixture.data[0x9C] = [0x09]
            card.information = 0x00
        },
        Row("restart at B with an allowed message", "4010F000F0F00D00", "2000", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("2020")])
        },
        Row("restart at B with a message that is not allowed", "4010F000F0F00D00", "2100", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("2F07")])
        },
        Row("restart at B with five bytes", "4010F000F0F00D00", "2100", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("2000000000")])
        },
        Row("another interface: the chip", "60F0F000B0100D00", "1800", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("3118")])
        },
        Row("another interface: the stripe", "60F0F000B0200D00", "1800", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("3200")])
        },
        Row("another interface without a preference", "60F0F000B0F00D00", "2000", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("3F20")])
        },
        Row("declined with the card's message", "20F0F000B0F00D00", "2000", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("0020")])
        },
        Row("a restart indicator of unknown meaning", "20F0F000B0F00D00", "0700", fine) { _, card in
            (card.information, card.objects) = (0x00, [restart("4100")])
        },
        Row("card TVR that meets the denial code", "20F0F000B0F00D00", "0700", fine) { fixture, card in
            fixture.data[0x9F_820B] = hex("0040000000")
            card.objects = [BERTLV(0x9F_8104, hex("0040000080"))]
        },
        Row("card TVR that meets the online code after TC", "30F0F000B0F00D00", "1B00", fine) { fixture, card in
            fixture.data[0x9F_820C] = hex("0040000000")
            card.objects = [BERTLV(0x9F_8104, hex("0040000080"))]
        },
        Row("verification failed, codes of zero", "10F0F0F0B0F00D00", "0300", fine) { fixture, card in
            fixture.data[0x9F_820C] = hex("0000000000")
            card.verification = 0xFF
        },
        Row("verification failed, shop codes", "30F0F0F0B0F00D00", "1B00", fine) { fixture, card in
            fixture.data[0x9F_820C] = hex("840080800C")
            card.verification = 0xFF
        },
        Row("blinding factor wrong", "30F0F000B0F00D00", "1B00", fine) { _, card in
            card.bends[0xA8] = { Self.changing($0, tag: 0x9F_8103) { $0[63] ^= 1 } }
        },
        Row("certificate expired", "30F0F000B0F00D00", "1B00", fine) { fixture, _ in
            fixture.now = CivilDate(year: 2050, month: 1, day: 1)
        },
        Row("certificate expired, denied by the code", "20F0F000B0F00D00", "0700", fine) { fixture, _ in
            fixture.now = CivilDate(year: 2050, month: 1, day: 1)
            fixture.data[0x9F_820B] = hex("0400000000")
        },
        Row("unknown authority", "30F0F000B0F00D00", "1B00", fine) { fixture, _ in fixture.authorities = [] },
    ]

    /// What errors end with.
    static let errors: [Row] = [
        Row("FCI without 9F2C", "5020F0F010F0FF00", "-", "0001000000FF") { _, card in
            card.selection = hex("6F178407F0000000080101A50C5007544553542043389F1100")
        },
        Row("card qualifier of version 00", "5020F0F010F0FF00", "-", "0001000000FF") { _, card in
            card.selection = Self.selection(qualifier: "0000FFFF800000")
        },
        Row("FCI truncated", "5020F0F010F0FF00", "-", "0004000000FF") { _, card in card.selection.removeLast() },
        Row("two DF names", "5020F0F010F0FF00", "-", "0004000000FF") { _, card in
            card.selection = hex("6F128407F00000000801018407F0000000080102")
        },
        Row("no common suite", "40F0F0F090F0FF00", "1C00", "00060000001C") { _, card in
            card.selection = Self.selection(qualifier: "0288FFFF800000")
        },
        Row("GET PROCESSING OPTIONS refused", "5020F0F010F0FF00", "-", "0003006985FF") { _, card in
            card.bends[0xA8] = { _ in ResponseAPDU(status: .conditionsNotSatisfied) }
        },
        Row("no CDOL1 and no default", "40F0F0F090F00D00", "1C00", "00010000001C") { _, card in card.hasCDOL1 = false },
        Row("no card key data", "40F0F0F090F00D00", "1C00", "00010000001C") { _, card in card.missing = [0x9F_8103] },
        Row("no AIP", "40F0F0F090F00D00", "1C00", "00010000001C") { _, card in card.missing = [0x82] },
        Row("no file locator", "40F0F0F090F00D00", "1C00", "00010000001C") { _, card in card.missing = [0x94] },
        Row("template 80", "40F0F0F090F00D00", "1C00", "00040000001C") { _, card in
            card.bends[0xA8] = { _ in ResponseAPDU(data: hex("8006010A08010101"), status: .success) }
        },
        Row("key data of 63 bytes", "40F0F0F090F00D00", "1C00", "00040000001C") { _, card in
            card.bends[0xA8] = { Self.changing($0, tag: 0x9F_8103) { $0.removeLast() } }
        },
        Row("key data of 65 bytes", "40F0F0F090F00D00", "1C00", "00100000001C") { _, card in
            card.bends[0xA8] = { Self.changing($0, tag: 0x9F_8103) { $0.append(0) } }
        },
        Row("blinded key off the curve", "40F0F0F090F00D00", "1C00", "00100000001C") { _, card in
            // No point has an x above the prime.
            let large = [UInt8](repeating: 0xFF, count: 32)
            card.bends[0xA8] = { Self.changing($0, tag: 0x9F_8103) { $0.replaceSubrange(0..<32, with: large) } }
        },
        Row("READ RECORD refused", "40F0F0F090F00D00", "1C00", "0003006A831C") { _, card in
            card.bends[0xB2] = { _ in ResponseAPDU(status: .recordNotFound) }
        },
        Row("GENERATE AC refused", "40F0F0F090F00D00", "1C00", "00030069851C") { _, card in
            card.bends[0xAE] = { _ in ResponseAPDU(status: .conditionsNotSatisfied) }
        },
        Row("EDA-MAC wrong", "40F0F0F090F00D00", "1C00", "00130000001C") { _, card in
            card.bends[0xAE] = { Self.changing($0, tag: 0x9F_8105) { $0[7] ^= 1 } }
        },
        Row("TC where ARQC was asked", "40F0F0F090F00D00", "1C00", "00060000001C") { fixture, card in
            fixture.data[0x9F35] = [0x21]
            card.information = 0x40
        },
        Row("cryptogram of type C0", "40F0F0F090F00D00", "1C00", "00060000001C") { _, card in card.information = 0xC0 },
        Row("restart indicator of one byte", "40F0F0F090F00D00", "1C00", "00040000001C") { _, card in
            (card.information, card.objects) = (0x00, [restart("20")])
        },
        Row("no place for the IAD-MAC", "40F0F0F090F00D00", "1C00", "00060000001C") { _, card in
            card.issuerApplicationData.removeLast()
        },
        Row("no offset of the IAD-MAC", "40F0F0F090F00D00", "1C00", "00060000001C") { _, card in
            card.interchangeProfile = hex("010C")
        },
        Row("no issuer certificate", "40F0F0F090F00D00", "1C00", "00060000001C") { _, card in
            card.records[1] = hex("8F0101")
        },
        Row("no PAN", "40F0F0F090F00D00", "1C00", "00010000001C") { _, card in card.records[0] = hex("5F340101") },
        Row("RSA switched on", "40F0F0F010F0FF00", "-", "000F000000FF") { fixture, _ in
            fixture.data[0x9F_8209] = hex("2000")
        },
        Row("no amount", "40F0F0F010F0FF00", "-", "0000030000FF") { fixture, _ in fixture.data[0x9F02] = nil },
        Row("no date", "40F0F0F010F0FF00", "-", "0000030000FF") { fixture, _ in fixture.data[0x9A] = nil },
    ]

    static func selection(qualifier: String) -> [UInt8] {
        hex(
            "6F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501BF0C0A9F2C07"
                + qualifier)
    }

    /// The answer with another value of one object of its template.
    static func changing(_ response: ResponseAPDU, tag: BERTag, _ change: (inout [UInt8]) -> Void) -> ResponseAPDU {
        let objects = ((try? BERTLV.parse(response.data)) ?? []).flatMap(\.children).map { object in
            guard object.tag == tag else { return object }
            var value = object.value
            change(&value)
            return BERTLV(tag, value)
        }
        return ResponseAPDU(data: BERTLV(0x77, children: objects).encoded, status: response.status)
    }

    private func check(_ row: Row) throws -> Kernel8Fixture.Run {
        var fixture = try Kernel8Fixture()
        let card = ScriptedCard()
        try row.bend(&fixture, card)
        try? card.certify()
        let run = try fixture.run(card)
        #expect(run.summary == row.expected)
        return run
    }

    // EMV Book C-8 state 29: the outcome of each cryptogram, decision, and restart indicator
    @Test(arguments: decisions)
    func `a finished flow has its outcome`(row: Row) throws {
        let run = try check(row)
        #expect(run.kernel.result?.error == nil)
        #expect(run.outcome?.dataRecord != nil)
        #expect(run.messages.last?.message == .cardRead)
    }

    @Test func `a decline is the terminal's when its action analysis declines, and otherwise the card's`() throws {
        let terminal: Set<String> = [
            "offline-only terminal, online-only card", "card TVR that meets the denial code",
            "certificate expired, denied by the code",
        ]
        for row in Self.decisions {
            let outcome = try check(row).outcome
            #expect(outcome?.isDeclinedByTerminal == terminal.contains(row.testDescription), "\(row.testDescription)")
        }
    }

    // EMV Book C-8 state 20: errors of the card before GENERATE AC
    // EMV Book C-8 state 26: errors of the answer to GENERATE AC
    @Test(arguments: errors)
    func `an error has its outcome`(row: Row) throws {
        let run = try check(row)
        #expect(run.kernel.result?.error != nil)
        #expect(run.outcome?.dataRecord == nil)
        #expect(run.messages.isEmpty)
    }

    // EMV Book C-8 state 26: messages on errors stay for the hold time once a cryptogram was asked for
    @Test func `an error after GENERATE AC holds its message, one before does not`() throws {
        let card = ScriptedCard()
        card.bends[0xAE] = { _ in ResponseAPDU(status: .conditionsNotSatisfied) }
        #expect(try Kernel8Fixture().run(card).outcome?.uiOnOutcome?.holdTime == .milliseconds(1300))
        let early = ScriptedCard()
        early.bends[0xB2] = { _ in ResponseAPDU(status: .recordNotFound) }
        #expect(try Kernel8Fixture().run(early).outcome?.uiOnOutcome?.holdTime == .zero)
    }

    @Test func `a restart shows its message again when the reader polls`() throws {
        let card = ScriptedCard()
        (card.information, card.objects) = (0x00, [Self.restart("2020")])
        let outcome = try #require(try Kernel8Fixture().run(card).outcome)
        #expect(outcome.start == .b)
        #expect(outcome.uiOnOutcome?.message == .seePhone)
        #expect(outcome.uiOnRestart?.message == .seePhone)
        #expect(outcome.uiOnRestart?.status == .readyToRead)
        #expect(outcome.uiOnRestart?.holdTime == .zero)
    }

    // EMV Book C-8 annex A: table A.38, the configuration
    @Test(
        arguments: [
            0x9F40, 0x9F06, 0x9F09, 0x9F_8206, 0x9F_8207, 0x9F_8208, 0x9F_821E, 0x9F_821F, 0x9F_8212, 0x9F_8209,
            0x9F_821A,
            0x9F_8214, 0x9F_8211, 0x9F_821D, 0x9F_8213, 0x9F_820D, 0x9F_820E, 0x9F_8217, 0x9F_8218, 0x9F_820A,
            0x9F_8221,
            0x9F_820B, 0x9F_820C, 0x9F1A, 0x9F_8215, 0x9F_8216, 0x9F1D, 0x9F35, 0x9F_820F, 0x9C,
        ] as [UInt32])
    func `without an object of the configuration no command is sent`(tag: UInt32) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[BERTag(rawValue: tag)] = nil
        let run = try fixture.run(ScriptedCard())
        #expect(run.commands.isEmpty)
        #expect(run.kernel.result?.error == .configuration(.missing(BERTag(rawValue: tag))))
        #expect(run.summary == ["40F0F0F010F0FF00", "-", "000F000000FF"])
    }

    @Test func `a malformed configuration says what is wrong`() throws {
        func error(_ tag: BERTag, _ value: String) throws -> Kernel8Error? {
            var fixture = try Kernel8Fixture()
            fixture.data[tag] = hex(value)
            return try fixture.run(ScriptedCard()).kernel.result?.error
        }
        #expect(try error(0x9F_820B, "00") == .configuration(.wrongLength(0x9F_820B, 1)))
        #expect(try error(0x9F_820D, "00000000000A") == .configuration(.digits(0x9F_820D)))
        #expect(try error(0x9F_8221, "9F10DF019F") == .configuration(.tagList(0x9F_8221, offset: 4)))
        #expect(try error(0x9F_8221, "9F10") == .configuration(.oddTagMapping(1)))
    }

    // EMV Book C-8 annex A1.118: the tag mapping list
    @Test func `mapped objects are shown under their other tag`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8221] = hex("9F10 DF01 9F8204 DF02")
        let run = try fixture.run(ScriptedCard())
        #expect(run.record[0x9F10] == nil)
        #expect(run.record[0xDF01]?.count == 32)
        #expect(run.discretionary[0xDF02] == hex("0000000000FF"))
    }

    @Test func `the shop configuration is complete, and its mask protects the kernel's findings`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data.merge(Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000)) { _, new in new }
        fixture.authorities = []
        let card = ScriptedCard()
        card.objects = [BERTLV(0x9F_8104, hex("0000000000"))]
        let run = try fixture.run(card)
        #expect(run.record[0x95] == hex("0400000081"))
        #expect(run.summary.first == "30F0F000B0F00D00")
        #expect(run.kernel.authentication == .failed(.unknownAuthority(index: 1)))
    }

    // EMV Book C-8 annex A1.77: the kernel configuration hides a failed local authentication
    @Test func `a failed authentication counts although the data record does not show it`() throws {
        var fixture = try Kernel8Fixture()
        fixture.authorities = []
        let run = try fixture.run(ScriptedCard())
        #expect(run.record[0x95] == hex("0000000081"))
        #expect(run.summary.first == "30F0F000B0F00D00")
    }
}
