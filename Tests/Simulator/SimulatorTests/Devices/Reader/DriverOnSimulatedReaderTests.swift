import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

/// The real driver on the simulated reader: what the two make of CCID must agree.
@Suite(.simulatedTime) struct DriverOnSimulatedReaderTests {
    private struct Setup {
        let clock = SimulationClock()
        let bus: SimulatedUSBBus
        let reader: SimulatedCCIDReader

        init(_ model: SimulatedReaderModel) {
            bus = SimulatedUSBBus(clock: clock)
            reader = SimulatedCCIDReader(model: model, clock: clock)
        }

        func open() async throws -> CCIDReader { try await CCIDReader.open(bus.plug(reader), on: bus, time: clock) }
    }

    private static let models = [
        SimulatedReaderModel.tpdu, .shortAPDU, .extendedAPDU,
        {
            var model = SimulatedReaderModel.tpdu
            model.fullPacketHabit = .zeroLengthBefore
            model.hasInterruptEndpoint = false
            return model
        }(),
        {
            var model = SimulatedReaderModel.shortAPDU
            model.fullPacketHabit = .zeroLengthAfter
            return model
        }(),
    ]

    private func command(_ ins: UInt8, _ p1: UInt8 = 0, _ p2: UInt8 = 0, _ data: [UInt8] = [], ne: Int? = nil) throws
        -> CommandAPDU
    {
        try CommandAPDU(cla: 0, ins: ins, p1: p1, p2: p2, data: data, expectedLength: ne)
    }

    @Test(arguments: models, [ScriptedCard.t0, ScriptedCard.t1, ScriptedCard.both])
    func `the same commands get the same responses at every level and protocol`(
        model: SimulatedReaderModel, answerToReset: [UInt8]
    ) async throws {
        let setup = Setup(model)
        setup.reader.insert(ScriptedCard(answerToReset))
        let reader = try await setup.open()
        let channel = try await reader.powerOn()
        #expect(channel.atr.bytes == answerToReset)
        let pin = try command(0x20, 0, 0x80, [0x24, 0x12, 0x34, 0xFF])
        #expect(try await channel.transmit(pin).status == .success)
        for count in 0...250 as ClosedRange<UInt8> {
            let answer = try await channel.transmit(command(0xB0, 0, count, ne: 256))
            #expect(answer.data == (0..<count).map { $0 } && answer.status == .success)
        }
        let data = (0..<255).map { UInt8($0) }
        #expect(try await channel.transmit(command(0xA4, 4, 0, data, ne: 256)).data == data.reversed())
        #expect(try await channel.transmit(command(0xE0, 25)).status == .success)
        #expect(try await channel.transmit(command(0x0C)).status == .instructionNotSupported)
        try await reader.powerOff()
        await reader.close()
    }

    @Test func `extended lengths work with T=1 at extended level`() async throws {
        let setup = Setup(.extendedAPDU)
        setup.reader.insert(ScriptedCard(ScriptedCard.t1))
        let reader = try await setup.open()
        let channel = try await reader.powerOn()
        let data = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        #expect(try await channel.transmit(command(0xA4, 0, 0, data, ne: 65_536)).data == data.reversed())
        await reader.close()
    }

    @Test(arguments: models)
    func `waiting for a card takes exactly its time`(model: SimulatedReaderModel) async throws {
        let setup = Setup(model)
        let reader = try await setup.open()
        setup.clock.schedule(after: .seconds(21)) { setup.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await reader.waitForCard(present: true, timeout: .seconds(60)))
        let start = VirtualTimeSource.standardStart
        // A reader with notifications reacts at once; the others are polled four times per second.
        let latest: Duration = model.hasInterruptEndpoint ? .seconds(21) : .milliseconds(21_250)
        #expect(setup.clock.now() >= start.advanced(by: .seconds(21)))
        #expect(setup.clock.now() <= start.advanced(by: latest))
        let channel = try await reader.powerOn()
        #expect(try await channel.transmit(command(0xB0, 0, 2, ne: 2)).data == [0, 1])
        try await reader.powerOff()
        setup.clock.schedule(after: .seconds(5)) { setup.reader.removeCard() }
        #expect(try await reader.waitForCard(present: false, timeout: .seconds(60)))
        #expect(setup.clock.now() <= start.advanced(by: latest + .seconds(6)))
        #expect(try await reader.waitForCard(present: true, timeout: .seconds(3)) == false)
        await reader.close()
    }

    @Test(arguments: models)
    func `a session with scheduled events is repeatable`(model: SimulatedReaderModel) async throws {
        func run() async throws -> [String] {
            let setup = Setup(model)
            setup.clock.schedule(after: .milliseconds(3_100)) { setup.reader.insert(ScriptedCard(ScriptedCard.t1)) }
            setup.clock.schedule(after: .seconds(40)) { setup.reader.removeCard() }
            let reader = try await setup.open()
            var course: [String] = []
            func note(_ text: some CustomStringConvertible) { course.append("\(setup.clock.now()) \(text)") }
            note(try await reader.waitForCard(present: true, timeout: .seconds(60)))
            let channel = try await reader.powerOn()
            note("powered")
            for seconds in [0, 3, 1, 7] as [UInt8] { note(try await channel.transmit(command(0xE0, seconds)).status) }
            try await setup.clock.sleep(for: .seconds(2))
            note(try await channel.transmit(command(0xB0, 0, 9, ne: 9)).data)
            try await reader.powerOff()
            note(try await reader.waitForCard(present: false, timeout: .seconds(600)))
            await reader.close()
            return course
        }
        let first = try await run()
        #expect(first.count == 8)
        for _ in 0..<5 { #expect(try await run() == first) }
    }

    @Test(arguments: models)
    func `a card removed during an exchange is reported as removed`(model: SimulatedReaderModel) async throws {
        let setup = Setup(model)
        setup.reader.insert(ScriptedCard(ScriptedCard.t0))
        let reader = try await setup.open()
        let channel = try await reader.powerOn()
        setup.reader.arm(.xfrBlock(2, .cardRemoved))
        #expect(try await channel.transmit(command(0x20, 0, 0x80, [1])).status == .success)
        let next = try command(0x20, 0, 0x80, [1])
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(next) }
        await reader.close()
    }

    @Test func `unplugging a reader ends the exchange`() async throws {
        let setup = Setup(.shortAPDU)
        setup.reader.insert(ScriptedCard(ScriptedCard.t1))
        let reader = try await setup.open()
        let channel = try await reader.powerOn()
        setup.clock.schedule(after: .seconds(1)) { setup.bus.unplug(setup.reader) }
        let long = try command(0xE0, 9)
        await #expect { try await channel.transmit(long) } throws: { error in
            if case .readerUnavailable = error as? CardChannelError { true } else { false }
        }
        await reader.close()
    }

    @Test(arguments: [
        SimulatedReaderFault.Disturbance.zeroLengthFirst, .wrongSequence, .wrongLength(5), .wrongLength(-1),
        .hugeLength,
        .truncated(4), .unanswered, .answerStalled, .commandStalled,
    ])
    func `after any fault of the reader the next card session works`(disturbance: SimulatedReaderFault.Disturbance)
        async throws
    {
        let setup = Setup(.shortAPDU)
        setup.reader.insert(ScriptedCard(ScriptedCard.t0))
        let reader = try await setup.open()
        let channel = try await reader.powerOn()
        setup.reader.arm(.xfrBlock(1, disturbance))
        do throws(CardChannelError) {
            let read = CommandAPDU(0x00, 0xB0, 0, 4, le: 4)
            #expect(try await channel.transmit(read).data == [0, 1, 2, 3])
        } catch {
            #expect(disturbance != .zeroLengthFirst)
        }
        let again = try await reader.powerOn()
        #expect(try await again.transmit(command(0xB0, 0, 4, ne: 4)).data == [0, 1, 2, 3])
        await reader.close()
    }
}
