import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

@Suite(.simulatedTime) struct SimulatedReaderFaultTests {
    private static let read: [UInt8] = [0x00, 0xB0, 0, 4, 4]

    private func host(_ model: SimulatedReaderModel = .shortAPDU) async throws -> RawHost {
        let host = try await RawHost(model, card: ScriptedCard(ScriptedCard.t0))
        try await host.powerOn()
        return host
    }

    @Test func `a stalled command never reaches the card`() async throws {
        let host = try await host()
        host.reader.arm(.command(2, .commandStalled))
        #expect(try await host.command(0x65).status == 0)
        await #expect(throws: USBError.stalled) { try await host.write(RawHost.message(0x6F, [0, 0, 0], Self.read)) }
        try await host.transport.clearHalt(endpoint: 0x02)
        #expect(try await host.transfer(Self.read).data.count == 6)
    }

    @Test func `a stalled answer is lost`() async throws {
        let host = try await host()
        host.reader.arm(.xfrBlock(1, .answerStalled))
        #expect(try await host.command(0x65).status == 0)
        try await host.write(RawHost.message(0x6F, [0, 0, 0], Self.read))
        await #expect(throws: USBError.stalled) { try await host.read() }
        await #expect(throws: USBError.stalled) { try await host.read() }
        try await host.transport.clearHalt(endpoint: 0x82)
        #expect(try await host.transfer(Self.read).data.count == 6)
    }

    @Test func `an empty packet can precede the response`() async throws {
        let host = try await host()
        host.reader.arm(.command(1, .zeroLengthFirst))
        try await host.write(RawHost.message(0x65))
        #expect(try await host.read().isEmpty)
        #expect(try await host.read().count == 10)
    }

    @Test func `responses have the configured errors`() async throws {
        let host = try await host()
        func answer(_ disturbance: SimulatedReaderFault.Disturbance) async throws -> [UInt8] {
            host.reader.arm(.xfrBlock(1, disturbance))
            try await host.write(RawHost.message(0x6F, sequence: 9, [0, 0, 0], Self.read))
            return try await host.read()
        }
        #expect(try await answer(.wrongSequence)[6] == 10)
        #expect(try await answer(.wrongLength(-2))[1...4] == [4, 0, 0, 0])
        #expect(try await answer(.wrongLength(300))[1...4] == [0x32, 1, 0, 0])
        #expect(try await answer(.wrongLength(-300))[1...4] == [0, 0, 0, 0])
        #expect(try await answer(.hugeLength)[1...4] == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try await answer(.truncated(7)).count == 7)
        #expect(try await answer(.truncated(0)).isEmpty)
        #expect(try await host.transfer(Self.read).data == [0, 1, 2, 3, 0x90, 0x00])
    }

    @Test func `a command without a response times out, and the next one is answered`() async throws {
        let host = try await host()
        host.reader.arm(.xfrBlock(1, .unanswered))
        try await host.write(RawHost.message(0x6F, sequence: 1, [0, 0, 0], Self.read))
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .seconds(30)) }
        #expect(try await host.command(0x65, sequence: 2).sequence == 2)
    }

    @Test func `the card is removed during the third exchange`() async throws {
        let card = ScriptedCard(ScriptedCard.t0)
        let host = try await RawHost(.shortAPDU, card: card)
        try await host.powerOn()
        host.reader.arm(.xfrBlock(3, .cardRemoved))
        for _ in 0..<2 { #expect(try await host.transfer(Self.read).status == 0) }
        let gone = try await host.transfer(Self.read)
        #expect(gone.status == 0x42 && gone.error == 0xFE && gone.data.isEmpty)
        #expect(card.events.filter { $0 == .command(0xB0) }.count == 3)
        #expect(try await host.notice() == [0x50, 0x02])
    }

    @Test(arguments: 1...6)
    func `the reader is unplugged after a number of transfers`(count: Int) async throws {
        let host = try await host()
        host.reader.arm(.unplugged(afterBulkTransfers: count))
        var transfers = 0
        do throws(USBError) {
            for _ in 0..<10 {
                try await host.write(RawHost.message(0x65))
                transfers += 1
                _ = try await host.read()
                transfers += 1
            }
        } catch {
            #expect(error == .disconnected)
        }
        #expect(transfers == count)
        #expect(try await host.bus.devices().isEmpty)
    }

    @Test func `the reader is unplugged after it received the command`() async throws {
        let host = try await host()
        host.reader.arm(.xfrBlock(1, .unplugged))
        try await host.write(RawHost.message(0x6F, [0, 0, 0], Self.read))
        await #expect(throws: USBError.disconnected) { try await host.read() }
    }

    @Test func `a hardware error has its own notification`() async throws {
        let host = try await host()
        _ = try await host.notice()
        let listener = Task { try await host.notice() }
        host.reader.arm(.hardwareError(slot: 0))
        #expect(try await listener.value == [0x51, 0, 0, 1])
    }

    @Test func `a response of whole packets ends according to the model`() async throws {
        // 54 bytes of data with the status behind a header of 10: one packet exactly.
        let command: [UInt8] = [0x00, 0xB0, 0, 52, 52]
        func lengths(_ habit: SimulatedReaderModel.FullPacketBehavior, _ maximum: Int) async throws -> [Int] {
            var model = SimulatedReaderModel.shortAPDU
            model.fullPacketHabit = habit
            let host = try await host(model)
            try await host.write(RawHost.message(0x6F, [0, 0, 0], command))
            var lengths: [Int] = []
            while let bytes = try? await host.read(maximum, timeout: .milliseconds(1)) { lengths.append(bytes.count) }
            return lengths
        }
        #expect(try await lengths(.endsTransfer, 65_600) == [64])
        #expect(try await lengths(.endsTransfer, 64) == [64, 0])
        #expect(try await lengths(.zeroLengthAfter, 65_600) == [64, 0])
        #expect(try await lengths(.zeroLengthBefore, 65_600) == [0, 64])
    }

    @Test func `a response larger than the host's buffer is sent in whole packets or overflows`() async throws {
        let host = try await host()
        let command: [UInt8] = [0x00, 0xB0, 0, 200, 200]
        try await host.write(RawHost.message(0x6F, [0, 0, 0], command))
        #expect(try await host.read(64).count == 64)
        #expect(try await host.read(128).count == 128)
        #expect(try await host.read(64).count == 20)
        try await host.write(RawHost.message(0x6F, [0, 0, 0], command))
        await #expect(throws: USBError.overflow) { try await host.read(100) }
    }

    @Test(
        arguments: SimulatedReaderModel.all,
        [ScriptedCard.t0, ScriptedCard.t1, ScriptedCard.both, [0x3B], [0x3F, 0xFF, 0xFF]])
    func `any bytes result in a response or a stall, never a trap`(model: SimulatedReaderModel, answerToReset: [UInt8])
        async throws
    {
        let random = SeededRandomSource(seed: 0xC1D)
        let host = try await RawHost(model, card: ScriptedCard(answerToReset))
        let types: [UInt8] = [
            0x62, 0x63, 0x65, 0x6F, 0x6F, 0x6F, 0x6C, 0x6D, 0x61, 0x6B, 0x6E, 0x6A, 0x69, 0x71, 0x73, 0x00,
        ]
        for round in 0..<200 {
            let data = random.bytes(Int(random.number(in: 0...40)))
            var message = RawHost.message(
                types[Int(random.number(in: 0...15))], sequence: UInt8(round), random.bytes(3), data)
            if round % 2 == 0 { message[8] = 0; message[9] = 0 }
            if round % 3 == 0 { message[7] = UInt8(round % 2) }
            if round % 7 == 0 { message[Int(random.number(in: 0...9))] = random.bytes(1)[0] }
            if round % 11 == 0 { message = random.bytes(Int(random.number(in: 1...300))) }
            if message.first == 0x72 { message[0] = 0x65 }
            do throws(USBError) {
                try await host.write(message)
                var answer = try await host.read(timeout: .seconds(10_000))
                while answer.count >= 10, answer[7] & 0xC0 == 0x80 {
                    answer = try await host.read(timeout: .seconds(10_000))
                }
                #expect(answer.count >= 10)
            } catch {
                #expect(error == .stalled)
                try await host.transport.clearHalt(endpoint: 0x02)
            }
        }
    }
}
