import CardSecrets
import ContactlessKernel8
import EMV
import EntryPoint
import SmartCard
import Testing

/// The transactions with another implementation of kernel 8 (``GoldenRun``), byte for byte.
struct Kernel8GoldenTests {
    /// The commands of the golden run, and the answers of its card.
    private static let exchange: [(command: String, answer: String)] = [
        (
            """
            80A8000053835102800010FFFF000011EF9D91C68DCFAD53B23960996D93172FB4B468EF23F3ADF9008C4AAC9A494805DBD03EC16E3F
            63B1D176CB7BC87F350BFE9F799ADCED862FF58118C4E716E700000000150002762200
            """,
            """
            776F8202010A940808010101100203009F8103404DF863813A12EC3B3E0A580DCEA1B0B03B20D328BA791D4247422E9A2B3103528667
            AAA3D0DEB54F4586DA77769894699E9FC8AD71EBB3254F1273A0E9014AF68C1B9F02069F03069F1A0295055F2A029A039C019F37049F
            33039F1D08
            """
        ),
        ("00B2010C00", "DA2C" + GoldenRun.records[0].enciphered),
        ("00B2021400", "DA7A" + GoldenRun.records[1].enciphered),
        ("00B2031400", "DA8195" + GoldenRun.records[2].enciphered),
        (
            "80AE4000280000000015000000000000000276000000008109782611230011223344E00810080000000000000000",
            """
            77489F2701409F360200019F26082624B651CFC6F1BB9F8105082565A8A19F53F58D9F10201F0A018000000000000000000000000000
            0000000000000000000000000000009F81020100
            """
        ),
    ]

    /// Answers as the card of the golden run did, to the commands that it got.
    private static func golden(
        _ fixture: Kernel8Fixture, _ exchange: [(command: String, answer: String)] = exchange
    ) throws -> Kernel8Fixture.Run {
        var rest = exchange[...]
        return try fixture.run(selection: ScriptedCard().selection) { command in
            let next = try #require(rest.first)
            rest.removeFirst()
            #expect(command.bytes.digits == hex(next.command).digits)
            return ResponseAPDU(data: hex(next.answer), status: .success)
        }
    }

    // EMV Book C-8 state 1: the order of the kernel's work, with every byte of another implementation
    // EMV Book E §7: the kernel's side of the secure channel
    @Test func `the golden run has every byte of the other implementation`() throws {
        let run = try Self.golden(try Kernel8Fixture())
        #expect(run.commands.count == 5)
        let result = try #require(run.kernel.result)
        #expect(result.parameterSet == hex("10F0F000B0F00D00"))
        #expect(result.userInterfaceRequest == hex("0300000013656E000000000000"))
        #expect(result.restartRequest == nil)
        #expect(result.errorIndication == hex("0000000000FF"))
        #expect(result.error == nil)
        #expect(run.kernel.authentication == .succeeded)
        #expect(run.record[0x95] == hex("0000000081"))
        #expect(run.record[0x9F34] == hex("1F0002"))
        #expect(run.record[0x9F33] == hex("E00810"))
        #expect(run.record[0x9F10]?.digits == "1F0A0180" + String(repeating: "0", count: 40) + "245EF795395063FD")
        #expect(run.record[0x9F_8109] == hex("245EF795395063FD"))
        #expect(run.record[0x9F26] == hex("2624B651CFC6F1BB"))
    }

    @Test func `the golden run is an outcome with every parameter`() throws {
        let outcome = try #require(try Self.golden(try Kernel8Fixture()).outcome)
        #expect(outcome.status == .approved)
        #expect(outcome.start == nil)
        #expect(outcome.cvm == .noCVM)
        #expect(outcome.onlineResponseData == nil)
        #expect(outcome.fieldOff == .milliseconds(1300))
        #expect(outcome.removalTimeout == .zero)
        #expect(!outcome.demandsReceipt)
        #expect(
            outcome.uiOnOutcome
                == UserInterfaceRequest(
                    .approved, .notReady, holdTime: .milliseconds(1300), languages: ["en"]))
        #expect(outcome.uiOnRestart == nil)
        #expect(outcome.discretionaryData?.value.revealed == hex("9F8204060000000000FF 9F821C0100 9F821B0100"))
    }

    // EMV Book C-8 annex A: table A.11, the data record
    @Test func `the data record has its objects in the order of the table`() throws {
        let record = try #require(try Self.golden(try Kernel8Fixture()).kernel.result?.dataRecord)
        let tags = try BERTLV.parse(record.value.revealed).map(\.tag)
        #expect(
            tags == [
                0x9F02, 0x9F03, 0x9F26, 0x5F24, 0x82, 0x50, 0x5A, 0x5F34, 0x9F36, 0x9F07, 0x9F09, 0x9F27, 0x9F34, 0x84,
                0x9F10, 0x9F_8109, 0x9F33, 0x9F1A, 0x9F35, 0x95, 0x57, 0x5F2A, 0x9A, 0x9C, 0x9F37,
            ])
    }

    @Test func `a card that computes its answers gives the golden run too`() throws {
        let card = ScriptedCard()
        let run = try Kernel8Fixture().run(card)
        #expect(run.commands.map(\.bytes.digits) == Self.exchange.map { hex($0.command).digits })
        #expect(card.cryptogram == hex("2624B651CFC6F1BB"))
        #expect(card.edaMAC == hex("2565A8A19F53F58D"))
        #expect(run.messages.last == UserInterfaceRequest(.cardRead, .cardReadSuccessfully, languages: ["en"]))
    }

    // Single steps: READ DATA with CMC 8004
    // EMV Book C-8 §5.5: READ DATA
    @Test func `READ DATA is that of the single step`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8203] = hex("9F8111")
        fixture.data[0x9F_821F] = hex("9F821C 9F8111")
        let card = ScriptedCard()
        card.envelopes[0x9F_8111] = hex("0102030405060708")
        card.bends[0x32] = { right in
            #expect(right.data == hex("E66B018BFA294C358C300A4E F7E32F54C3F1D347"))
            return right
        }
        let run = try fixture.run(card)
        #expect(run.commands[4].bytes == hex("84320000039F811100"))
        #expect(run.discretionary == [0x9F_821C: [0x80], 0x9F_8111: hex("0102030405060708")])
        #expect(card.cryptogram == hex("2624B651CFC6F1BB"))
    }

    // Single steps: WRITE DATA of 9F8112 04 11223344, KMC 0000, after READ DATA
    // EMV Book C-8 §5.7: WRITE DATA
    @Test func `WRITE DATA is that of the single step`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8203] = hex("9F8111")
        fixture.data[0xBF_8104] = hex("9F81120411223344")
        let card = ScriptedCard()
        card.envelopes[0x9F_8111] = hex("0102030405060708")
        card.bends[0x34] = { right in
            #expect(right.data == hex("D31E0EDC9E36F61F"))
            return right
        }
        let run = try fixture.run(card)
        #expect(run.commands[5].p2 == 0x80)
        #expect(card.cryptogram == hex("2624B651CFC6F1BB"))
        #expect(card.edaMAC == hex("2565A8A19F53F58D"))
        #expect(run.commands[6].bytes == hex("843400000813EEA70B979A5FD600"))
        #expect(run.discretionary[0x9F_821B] == [0x80])
        #expect(card.envelopes[0x9F_8112] == hex("11223344"))
        #expect(run.outcome?.status == .approved)
    }

    // Single steps: AIP 010B, 80EA0000041122334400
    // EMV Book C-8 §5.2: EXCHANGE RELAY RESISTANCE DATA
    @Test func `relay resistance is that of the single step`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8209] = hex("1000")
        let card = ScriptedCard()
        card.interchangeProfile = hex("010B")
        try card.certify()
        let run = try fixture.run(card)
        #expect(run.commands[1].bytes == hex("80EA0000041122334400"))
        #expect(card.iadMAC == hex("579B9CA7F2088C02"))
        #expect(card.cryptogram == hex("AE96C3EF74E7F332"))
        #expect(card.edaMAC == hex("84F33C09DCFB7D4F"))
        #expect(run.record[0x9F_8109] == hex("579B9CA7F2088C02"))
        #expect(run.record[0x95] == hex("0000000082"))
        #expect(run.kernel.authentication == .succeeded)
    }

    // Single steps: 9F810A 01 50 in record 1
    // EMV Book E §3.2: the extended SDA tag list
    @Test func `the extended SDA tag list is that of the single step`() throws {
        let card = ScriptedCard()
        card.records[0] += hex("9F810A0150")
        try card.certify()
        let run = try Kernel8Fixture().run(card)
        #expect(card.iadMAC == hex("D32C8EFD39B7A36B"))
        #expect(card.cryptogram == hex("86848282E92AD784"))
        #expect(run.record[0x9F_8109] == hex("D32C8EFD39B7A36B"))
        #expect(run.kernel.authentication == .succeeded)
    }

    @Test func `plain records give the MACs of the golden run`() throws {
        let card = ScriptedCard()
        card.enciphersRecords = false
        let run = try Kernel8Fixture().run(card)
        #expect(run.record[0x9F_8109] == hex("245EF795395063FD"))
        #expect(run.summary == ["10F0F000B0F00D00", "0300", "0000000000FF"])
    }

    // Single steps: CVD 02, amount 000000015000
    // EMV Book C-8 state 20: the limits, and online PIN
    @Test func `online PIN above both limits is that of the single step`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F02] = hex("000000015000")
        let card = ScriptedCard()
        card.verification = 0x02
        let run = try fixture.run(card)
        #expect(card.iadMAC == hex("68F9EAB284FCB485"))
        #expect(card.cryptogram == hex("50840B583F269A7A"))
        #expect(run.record[0x95] == hex("0000048081"))
        #expect(run.outcome?.coveredResults == hex("0000008081"))
        #expect(run.record[0x9F33] == hex("E04410"))
        #expect(run.record[0x9F34] == hex("020000"))
        #expect(run.summary.first == "10F0F020B8F00D00")
        #expect(run.outcome?.cvm == .onlinePIN)
        #expect(run.outcome?.demandsReceipt == true)
    }

    // Single steps: AIP 000A
    // EMV Book C-8 state 20: a card without local authentication goes online by the action codes
    @Test func `no local authentication is that of the single step`() throws {
        let card = ScriptedCard()
        card.interchangeProfile = hex("000A")
        card.fileLocator = hex("08010101")
        let run = try Kernel8Fixture().run(card)
        #expect(run.commands.last?.p1 == 0x80)
        #expect(card.iadMAC == hex("FAAAB3E52AF85699"))
        #expect(card.cryptogram == hex("7892014CC4D547EB"))
        #expect(run.record[0x95] == hex("8000000081"))
        #expect(run.outcome?.coveredResults == hex("8000000081"))
        #expect(run.summary == ["30F0F000B0F00D00", "1B00", "0000000000FF"])
        #expect(run.kernel.authentication == .notPerformed)
    }
}
