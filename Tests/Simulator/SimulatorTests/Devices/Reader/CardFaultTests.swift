import CCID
import Determinism
import Settings
import SimulatedTime
import SmartCard
import Testing
import USB

@testable import Simulator

/// What a card's faults look like on the wire, through the real driver.
@Suite(.simulatedTime) struct CardFaultTests {
    private struct Setup {
        let clock = SimulationClock()
        let simulated: SimulatedCCIDReader
        let reader: CCIDReader
        let channel: CCIDCardChannel

        init(
            _ faults: [CardFault], card name: String = "visa-credit", model: SimulatedReaderModel = .tpdu,
            change: (inout CardProfile) -> Void = { _ in }
        ) async throws {
            var profile = try CardProfileLibrary.profile(name)
            profile.faults = faults
            change(&profile)
            simulated = SimulatedCCIDReader(model: model, clock: clock)
            let bus = SimulatedUSBBus(clock: clock)
            simulated.insert(try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: 1)))
            reader = try await CCIDReader.open(bus.plug(simulated), on: bus, time: clock)
            channel = try await reader.powerOn()
        }

        func send(_ text: String) async throws -> ResponseAPDU {
            try await channel.transmit(try CommandAPDU(bytes: hex(text)))
        }

        func select() async throws -> ResponseAPDU { try await send("00A40400 07 A0000000031010 00") }
        func begin() async throws -> ResponseAPDU { try await send("80A80000 02 8300 00") }

        func generateAC(_ type: String = "80") async throws -> ResponseAPDU {
            let data = terminalData().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return try await send("80AE\(type)00 1D \(data) 00")
        }
    }

    private static let models: [SimulatedReaderModel] = [.tpdu, .shortAPDU, .extendedAPDU]

    @Test(arguments: models, ["visa-credit", "t1-card"])
    func `response data is changed according to the profile`(model: SimulatedReaderModel, card: String) async throws {
        let plain = try await Setup([], card: card, model: model)
        let right = try await plain.select().data
        let cases: [(CardFault.Effect, [UInt8])] = [
            (.truncate(9), Array(right.prefix(9))), (.appendByte, right + [0x9F]),
            (.wrongLength, [right[0], right[1] + 1] + right.dropFirst(2)),
            (.badTLV, [right[0], 0x80] + right.dropFirst(2)), (.statusWord(StatusWord(rawValue: 0x6A82)), []),
        ]
        for (effect, expected) in cases {
            let setup = try await Setup([CardFault(.select, effect)], card: card, model: model)
            #expect(try await setup.select().data == expected)
            // The fault was for the first one.
            #expect(try await setup.select().data == right)
            await setup.reader.close()
        }
        await plain.reader.close()
    }

    @Test func `a fault occurs at its command, every time, or at any command`() async throws {
        let status = StatusWord(rawValue: 0x6F42)
        let third = try await Setup([CardFault(.select, .statusWord(status), at: .nth(3))])
        for number in 1...4 { #expect(try await third.select().status == (number == 3 ? status : .success)) }
        await third.reader.close()
        let every = try await Setup([CardFault(.select, .statusWord(status), at: .every)])
        for _ in 1...3 { #expect(try await every.select().status == status) }
        await every.reader.close()
        let any = try await Setup([CardFault(.any, .statusWord(status), at: .nth(2))])
        #expect(try await any.select().status == .success)
        #expect(try await any.begin().status == status)
        await any.reader.close()
    }

    @Test func `a fault status can replace processing or follow it`() async throws {
        for (moment, counter) in [(CardFault.Moment.before, "0001"), (.during, "0002")] {
            let setup = try await Setup([
                CardFault(.getProcessingOptions, .statusWord(.conditionsNotSatisfied), moment: moment)
            ])
            _ = try await setup.select()
            #expect(try await setup.begin().status == .conditionsNotSatisfied)
            #expect(try await setup.send("80CA9F3600").data == hex("9F3602" + counter))
            await setup.reader.close()
        }
    }

    @Test(arguments: ["visa-credit", "visa-format-two"])
    func `one bit of the cryptogram is wrong, and the rest is unchanged`(card: String) async throws {
        var answers: [[UInt8]] = []
        for faults in [[], [CardFault(.generateAC, .badCryptogram)]] {
            // The PANs differ, so one card serves for both.
            let setup = try await Setup(faults, card: card)
            _ = try await setup.select()
            _ = try await setup.begin()
            answers.append(try await setup.generateAC().data)
            await setup.reader.close()
        }
        let differing = zip(answers[0], answers[1]).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        #expect(answers[0].count == answers[1].count && differing.count == 1)
        // Format 1: behind tag, length, information and counter. Format 2: behind those and their tags.
        #expect(differing == [card == "visa-credit" ? 12 : 21])
    }

    @Test func `one bit of a certificate is wrong`() async throws {
        for (faults, isRight) in [([], true), ([CardFault(.readRecord, .wrongSignature, at: .every)], false)] {
            let setup = try await Setup(faults, card: "pin-enciphered")
            _ = try await setup.send("00A40400 07 A0000000041010 00")
            _ = try await setup.begin()
            let record = try await setup.send("00B2011C00").data
            let intact = try await Setup([], card: "pin-enciphered")
            _ = try await intact.send("00A40400 07 A0000000041010 00")
            _ = try await intact.begin()
            #expect((try await intact.send("00B2011C00").data == record) == isRight)
            await setup.reader.close()
            await intact.reader.close()
        }
    }

    @Test(arguments: models, ["visa-credit", "t1-card"])
    func `a card that requests more time is waited for`(
        model: SimulatedReaderModel, card: String
    ) async throws {
        let setup = try await Setup(
            [CardFault(.select, .waitingTimeExtension(3)), CardFault(.select, .delay(milliseconds: 4000))], card: card,
            model: model)
        let start = setup.clock.now()
        #expect(try await setup.select().status == .success)
        #expect(setup.clock.now() >= start.advanced(by: .seconds(4)))
        #expect(try await setup.select().status == .success)
        await setup.reader.close()
    }

    @Test(arguments: models, ["visa-credit", "t1-card"])
    func `a card stays mute until the next reset`(model: SimulatedReaderModel, card: String) async throws {
        let setup = try await Setup([CardFault(.getProcessingOptions, .mute)], card: card, model: model)
        _ = try await setup.select()
        await #expect(throws: (any Error).self) { try await setup.begin() }
        let channel = try await setup.reader.powerOn()
        let select = try CommandAPDU(bytes: hex("00A40400 07 A0000000031010 00"))
        #expect(try await channel.transmit(select).status == .success)
        await setup.reader.close()
    }

    @Test(arguments: models, ["visa-credit", "t1-card"])
    func `a card is removed before, during, or after a command`(model: SimulatedReaderModel, card: String) async throws
    {
        for moment in CardFault.Moment.allCases {
            let setup = try await Setup(
                [CardFault(.getProcessingOptions, .remove, moment: moment)], card: card, model: model)
            _ = try await setup.select()
            if moment == .after {
                #expect(try await setup.begin().status == .success)
            } else {
                await #expect(throws: (any Error).self) { try await setup.begin() }
            }
            #expect(!setup.simulated.hasCard())
            await #expect(throws: (any Error).self) { try await setup.send("80CA9F3600") }
            await setup.reader.close()
        }
    }

    @Test func `a removed card has processed the command or not`() async throws {
        for (moment, counter) in [(CardFault.Moment.before, "0001"), (.during, "0002"), (.after, "0002")] {
            var profile = try CardProfileLibrary.profile("visa-credit")
            profile.faults = [CardFault(.getProcessingOptions, .remove, moment: moment)]
            let card = try CardUnderTest(profile)
            try card.select()
            let reply = card.card.process(try CommandAPDU(bytes: hex("80A80000 02 8300 00")))
            #expect((reply.response == nil) == (moment != .after))
            #expect(reply.removal == (moment == .after ? .afterAnswer : .beforeAnswer))
            _ = card.card.reset(warm: false)
            try card.select()
            #expect(try card.send("80CA9F3600").data == hex("9F3602" + counter))
        }
    }

    @Test func `a MAC is changed on its way`() throws {
        var profile = try CardProfileLibrary.profile("issuer-script")
        profile.faults = [CardFault(.externalAuthenticate, .badMAC)]
        let card = try CardUnderTest(profile)
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.send("00820000 08 0000000000000000").status == .authenticationFailed)
    }

    @Test(arguments: [
        ("{ command: fly, do: mute }", "unknown value"), ("{ command: select }", "the key 'do' is missing"),
        ("{ command: select, do: explode }", "no such fault"), ("{ command: select, do: mut }", "did you mean 'mute'?"),
        ("{ command: select, do: statusWord }", "needs a status such as 6985"),
        ("{ command: select, do: statusWord 1234 }", "needs a status such as 6985"),
        ("{ command: select, do: statusWord 6100 }", "belong to the protocol"),
        ("{ command: select, do: truncate }", "needs a number from 0 to 255"),
        ("{ command: select, do: truncate 300 }", "needs a number from 0 to 255"),
        ("{ command: select, do: mute 3 }", "'mute'"),
        ("{ command: select, occurrence: 0, do: mute }", "is not in 1...1000"),
        ("{ command: select, when: after, do: mute }", "use before or during"),
        ("{ command: select, when: during, do: truncate 3 }", "does not apply to the fault"),
        ("{ command: select, do: badMAC }", "carry a MAC"),
    ])
    func `an error in a fault is reported with its line`(fault: String, message: String) {
        let yaml = """
            name: test
            description: A card for a test
            card: { mute: true }
            faults:
              - \(fault)
            """
        do {
            _ = try CardProfile(yaml: yaml, file: "card.yaml")
            Issue.record("no error")
        } catch {
            #expect(error.description.hasPrefix("card.yaml:5: faults[0]"), "\(error)")
            #expect(error.description.contains(message), "\(error)")
        }
    }
}
