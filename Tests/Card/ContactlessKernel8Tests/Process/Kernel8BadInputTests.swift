import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import SmartCard
import Testing

/// Answers that a card should not give, exchanges without an answer, and times.
struct Kernel8BadInputTests {
    private func indication(
        _ bend: (inout Kernel8Fixture, ScriptedCard) throws -> Void
    ) throws -> String {
        var fixture = try Kernel8Fixture()
        let card = ScriptedCard()
        try bend(&fixture, card)
        return try fixture.run(card).summary[2]
    }

    // EMV Book C-8 state 22: the file locator
    @Test(arguments: ["00010100", "F8010100", "08000100", "08020100", "08010102", "0801010000", "09010100"])
    func `a file locator that names no possible records is an error`(locator: String) throws {
        #expect(try indication { _, card in card.fileLocator = hex(locator) } == "00040000001C")
    }

    @Test(arguments: [
        "9F0206000000001500", "95050000000080", "9F3303E0F8C8", "9F370411223344", "9F3501 22", "BF8104039F8111",
    ])
    func `a record with an object of terminal or kernel is an error`(object: String) throws {
        #expect(try indication { _, card in card.records[0] += hex(object) } == "00040000001C")
    }

    @Test func `an object twice is fine with the same value, and an error with another one`() throws {
        #expect(try indication { _, card in card.records[1] += hex("5F340101") } == "0000000000FF")
        #expect(try indication { _, card in card.records[1] += hex("5F340102") } == "00040000001C")
        #expect(try indication { _, card in card.records[1] += hex("5A085413330089600119") } == "0000000000FF")
        #expect(try indication { _, card in card.records[1] += hex("5A085413330089600118") } == "00040000001C")
    }

    @Test func `unknown objects are skipped, templates are opened`() throws {
        let unknown = "DF010112 BF2103DF0200 61075F340101DF0300"
        #expect(try indication { _, card in card.records[1] += hex(unknown) } == "0000000000FF")
        let hidden = "61045F340102"
        #expect(try indication { _, card in card.records[1] += hex(hidden) } == "00040000001C")
        let deep = (0..<9).reduce([UInt8]()) { inner, _ in BERTLV.encode(0x61, inner) }
        #expect(try indication { _, card in card.records[1] += deep } == "00040000001C")
    }

    @Test(arguments: ["", "70", "7005", "7000 7000", "6100", "80020000", "DA820001"])
    func `an answer to READ RECORD that is not one template is an error`(answer: String) throws {
        let response = ResponseAPDU(data: hex(answer), status: .success)
        #expect(try indication { _, card in card.bends[0xB2] = { _ in response } } == "00040000001C")
    }

    @Test func `a record that was enciphered with another number is an error`() throws {
        let shared = try indication { _, card in
            var first: ResponseAPDU?
            card.bends[0xB2] = { right in
                defer { first = first ?? right }
                return first ?? right
            }
        }
        #expect(shared == "00040000001C")
    }

    @Test func `every truncation and every bit of every answer ends the transaction, and none approves what is wrong`()
        throws
    {
        for instruction: UInt8 in [0xA8, 0xB2, 0xAE] {
            for position in stride(from: 0, to: 160, by: 3) {
                for isCut in [true, false] {
                    let card = ScriptedCard()
                    card.bends[instruction] = { right in
                        guard position < right.data.count else { return right }
                        var data = right.data
                        if isCut { data.removeLast(data.count - position) } else { data[position] ^= 0x40 }
                        return ResponseAPDU(data: data, status: .success)
                    }
                    let run = try Kernel8Fixture().run(card)
                    #expect(run.outcome != nil)
                    if run.outcome?.status == .approved, instruction != 0xB2 {
                        // Only bits that the answer is too short for.
                        #expect(run.record[0x9F26] == card.cryptogram)
                    }
                }
            }
        }
    }

    // EMV Book E §3.2: a replayed cryptogram was made in another channel
    @Test func `the answer to GENERATE AC of another channel is refused`() throws {
        let recorded = GoldenRun.answer
        var fixture = try Kernel8Fixture()
        fixture.random = SeededRandomSource(seed: 3)
        let card = ScriptedCard()
        card.bends[0xAE] = { _ in ResponseAPDU(data: recorded, status: .success) }
        let run = try fixture.run(card)
        #expect(run.kernel.result?.error == .wrongEDAMAC)
        #expect(run.summary == ["40F0F0F090F00D00", "1C00", "00130000001C"])
    }

    @Test func `a replayed answer to READ DATA is not read, and the transaction goes on`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8203] = hex("9F8111 9F8112")
        fixture.data[0x9F_821F] = hex("9F821C 9F8111 9F8112")
        let card = ScriptedCard()
        card.envelopes[0x9F_8111] = hex("01")
        var first: ResponseAPDU?
        card.bends[0x32] = { right in
            defer { first = first ?? right }
            return first ?? right
        }
        let run = try fixture.run(card)
        #expect(run.discretionary == [0x9F_821C: [0x00], 0x9F_8111: hex("01")])
        #expect(run.outcome?.status == .approved)
    }

    @Test(arguments: [0x6A88, 0x6985] as [UInt16])
    func `a refused READ DATA or WRITE DATA changes no outcome`(status: UInt16) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8203] = hex("9F8111")
        fixture.data[0xBF_8104] = hex("9F811201AA 9F811301BB")
        for instruction: UInt8 in [0x32, 0x34] {
            let card = ScriptedCard()
            card.refusals[instruction] = StatusWord(rawValue: status)
            let run = try fixture.run(card)
            #expect(run.outcome?.status == .approved)
            #expect(run.discretionary[0x9F_821C] == (instruction == 0x32 ? [0x00] : [0x80]))
            #expect(run.discretionary[0x9F_821B] == (instruction == 0x34 ? [0x00] : [0x80]))
        }
    }

    @Test func `two envelopes are written one after the other, until one has a wrong MAC`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0xBF_8104] = hex("9F811201AA 9F811301BB")
        let run = try fixture.run(ScriptedCard())
        #expect(run.commands.suffix(2).map(\.p2) == [0x80, 0x00])
        #expect(run.discretionary[0x9F_821B] == [0x80])
        let card = ScriptedCard()
        card.bends[0x34] = { ResponseAPDU(data: $0.data.map { $0 ^ 1 }, status: .success) }
        let other = try fixture.run(card)
        #expect(other.commands.last?.ins == 0x34)
        #expect(other.commands.count == run.commands.count - 1)
        #expect(other.discretionary[0x9F_821B] == [0x00])
        #expect(other.outcome?.status == .approved)
    }

    // EMV Book C-8 state 20: level 1 errors
    @Test(arguments: 0..<4)
    func `a card that leaves before GENERATE AC is asked for again`(command: Int) throws {
        var fixture = try Kernel8Fixture()
        fixture.failure = (command, .cardRemoved)
        let run = try fixture.run(ScriptedCard())
        #expect(run.kernel.result?.error == .exchange(.cardRemoved))
        #expect(run.outcome?.status == .endApplication)
        #expect(run.outcome?.start == .b)
        #expect(run.outcome?.uiOnRestart?.message == .presentCardAgain)
        #expect(run.summary[2] == "0100000000FF")
    }

    @Test func `a card that leaves during GENERATE AC is not asked for again, because it may have counted`() throws {
        var fixture = try Kernel8Fixture()
        fixture.failure = (4, .timedOut)
        let run = try fixture.run(ScriptedCard())
        #expect(run.outcome?.status == .endApplication)
        #expect(run.outcome?.start == nil)
        #expect(run.outcome?.uiOnOutcome?.message == .useAnotherCard)
        #expect(run.outcome?.uiOnOutcome?.holdTime == .milliseconds(1300))
        #expect(run.outcome?.dataRecord == nil)
        #expect(run.summary[2] == "01000000001C")
    }

    @Test func `a card that leaves during WRITE DATA keeps its outcome`() throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0xBF_8104] = hex("9F811201AA")
        fixture.failure = (5, .cardRemoved)
        let run = try fixture.run(ScriptedCard())
        #expect(run.outcome?.status == .approved)
        #expect(run.discretionary[0x9F_821B] == [0x00])
    }

    @Test(arguments: 0..<5)
    func `a canceled transaction ends without another command`(command: Int) throws {
        var fixture = try Kernel8Fixture()
        fixture.failure = (command, .canceled)
        let run = try fixture.run(ScriptedCard())
        #expect(run.commands.count == command + 1)
        #expect(run.outcome?.status == .endApplication)
        #expect(run.outcome?.start == nil)
        #expect(run.outcome?.uiOnOutcome?.message == .clearDisplay)
        #expect(run.summary[2] == "00000200001E")
    }

    /// Relay resistance with times in units of 100 µs: the card's answer, the time of each exchange, the commands, and
    /// the TVR; nil for an error.
    struct Times: Sendable {
        let answer: String
        let elapsed: Int
        let exchanges: Int
        let results: String?
    }

    // EMV Book C-8 state 21: relay resistance
    @Test(arguments: [
        Times(answer: "800AA1A2A3A40000FFFF0012", elapsed: 66, exchanges: 1, results: "0000000082"),
        Times(answer: "800AA1A2A3A4000A00140012", elapsed: 400, exchanges: 3, results: "000000008E"),
        Times(answer: "800AA1A2A3A4000A00140012", elapsed: 106, exchanges: 1, results: "0000000082"),
        Times(answer: "800AA1A2A3A4000A00140012", elapsed: 107, exchanges: 3, results: "0000000086"),
        Times(answer: "800AA1A2A3A4FFF0FFFF0012", elapsed: 66, exchanges: 1, results: nil),
        Times(answer: "800AA1A2A3A40000FFFF0002", elapsed: 66, exchanges: 1, results: "000000008A"),
    ])
    func `relay resistance is judged by the times`(times: Times) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8209] = hex("1000")
        fixture.elapsed = .microseconds(100 * times.elapsed)
        let card = ScriptedCard()
        (card.interchangeProfile, card.relayAnswer) = (hex("010B"), hex(times.answer))
        try card.certify()
        let run = try fixture.run(card)
        #expect(run.commands.count { $0.ins == 0xEA } == times.exchanges)
        #expect(run.record[0x95] == times.results.map(hex))
        if times.results == nil { #expect(run.kernel.result?.error == .answeredTooEarly) }
    }

    @Test(arguments: ["800A00", "810AA1A2A3A40000FFFF0012", "800AA1A2A3A40000FFFF001200", ""])
    func `an answer of relay resistance of another form is an error`(answer: String) throws {
        #expect(
            try indication { fixture, card in
                fixture.data[0x9F_8209] = hex("1000")
                (card.interchangeProfile, card.relayAnswer) = (hex("010B"), hex(answer))
            } == "00040000001C")
    }

    @Test func `an object of the card in the configuration stands in for nothing`() throws {
        let missing = try indication { fixture, card in
            fixture.data[0x9F2C] = hex("0200FFFF800000")
            card.selection = hex("6F178407F0000000080101A50C5007544553542043389F1100")
        }
        #expect(missing == "0001000000FF")
        let verification = try indication { fixture, card in
            fixture.data[0x9F_8102] = [0x00]
            card.missing = [0x9F_8102]
        }
        #expect(verification == "00010000001C")
    }

    @Test func `a kernel that was not activated ends`() throws {
        var kernel = Kernel8(authorities: [], now: GoldenRun.date, random: SeededRandomSource(seed: 1))
        let step = kernel.receive(.response(ResponseAPDU(status: .success), took: .zero))
        guard case .finish(let outcome) = step.next else {
            Issue.record("a command without a transaction")
            return
        }
        #expect(outcome.status == .endApplication)
    }

    // EMV Book C-8 state 20: the name of the reader is equal to, or a prefix of, the card's
    @Test(arguments: [
        ("F0000000080101", "81"), ("F000000008", "81"), ("F000000008010102", "C1"), ("F0000000080102", "C1"),
    ])
    func `another name than the card's is a bit of the TVR`(aid: String, last: String) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F06] = hex(aid)
        #expect(try fixture.run(ScriptedCard()).record[0x95] == hex("00000000" + last))
    }

    // EMV Book C-8 state 20: a limit is exceeded by more than its amount
    @Test func `an amount equal to a limit is below it`() throws {
        func record(_ amount: String) throws -> [BERTag: [UInt8]] {
            var fixture = try Kernel8Fixture()
            fixture.data[0x9F02] = hex(amount)
            return try fixture.run(ScriptedCard()).record
        }
        #expect(try record("000000005000")[0x9F33] == hex("E00810"))
        #expect(try record("000000005001")[0x9F33] == hex("E04410"))
        #expect(try record("000000010000")[0x95]?[3] == 0x00)
        #expect(try record("000000010001")[0x95]?[3] == 0x80)
    }
}
