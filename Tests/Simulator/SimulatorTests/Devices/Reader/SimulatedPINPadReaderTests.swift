import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Synchronization
import Testing
import USB

/// A card that keeps the VERIFY commands that it gets.
private final class VerifyingCard: SimulatedCard {
    private let answerToReset: [UInt8]
    private let processingTime: Duration
    private let seen = Mutex<[[UInt8]]>([])

    init(_ answerToReset: [UInt8], processingTime: Duration = .zero) {
        (self.answerToReset, self.processingTime) = (answerToReset, processingTime)
    }

    var commands: [[UInt8]] { seen.withLock { $0 } }

    func reset(warm: Bool) -> [UInt8] { answerToReset }
    func powerOff() {}
    func sendsData(header: [UInt8]) -> Bool { true }

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        seen.withLock { $0.append(command.bytes) }
        return SimulatedCardReply(ResponseAPDU(status: .success), processingTime: processingTime)
    }
}

/// The reader's own keys, byte for byte and key by key.
@Suite(.simulatedTime) struct SimulatedPINPadReaderTests {
    /// 30 seconds, 4 to 12 digits, confirmation key, format 2.
    private static let standard = "00 1E 89 47 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF"

    private func type(_ digits: [UInt8], _ last: SimulatedReaderKey? = .confirmation, on host: RawHost) {
        for digit in digits { host.reader.press(.digit(digit)) }
        if let last { host.reader.press(last) }
    }

    /// Sends Secure and answers it with keys.
    private func entry(
        _ host: RawHost, _ digits: [UInt8], _ last: SimulatedReaderKey? = .confirmation,
        structure: String = standard
    ) async throws -> RawHost.Answer {
        try await host.write(RawHost.message(0x69, sequence: 9, [0, 0, 0], hex(structure)))
        type(digits, last, on: host)
        var answer = try await host.answer()
        while answer.status & 0xC0 == 0x80 { answer = try await host.answer() }
        return answer
    }

    private func powered(
        _ model: SimulatedReaderModel = .pinpad, _ card: VerifyingCard = VerifyingCard(ScriptedCard.t0)
    ) async throws -> RawHost {
        let host = try await RawHost(model, card: card)
        try await host.powerOn()
        return host
    }

    @Test func `the class descriptor reports keys and display`() throws {
        let interface = try #require(SimulatedReaderModel.pinpad.descriptors.configuration.interfaces.first)
        let descriptor = try CCIDClassDescriptor(bytes: try #require(interface.classDescriptors.first))
        #expect(descriptor.pinSupport == .verification)
        #expect(descriptor.displayLayout == 0x0210)
        #expect(descriptor.level == .shortAPDU)
    }

    @Test(
        arguments: [
            ([1, 2, 3, 4], "241234FFFFFFFFFF"), ([1, 2, 3, 4, 5], "2512345FFFFFFFFF"),
            ([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 8], "2C987654321098FF"), ([0, 0, 0, 0], "240000FFFFFFFFFF"),
        ] as [([UInt8], String)])
    func `the keys create a format 2 block`(digits: [UInt8], block: String) async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        let answer = try await entry(host, digits)
        #expect(answer.type == 0x80 && answer.sequence == 9 && answer.status == 0 && answer.data == [0x90, 0x00])
        #expect(card.commands == [hex("0020008008" + block)])
    }

    @Test(
        arguments: [
            // ASCII from the first byte, no length.
            ("82 08 00 0804", "0020008008 FFFFFFFFFFFFFFFF", "0020008008 31323334FFFFFFFF"),
            // ASCII, right-justified in eight bytes.
            ("86 08 00 0804", "0020008008 FFFFFFFFFFFFFFFF", "0020008008 FFFFFFFF31323334"),
            // Binary, a byte a digit, behind a length of eight bits.
            ("88 84 10 0404", "0020008005 0000000000", "0020008005 0401020304"),
            // BCD in bits: four bits behind Lc, length in the first four.
            ("21 48 00 0F04", "0020008009 000000000000000000", "0020008009 412340000000000000"),
        ])
    func `the block follows the verification structure`(format: String, template: String, expected: String) async throws
    {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        let answer = try await entry(
            host, [1, 2, 3, 4], structure: "00 1E \(format) 02 00 0904 00 000000 \(template)")
        #expect(answer.status == 0, "\(answer)")
        #expect(card.commands == [hex(expected)])
    }

    @Test func `invalid keys do nothing, and digits can be deleted`() async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        host.reader.press(.digit(7))
        try await host.write(RawHost.message(0x69, [0, 0, 0], hex(Self.standard)))
        type([5, 5, 5], .confirmation, on: host)
        #expect(card.commands.isEmpty)
        type([5, 5, 10, 200], .correction, on: host)
        type([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4], .confirmation, on: host)
        #expect(try await host.answer().data == [0x90, 0x00])
        #expect(card.commands == [hex("0020008008 2C123456789012FF")])
        type([1, 1, 1, 1], on: host)
        #expect(card.commands.count == 1)
    }

    @Test func `an entry with maximum length validation needs no key`() async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        let structure = "00 1E 89 47 04 0404 01 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF"
        #expect(try await entry(host, [4, 3, 2, 1], nil, structure: structure).data == [0x90, 0x00])
        #expect(card.commands == [hex("0020008008 244321FFFFFFFFFF")])
    }

    @Test func `cancel key and timeout have their own codes, and the card gets nothing`() async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        let canceled = try await entry(host, [1, 2], .cancel)
        #expect(canceled.status == 0x40 && canceled.error == 0xEF && canceled.data.isEmpty)
        let start = host.clock.now()
        let late = try await entry(host, [1, 2, 3, 4], nil)
        #expect(late.status == 0x40 && late.error == 0xF0)
        #expect(host.clock.now() == start.advanced(by: .seconds(30)))
        host.reader.press(.confirmation)
        #expect(card.commands.isEmpty)
        #expect(try await host.command(0x65).status == 0)
    }

    @Test func `time extensions are sent during the entry`() async throws {
        let host = try await powered()
        try await host.write(RawHost.message(0x69, sequence: 3, [0, 0, 0], hex(Self.standard)))
        let start = host.clock.now()
        for number in 1...3 {
            let sign = try await host.answer()
            #expect(sign.status == 0x80 && sign.error == 1 && sign.sequence == 3 && sign.data.isEmpty)
            #expect(host.clock.now() == start.advanced(by: .seconds(number * 2)))
        }
        #expect(try await host.command(0x65, sequence: 4).error == 0xE0)
        type([1, 2, 3, 4], on: host)
        #expect(try await host.answer().data == [0x90, 0x00])
    }

    @Test func `removing the card during the entry ends it`() async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        try await host.write(RawHost.message(0x69, sequence: 5, [0, 0, 0], hex(Self.standard)))
        type([1, 2, 3], nil, on: host)
        host.reader.removeCard()
        let answer = try await host.answer()
        #expect(answer.type == 0x80 && answer.sequence == 5 && answer.status == 0x42 && answer.error == 0xFE)
        host.reader.insert(card)
        type([4], on: host)
        #expect(card.commands.isEmpty)
    }

    @Test func `an abort ends the entry`() async throws {
        let card = VerifyingCard(ScriptedCard.t0)
        let host = try await powered(.pinpad, card)
        try await host.write(RawHost.message(0x69, sequence: 5, [0, 0, 0], hex(Self.standard)))
        type([1, 2, 3, 4], nil, on: host)
        _ = try await host.transport.control(
            USBControlRequest.output(type: 0x21, request: 1, value: 0x0600, index: 0, data: []), timeout: .seconds(1))
        #expect(try await host.command(0x72, sequence: 6).sequence == 6)
        host.reader.press(.confirmation)
        #expect(card.commands.isEmpty)
        #expect(try await entry(host, [1, 2, 3, 4]).data == [0x90, 0x00])
    }

    @Test(
        arguments: [
            ("", 0x01), ("00", 0x01), ("01 1E 89 47 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 10),
            ("00 1E 8B 47 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 12),
            ("00 1E 91 47 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 12),
            ("00 1E 89 45 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 13),
            ("00 1E 89 37 04 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 13),
            ("00 1E 89 47 18 0C04 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 14),
            ("00 1E 89 47 04 040C 02 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 15),
            ("00 1E 89 47 04 0C04 04 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 17),
            ("00 1E 89 47 04 0C04 00 00 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 17),
            ("00 1E 89 47 04 0C04 02 02 0904 00 000000 0020008008 20FFFFFFFFFFFFFF", 18),
            ("00 1E 89 47 04 0C04 02 00 0904 00 000000 0020008009 20FFFFFFFFFFFFFF", 0x01),
            ("00 1E 89 47 04 0C04 02 00 0904 00 000000 00200080", 0x01),
        ] as [(String, UInt8)])
    func `unsupported fields are rejected with their offset`(structure: String, code: UInt8) async throws {
        let host = try await powered()
        let answer = try await host.command(0x69, [0, 0, 0], hex(structure))
        let expected: UInt8 = structure.isEmpty ? 10 : code
        #expect(answer.status == 0x40 && answer.error == expected)
    }

    @Test func `the firmware survives any structure`() async throws {
        let random = SeededRandomSource(seed: 7)
        let host = try await powered()
        for round in 0..<400 {
            var structure = hex(Self.standard)
            if round % 4 == 0 {
                structure = random.bytes(round % 40)
            } else {
                for _ in 0...(round % 3) {
                    structure[Int(random.number(in: 0...UInt32(structure.count - 1)))] = random.bytes(1)[0]
                }
            }
            try await host.write(RawHost.message(0x69, [0, 0, 0], structure))
            type([1, 2, 3, 4], on: host)
            host.reader.press(.cancel)
            var answer = try await host.answer()
            while answer.status & 0xC0 == 0x80 { answer = try await host.answer() }
            #expect(answer.status & 0xC0 != 0x80)
        }
        #expect(try await host.command(0x65).status == 0)
    }

    @Test func `readers without keys, empty slots, and unpowered cards reject PIN entry`() async throws {
        let plain = try await powered(.shortAPDU)
        let refused = try await plain.command(0x69, [0, 0, 0], hex(Self.standard))
        #expect(refused.status == 0x40 && refused.error == 0x00)
        let empty = try await RawHost(.pinpad)
        #expect(try await empty.command(0x69, [0, 0, 0], hex(Self.standard)).status == 0x42)
        let off = try await RawHost(.pinpad, card: VerifyingCard(ScriptedCard.t0))
        let answer = try await off.command(0x69, [0, 0, 0], hex(Self.standard))
        #expect(answer.status == 0x41 && answer.error == 0xFE)
    }

    // MARK: With the driver

    private static func model(_ level: SimulatedReaderModel.ExchangeLevel) -> SimulatedReaderModel {
        var model = SimulatedReaderModel.pinpad
        model.level = level
        if level == .tpdu { model.features = SimulatedReaderModel.tpdu.features }
        return model
    }

    private struct Setup {
        let clock = SimulationClock()
        let reader: SimulatedCCIDReader
        let card: VerifyingCard
        let driver: CCIDReader

        init(_ level: SimulatedReaderModel.ExchangeLevel, _ atr: [UInt8], processingTime: Duration = .zero)
            async throws
        {
            let bus = SimulatedUSBBus(clock: clock)
            reader = SimulatedCCIDReader(model: SimulatedPINPadReaderTests.model(level), clock: clock)
            card = VerifyingCard(atr, processingTime: processingTime)
            reader.insert(card)
            driver = try await CCIDReader.open(bus.plug(reader), on: bus, time: clock)
        }

        /// Presses these keys, one each second.
        func keys(_ keys: [SimulatedReaderKey]) {
            reader.onPINRequest { [clock, reader] request in
                #expect(request.digits == 4...12)
                for (index, key) in keys.enumerated() {
                    clock.schedule(after: .seconds(index + 1)) { reader.press(key) }
                }
            }
        }
    }

    private static let right: [SimulatedReaderKey] = [
        .digit(1), .digit(2), .digit(3), .digit(4), .digit(5), .digit(6), .confirmation,
    ]

    @Test(
        arguments: [SimulatedReaderModel.ExchangeLevel.tpdu, .shortAPDU, .extendedAPDU],
        [ScriptedCard.t0, ScriptedCard.t1])
    func `driver and reader agree at every level and protocol`(
        level: SimulatedReaderModel.ExchangeLevel, atr: [UInt8]
    ) async throws {
        let setup = try await Setup(level, atr)
        let channel = try await setup.driver.powerOn()
        let other = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: [1], expectedLength: nil)
        for _ in 0..<3 {
            setup.keys(Self.right)
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .verified(.success))
            #expect(try await channel.transmit(other).status == .success)
            setup.keys([.digit(1), .cancel])
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .canceled)
            setup.keys([])
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .timedOut)
            #expect(try await channel.transmit(other).status == .success)
        }
        let verify = hex("0020008008 26123456FFFFFFFF")
        #expect(setup.card.commands.filter { $0[1] == 0x20 } == [verify, verify, verify])
        await setup.driver.close()
    }

    @Test(arguments: [SimulatedReaderModel.ExchangeLevel.tpdu, .shortAPDU], [ScriptedCard.t0, ScriptedCard.t1])
    func `a card that takes long for the PIN is waited for`(
        level: SimulatedReaderModel.ExchangeLevel, atr: [UInt8]
    ) async throws {
        let setup = try await Setup(level, atr, processingTime: .seconds(9))
        let channel = try await setup.driver.powerOn()
        setup.keys(Self.right)
        #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .verified(.success))
        await setup.driver.close()
    }

    @Test func `a card removed during PIN entry is reported as removed`() async throws {
        let setup = try await Setup(.shortAPDU, ScriptedCard.t0)
        let channel = try await setup.driver.powerOn()
        setup.reader.onPINRequest { [clock = setup.clock, reader = setup.reader] _ in
            clock.schedule(after: .seconds(1)) { reader.press(.digit(1)) }
            clock.schedule(after: .seconds(3)) { reader.removeCard() }
        }
        await #expect(throws: CardChannelError.cardRemoved) {
            try await channel.verifyPIN(PINPadEntry(seconds: 30))
        }
        #expect(setup.card.commands.isEmpty)
        await setup.driver.close()
    }
}
