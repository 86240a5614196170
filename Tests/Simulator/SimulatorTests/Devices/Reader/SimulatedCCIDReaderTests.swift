import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

@Suite(.simulatedTime) struct SimulatedCCIDReaderTests {
    private static let t1Parameters: [UInt8] = [0x11, 0x10, 0x00, 0x45, 0x00, 0x20, 0x00]

    @Test(arguments: SimulatedReaderModel.all)
    func `an empty slot is reported to every command`(model: SimulatedReaderModel) async throws {
        let host = try await RawHost(model)
        #expect(try await host.command(0x65, sequence: 1).status == 0x02)
        for type in [0x62, 0x6F, 0x6C, 0x6D] as [UInt8] {
            let answer = try await host.command(type, sequence: type, [type == 0x62 ? 1 : 0, 0, 0])
            #expect(answer.status == 0x42 && answer.error == 0xFE && answer.sequence == type)
        }
        #expect(try await host.command(0x63).status == 0x02)
    }

    @Test(arguments: SimulatedReaderModel.all)
    func `power on returns the ATR, and the slot status follows the card`(model: SimulatedReaderModel)
        async throws
    {
        let card = ScriptedCard(ScriptedCard.t0)
        let host = try await RawHost(model, card: card)
        #expect(try await host.command(0x65).status == 0x01)
        let on = try await host.powerOn()
        // A reader with a field makes the answer to reset itself.
        let answer = model.isContactless ? [0x3B, 0x80, 0x80, 0x01, 0x01] : ScriptedCard.t0
        #expect(on.type == 0x80 && on.status == 0x00 && on.data == answer)
        #expect(try await host.command(0x65).status == 0x00)
        #expect(try await host.powerOn().data == answer)
        #expect(try await host.command(0x63).status == 0x01)
        #expect(try await host.command(0x6F, [0, 0, 0], [0, 0xB0, 0, 2, 2]).status == 0x41)
        #expect(card.events == [.coldReset, .warmReset, .powerOff])
        host.reader.removeCard()
        #expect(try await host.command(0x65).status == 0x02)
    }

    @Test func `voltages are selected by the host at TPDU level, or by the reader`() async throws {
        let host = try await RawHost()
        host.reader.insert(ScriptedCard(ScriptedCard.t0), voltages: [.volts3])
        #expect(try await host.powerOn(0).error == 0x07)
        #expect(try await host.powerOn(4).error == 0x07)
        let mute = try await host.powerOn(1)
        #expect(mute.status == 0x41 && mute.error == 0xFE)
        #expect(try await host.powerOn(2).data == ScriptedCard.t0)

        var low = SimulatedReaderModel.shortAPDU
        low.voltages = [.volts3, .volts1_8]
        let automatic = try await RawHost(low)
        automatic.reader.insert(ScriptedCard(ScriptedCard.t0), voltages: [.volts1_8])
        #expect(try await automatic.powerOn(1).error == 0x07)
        #expect(try await automatic.powerOn(0).data == ScriptedCard.t0)
    }

    @Test func `an invalid ATR fails with its reason if the reader parses it`() async throws {
        let badCheck: [UInt8] = Array(ScriptedCard.t1.dropLast()) + [0x00]
        for (bytes, error) in [([], 0xFE), ([0x00, 0x60, 0, 0], 0xF8), (badCheck, 0xF7)] as [([UInt8], UInt8)] {
            let host = try await RawHost(.shortAPDU, card: ScriptedCard(bytes))
            let answer = try await host.powerOn(0)
            #expect(answer.status == 0x41 && answer.error == error && answer.data.isEmpty)
        }
        let host = try await RawHost(.tpdu, card: ScriptedCard(badCheck))
        #expect(try await host.powerOn().data == badCheck)
    }

    @Test(arguments: SimulatedReaderModel.all, [ScriptedCard.t0, ScriptedCard.t1])
    func `every level has the same responses`(model: SimulatedReaderModel, answerToReset: [UInt8]) async throws {
        let isT1 = answerToReset == ScriptedCard.t1
        // A reader of T=0 alone has no T=1 card.
        guard !isT1 || model.protocols & 0b10 != 0 else { return }
        let host = try await RawHost(model, card: ScriptedCard(answerToReset))
        try await host.powerOn()
        var device: T1InterfaceDevice? =
            isT1 ? T1InterfaceDevice(cardInformationFieldSize: 32, errorDetection: .lrc) : nil
        if isT1, model.level == .tpdu {
            #expect(try await host.command(0x61, [1, 0, 0], Self.t1Parameters).data == Self.t1Parameters)
        }
        let data = (0..<200).map { UInt8($0) }
        let cases: [(command: [UInt8], answer: [UInt8])] = [
            ([0x00, 0x20, 0, 0x80, 8] + [UInt8](repeating: 0x24, count: 8), [0x90, 0x00]),
            ([0x00, 0xB0, 0, 200, 0], (0..<200).map { UInt8($0) } + [0x90, 0x00]),
            ([0x00, 0xB0, 0, 54, 0], (0..<54).map { UInt8($0) } + [0x90, 0x00]),
            ([0x00, 0xA4, 4, 0, 200] + data + [0], data.reversed() + [0x90, 0x00]),
            ([0x00, 0x0C, 0, 0], [0x6D, 0x00]),
            ([0x00, 0xE0, 4, 0], [0x90, 0x00]),
        ]
        for (command, answer) in cases { #expect(try await host.exchange(command, t1: &device) == answer) }
    }

    @Test func `a T=0 reader rejects the other protocol`() async throws {
        let host = try await RawHost(.tpduT0, card: ScriptedCard(ScriptedCard.both))
        try await host.powerOn()
        let refused = try await host.command(0x61, [1, 0, 0], Self.t1Parameters)
        #expect(refused.status == 0x40 && refused.error == 0x07)
    }

    @Test func `a contactless reader creates the ATR, accepts either protocol and whole commands, and starts slowly`()
        async throws
    {
        // Historical bytes of the card: "AB".
        let atr: [UInt8] = [0x3B, 0xE2, 0x00, 0x00, 0x81, 0x31, 0x20, 0x45, 0x41, 0x42]
        let card = ScriptedCard(atr + [atr.dropFirst().reduce(0, ^)])
        let host = try await RawHost(.contactless, card: card)
        let start = host.clock.now()
        #expect(try await host.command(0x65).status == 0x01)
        #expect(host.clock.now() == start.advanced(by: .milliseconds(300)))
        #expect(try await host.command(0x65).status == 0x01)
        #expect(host.clock.now() == start.advanced(by: .milliseconds(300)))
        let on = try await host.powerOn(0)
        let expected: [UInt8] = [0x3B, 0x82, 0x80, 0x01, 0x41, 0x42]
        #expect(on.data == expected + [expected.dropFirst().reduce(0, ^)])
        let parameters = try await host.command(0x6C)
        #expect(parameters.specific == 1)
        #expect(try await host.command(0x61, [1, 0, 0], parameters.data).status == 0)
        #expect(try await host.command(0x6D).specific == 1)
        #expect(try await host.transfer([0x00, 0xB0, 0, 3, 3]).data == [0, 1, 2, 0x90, 0x00])
    }

    @Test func `two slots have a card each`() async throws {
        let host = try await RawHost(.dualSlot, card: ScriptedCard(ScriptedCard.t0))
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(try await host.command(0x65, slot: 1).status == 0x02)
        host.reader.insert(ScriptedCard(ScriptedCard.both), slot: 1)
        #expect(try await host.notice() == [0x50, 0x0D])
        #expect(try await host.command(0x62, slot: 1, [1, 0, 0]).data == ScriptedCard.both)
        #expect(try await host.command(0x65, slot: 0).status == 0x01)
        #expect(try await host.command(0x65, slot: 2).status == 0x42)
    }

    @Test func `an empty packet is not a message`() async throws {
        let host = try await RawHost()
        try await host.write([])
        #expect(try await host.command(0x65).status == 0x02)
    }

    @Test func `a high speed reader has packets of 512 bytes`() async throws {
        var model = SimulatedReaderModel.extendedAPDU
        (model.speed, model.maximumMessageLength) = (.high, 1034)
        let host = try await RawHost(model, card: ScriptedCard(ScriptedCard.t1))
        let bulk = model.descriptors.configuration.interfaces[0].endpoints.filter { $0.kind == .bulk }
        #expect(bulk.map(\.maximumPacketSize) == [512, 512])
        #expect(model.descriptors.deviceBytes.prefix(4) == [0x12, 0x01, 0x00, 0x02])
        try await host.powerOn(0)
        let command = try CommandAPDU(cla: 0, ins: 0xB0, p1: 0xFF, p2: 0, data: [], expectedLength: 1000).bytes
        try await host.write(RawHost.message(0x6F, [0, 0, 0], command))
        // 1012 bytes come in packets: whole ones alone fit into what is no multiple of them.
        await #expect(throws: USBError.overflow) { try await host.read(600) }
        try await host.write(RawHost.message(0x6F, [0, 0, 0], command))
        #expect(try await host.read(512).count == 512)
        #expect(try await host.read(512).count == 500)
    }

    @Test func `long commands and responses are chained at extended level with T=1`() async throws {
        let host = try await RawHost(.extendedAPDU, card: ScriptedCard(ScriptedCard.t1))
        try await host.powerOn(0)
        var none: T1InterfaceDevice?
        let data = (0..<900).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let command = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: data, expectedLength: 65_536)
        #expect(try await host.exchange(command.bytes, t1: &none) == data.reversed() + [0x90, 0x00])
        // Out of turn: continuing what never began, asking for what is not there.
        for level in [2, 3, 0x10, 0x11] as [UInt8] {
            let answer = try await host.transfer([0x00], level: level)
            #expect(answer.status == 0x40 && answer.error == 0x08)
        }
        #expect(try await host.exchange([0x00, 0x0C, 0, 0], t1: &none) == [0x6D, 0x00])
    }

    @Test func `extended lengths fail if they are not supported`() async throws {
        let command = try CommandAPDU(cla: 0, ins: 0xB0, p1: 0xFF, p2: 0, data: [], expectedLength: 1000).bytes
        for (model, atr) in [
            (SimulatedReaderModel.shortAPDU, ScriptedCard.t1), (.extendedAPDU, ScriptedCard.t0),
            (.tpdu, ScriptedCard.t0),
        ] {
            let host = try await RawHost(model, card: ScriptedCard(atr))
            try await host.powerOn()
            let answer = try await host.transfer(command)
            #expect(answer.status == 0x40 && answer.error == 0x01)
        }
    }

    @Test func `a slow card causes time extensions at APDU level`() async throws {
        for atr in [ScriptedCard.t0, ScriptedCard.t1] {
            let host = try await RawHost(.shortAPDU, card: ScriptedCard(atr))
            try await host.powerOn(0)
            let start = host.clock.now()
            var answer = try await host.command(0x6F, [0, 0, 0], [0x00, 0xE0, 10, 0])
            var extensions = 0
            while answer.status == 0x80 {
                #expect(answer.error >= 1 && answer.data.isEmpty)
                extensions += 1
                answer = try await host.answer()
            }
            #expect(extensions >= 1)
            #expect(answer.data == [0x90, 0x00])
            #expect(host.clock.now() == start.advanced(by: .seconds(10)))
        }
    }

    @Test func `a card that takes hours with T=1 requests time repeatedly`() async throws {
        let host = try await RawHost(.shortAPDU, card: LongWorker(ScriptedCard.t1, .seconds(1000)))
        try await host.powerOn(0)
        let start = host.clock.now()
        var answer = try await host.command(0x6F, [0, 0, 0], [0x00, 0x10, 0, 0])
        var moments: [Int64] = []
        while answer.status == 0x80 {
            moments.append(host.clock.now().milliseconds - start.milliseconds)
            var next: [UInt8]?
            while next == nil { next = try? await host.read(timeout: .seconds(400)) }
            let bytes = next ?? []
            answer = .init(
                type: bytes[0], slot: 0, sequence: 0, status: bytes[7], error: bytes[8], specific: 0,
                data: Array(bytes[10...]))
        }
        #expect(moments.count == 3 && answer.data == [0x90, 0x00])
        #expect(host.clock.now() == start.advanced(by: .seconds(1000)))
    }

    @Test func `a block at TPDU level gets only the waiting time granted by the host`() async throws {
        let host = try await RawHost(.tpdu, card: ScriptedCard(ScriptedCard.t1))
        try await host.powerOn()
        _ = try await host.command(0x61, [1, 0, 0], Self.t1Parameters)
        let command = T1Block(.information(sequence: 0, more: false), information: [0x00, 0xE0, 10, 0]).encoded(.lrc)
        let request = try T1Block(try await host.transfer(command).data, errorDetection: .lrc)
        #expect(request.kind == .request(.waitingTimeExtension))
        let granted = T1Block(.response(.waitingTimeExtension), information: request.information).encoded(.lrc)
        let late = try await host.transfer(granted)
        #expect(late.status == 0x40 && late.error == 0xFE)

        let patient = try await RawHost(.tpdu, card: ScriptedCard(ScriptedCard.t1))
        try await patient.powerOn()
        _ = try await patient.command(0x61, [1, 0, 0], Self.t1Parameters)
        _ = try await patient.transfer(command)
        try await patient.write(RawHost.message(0x6F, [request.information[0], 0, 0], granted))
        let answer = try await patient.read(timeout: .seconds(60))
        #expect(Array(answer.suffix(3).prefix(2)) == [0x90, 0x00])
    }

    @Test func `a mute card is reported after its waiting time`() async throws {
        for model in SimulatedReaderModel.all {
            for atr in [ScriptedCard.t0, ScriptedCard.t1] where model.level != .tpdu || atr == ScriptedCard.t0 {
                let host = try await RawHost(model, card: ScriptedCard(atr))
                try await host.powerOn()
                let start = host.clock.now()
                try await host.write(RawHost.message(0x6F, [0, 0, 0], [0x00, 0xEE, 0, 0, 0]))
                let answer = try await host.read(timeout: .seconds(60))
                #expect(answer[7] == 0x40 && answer[8] == 0xFE)
                #expect(host.clock.now() > start)
            }
        }
    }

    @Test func `PPS is done by the host at TPDU level, and by the reader above`() async throws {
        let host = try await RawHost(.tpdu, card: ScriptedCard(ScriptedCard.both))
        try await host.powerOn()
        #expect(try await host.transfer([0xFF, 0x01, 0xFE]).data == [0xFF, 0x01, 0xFE])
        _ = try await host.command(0x61, [1, 0, 0], Self.t1Parameters)
        var device: T1InterfaceDevice? = T1InterfaceDevice(cardInformationFieldSize: 32, errorDetection: .lrc)
        #expect(try await host.exchange([0x00, 0xB0, 0, 3, 3], t1: &device) == [0, 1, 2, 0x90, 0x00])
        try await host.powerOn()
        let refused = try await host.transfer([0xFF, 0x02, 0xFD])
        #expect(refused.status == 0x40 && refused.error == 0xFE)

        let automatic = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.both))
        try await automatic.powerOn(0)
        #expect(try await automatic.command(0x6C).specific == 0)
        #expect(try await automatic.command(0x61, [1, 0, 0], Self.t1Parameters).specific == 1)
        #expect(try await automatic.transfer([0x00, 0xB0, 0, 3, 3]).data == [0, 1, 2, 0x90, 0x00])
        #expect(try await automatic.command(0x6D).error == 0xF6)
    }

    @Test func `parameters follow the ATR if the reader parses it, and are checked`() async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t1))
        try await host.powerOn(0)
        let answer = try await host.command(0x6C)
        #expect(answer.type == 0x82 && answer.specific == 1 && answer.data == Self.t1Parameters)
        #expect(try await host.command(0x61, [2, 0, 0], Self.t1Parameters).error == 0x07)
        #expect(try await host.command(0x61, [1, 0, 0], [0x11]).error == 0x01)
        #expect(try await host.command(0x61, [1, 0, 0], [0x11, 0x10, 0, 0x45, 0, 0xFF, 0]).error == 0x0F)
        #expect(try await host.command(0x61, [0, 0, 0], [0x11, 0, 0, 0x0A, 0]).error == 0xF6)
    }

    @Test func `unsupported commands fail with the correct type of response`() async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t0))
        try await host.powerOn(0)
        for (command, type) in [(0x69, 0x80), (0x6B, 0x83), (0x71, 0x81), (0x6E, 0x81), (0x00, 0x81), (0xFF, 0x81)]
            as [(UInt8, UInt8)]
        {
            let answer = try await host.command(command, sequence: 77)
            #expect(
                answer
                    == .init(
                        type: type, slot: 0, sequence: 77, status: 0x40, error: 0, specific: answer.specific, data: []))
        }
        #expect(try await host.command(0x6A, [1, 0xFF, 0]).status == 0x00)
        #expect(try await host.command(0x6A, [1, 0x00, 0]).error == 8)
        let rates = try await host.command(0x73, [0, 0, 0], [UInt8](repeating: 0, count: 8))
        #expect(rates.type == 0x84 && rates.data == [0xA0, 0x0F, 0, 0, 0x00, 0x2A, 0, 0])
        #expect(try await host.command(0x73).error == 0x01)
    }

    @Test func `escape and clock commands are answered if the model supports them`() async throws {
        var model = SimulatedReaderModel.tpdu
        model.escapeAnswers = [[0x02]: [0x56, 0x31]]
        let host = try await RawHost(model, card: ScriptedCard(ScriptedCard.t0))
        let answer = try await host.command(0x6B, [0, 0, 0], [0x02])
        #expect(answer.type == 0x83 && answer.data == [0x56, 0x31])
        try await host.powerOn()
        #expect(try await host.command(0x6E, [1, 0, 0]).specific == 1)
        #expect(try await host.command(0x65).specific == 1)
        #expect(try await host.command(0x6E, [0, 0, 0]).specific == 0)
        #expect(try await host.command(0x6E, [2, 0, 0]).error == 7)
    }

    @Test func `class requests on the control endpoint`() async throws {
        let host = try await RawHost()
        func get(_ request: UInt8) async throws -> [UInt8] {
            try await host.transport.control(
                .input(type: 0xA1, request: request, value: 0, index: 0, length: 4), timeout: .seconds(1))
        }
        #expect(try await get(2) == [0xA0, 0x0F, 0, 0])
        #expect(try await get(3) == [0x00, 0x2A, 0, 0])
        await #expect(throws: USBError.stalled) { try await get(9) }
        let abort = USBControlRequest.output(type: 0x21, request: 1, value: 0x0507, index: 0, data: [])
        await #expect(throws: USBError.stalled) { try await host.transport.control(abort, timeout: .seconds(1)) }
    }

    @Test(arguments: [true, false])
    func `an abort requires both parts, in any order, and drops the running command`(controlFirst: Bool) async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t1))
        try await host.powerOn(0)
        try await host.write(RawHost.message(0x6F, sequence: 3, [0, 0, 0], [0x00, 0xE0, 60, 0]))
        #expect(try await host.read()[7] == 0x80)
        let request = USBControlRequest.output(type: 0x21, request: 1, value: 0x0400, index: 0, data: [])
        if controlFirst {
            _ = try await host.transport.control(request, timeout: .seconds(1))
            #expect(try await host.command(0x65, sequence: 8).error == 0xFF)
            try await host.write(RawHost.message(0x72, sequence: 4))
        } else {
            try await host.write(RawHost.message(0x72, sequence: 4))
            _ = try await host.transport.control(request, timeout: .seconds(1))
        }
        let answer = try await host.answer()
        #expect(answer == .init(type: 0x81, slot: 0, sequence: 4, status: 0, error: 0, specific: 0, data: []))
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .seconds(100)) }
        #expect(try await host.command(0x65, sequence: 5).status == 0)
    }

    @Test func `a command during another one finds the slot busy`() async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t0))
        try await host.powerOn(0)
        try await host.write(RawHost.message(0x6F, sequence: 1, [0, 0, 0], [0x00, 0xE0, 1, 0]))
        let busy = try await host.command(0x65, sequence: 2)
        #expect(busy.sequence == 2 && busy.status == 0x40 && busy.error == 0xE0)
        var first = try await host.answer()
        while first.status == 0x80 { first = try await host.answer() }
        #expect(first.sequence == 1 && first.data == [0x90, 0x00])
    }

    @Test func `removing a working card fails the command at that moment, with a notification`() async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t1))
        _ = try await host.notice()
        try await host.powerOn(0)
        let start = host.clock.now()
        host.clock.schedule(after: .milliseconds(700)) { host.reader.removeCard() }
        var answer = try await host.command(0x6F, sequence: 6, [0, 0, 0], [0x00, 0xE0, 20, 0])
        while answer.status == 0x80 { answer = try await host.answer() }
        #expect(answer == .init(type: 0x80, slot: 0, sequence: 6, status: 0x42, error: 0xFE, specific: 0, data: []))
        #expect(host.clock.now() == start.advanced(by: .milliseconds(700)))
        #expect(try await host.notice() == [0x50, 0x02])
        #expect(host.reader.hasCard() == false)
    }

    @Test func `slots are independent and slot numbers are checked`() async throws {
        var model = SimulatedReaderModel.shortAPDU
        model.slotCount = 5
        let host = try await RawHost(model)
        host.reader.insert(ScriptedCard(ScriptedCard.t0), slot: 4)
        host.reader.insert(ScriptedCard(ScriptedCard.t1), slot: 1)
        host.reader.insert(ScriptedCard(ScriptedCard.t1), slot: 9)
        #expect(try await host.notice() == [0x50, 0b0000_1100, 0b11])
        #expect(try await host.command(0x62, slot: 4).data == ScriptedCard.t0)
        #expect(try await host.command(0x62, slot: 1).data == ScriptedCard.t1)
        #expect(try await host.command(0x65, slot: 0).status == 0x02)
        let bad = try await host.command(0x65, slot: 5)
        #expect(bad.slot == 5 && bad.status == 0x42 && bad.error == 0x05)
        // Slot 1 works while slot 4 answers.
        try await host.write(RawHost.message(0x6F, slot: 1, sequence: 1, [0, 0, 0], [0x00, 0xE0, 1, 0]))
        let other = try await host.command(0x6F, slot: 4, sequence: 2, [0, 0, 0], [0x00, 0xB0, 0, 2, 2])
        #expect(other.sequence == 2 && other.data == [0, 1, 0x90, 0x00])
        #expect(try await host.answer().sequence == 1)
    }

    @Test func `two readers on one bus are independent`() async throws {
        let first = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t0))
        let second = SimulatedCCIDReader(model: .tpdu, clock: first.clock)
        let transport = try await first.bus.open(first.bus.plug(second))
        try await transport.claim(interface: 0)
        try await first.powerOn(0)
        try await first.write(RawHost.message(0x6F, sequence: 1, [0, 0, 0], [0x00, 0xB0, 0, 1, 1]))
        try await transport.bulkOut(RawHost.message(0x65, sequence: 2), endpoint: 0x02, timeout: .seconds(1))
        #expect(
            try await transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(1))[6...7] == [2, 0x02])
        #expect(try await first.answer().data == [0, 0x90, 0x00])
    }

    @Test func `a reader without an interrupt endpoint has none`() async throws {
        var model = SimulatedReaderModel.tpdu
        model.hasInterruptEndpoint = false
        let host = try await RawHost(model, card: ScriptedCard(ScriptedCard.t0))
        #expect(host.transport.device.configuration?.interfaces.first?.endpoints.count == 2)
        await #expect(throws: USBError.notFound) { try await host.notice() }
        #expect(try await host.command(0x65).status == 0x01)
    }

    @Test func `a bus reset powers the card off and keeps the claim`() async throws {
        let card = ScriptedCard(ScriptedCard.t0)
        let host = try await RawHost(.shortAPDU, card: card)
        try await host.powerOn(0)
        try await host.transport.reset()
        #expect(try await host.command(0x65).status == 0x01)
        #expect(card.events == [.coldReset, .powerOff])
    }

    @Test func `the same schedule and calls result in the same bytes at the same times`() async throws {
        func run() async throws -> [String] {
            let host = try await RawHost(.extendedAPDU)
            host.clock.schedule(after: .seconds(3)) { host.reader.insert(ScriptedCard(ScriptedCard.t1)) }
            host.clock.schedule(after: .seconds(9)) { host.reader.removeCard() }
            var log = ["\(try await host.notice()) \(host.clock.now())"]
            func note(_ answer: RawHost.Answer) { log.append("\(answer) \(host.clock.now())") }
            note(try await host.powerOn(0))
            for seconds in 0..<8 as Range<UInt8> { note(try await host.transfer([0x00, 0xE0, seconds, 0])) }
            return log
        }
        let first = try await run()
        #expect(try await run() == first)
        #expect(first.last?.contains("error: 254") == true)
    }
}

/// Works a given time on every command.
final class LongWorker: SimulatedCard {
    private let answerToReset: [UInt8]
    private let time: Duration

    init(_ answerToReset: [UInt8], _ time: Duration) { (self.answerToReset, self.time) = (answerToReset, time) }

    func reset(warm: Bool) -> [UInt8] { answerToReset }
    func powerOff() {}
    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        SimulatedCardReply(ResponseAPDU(status: .success), processingTime: time)
    }
    func sendsData(header: [UInt8]) -> Bool { false }
}
