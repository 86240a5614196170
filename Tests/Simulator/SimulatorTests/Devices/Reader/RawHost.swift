import Simulator
import SmartCard
import Synchronization
import Testing
import USB

/// A host that writes and reads CCID messages by hand.
struct RawHost {
    struct Answer: Hashable {
        var type: UInt8
        var slot: UInt8
        var sequence: UInt8
        var status: UInt8
        var error: UInt8
        var specific: UInt8
        var data: [UInt8]
    }

    let clock: SimulationClock
    let bus: SimulatedUSBBus
    let reader: SimulatedCCIDReader
    let transport: any USBTransport

    init(
        _ model: SimulatedReaderModel = .tpdu, card: (any SimulatedCard)? = nil,
        clock: SimulationClock = SimulationClock()
    ) async throws {
        self.clock = clock
        bus = SimulatedUSBBus(clock: clock)
        reader = SimulatedCCIDReader(model: model, clock: clock)
        if let card { reader.insert(card) }
        transport = try await bus.open(bus.plug(reader))
        try await transport.claim(interface: 0)
    }

    static func message(
        _ type: UInt8, slot: UInt8 = 0, sequence: UInt8 = 0, _ specific: [UInt8] = [0, 0, 0], _ data: [UInt8] = []
    ) -> [UInt8] {
        let count = data.count
        return [type, UInt8(count & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count >> 16), 0, slot, sequence] + specific
            + data
    }

    func write(_ bytes: [UInt8]) async throws(USBError) {
        try await transport.bulkOut(bytes, endpoint: SimulatedReaderModel.bulkOutEndpoint, timeout: .seconds(5))
    }

    func read(_ maximumLength: Int = 65_600, timeout: Duration = .seconds(5)) async throws(USBError) -> [UInt8] {
        try await transport.bulkIn(
            endpoint: SimulatedReaderModel.bulkInEndpoint, maximumLength: maximumLength, timeout: timeout)
    }

    func notice(timeout: Duration = .seconds(100_000)) async throws(USBError) -> [UInt8] {
        try await transport.interruptIn(
            endpoint: SimulatedReaderModel.interruptEndpoint, maximumLength: 8, timeout: timeout)
    }

    func answer() async throws -> Answer {
        let bytes = try await read(timeout: .seconds(60))
        try #require(bytes.count >= 10)
        let length = bytes[1..<5].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length == bytes.count - 10)
        return Answer(
            type: bytes[0], slot: bytes[5], sequence: bytes[6], status: bytes[7], error: bytes[8], specific: bytes[9],
            data: Array(bytes[10...]))
    }

    func command(
        _ type: UInt8, slot: UInt8 = 0, sequence: UInt8 = 0, _ specific: [UInt8] = [0, 0, 0], _ data: [UInt8] = []
    ) async throws -> Answer {
        try await write(Self.message(type, slot: slot, sequence: sequence, specific, data))
        return try await answer()
    }

    @discardableResult
    func powerOn(_ select: UInt8 = 1) async throws -> Answer { try await command(0x62, [select, 0, 0]) }

    /// XfrBlock that waits out time extensions.
    func transfer(_ data: [UInt8], level: UInt8 = 0, waitingTimes: UInt8 = 0) async throws -> Answer {
        var answer = try await command(0x6F, [waitingTimes, level, 0], data)
        while answer.status & 0xC0 == 0x80 { answer = try await self.answer() }
        return answer
    }

    /// A whole command at any level, like a driver.
    func exchange(_ apdu: [UInt8], t1 device: inout T1InterfaceDevice?) async throws -> [UInt8] {
        switch reader.model.level {
        case .character: throw APDUError.responseTooShort(0)
        case .shortAPDU: return try await transfer(apdu).data
        case .extendedAPDU: return try await exchangeExtended(apdu)
        case .tpdu:
            guard var side = device else {
                var mapper = try T0CommandMapper(CommandAPDU(bytes: apdu))
                var step = mapper.start()
                while true {
                    switch step {
                    case .complete(let response): return response.bytes
                    case .exchange(let tpdu): step = try mapper.received(try await transfer(tpdu).data)
                    }
                }
            }
            var step = side.transmit(apdu)
            while true {
                switch step {
                case .complete(let answer):
                    device = side
                    return answer
                case .failed(let error): throw error
                case .send(let block, let multiplier):
                    step = side.received(try await transfer(block, waitingTimes: UInt8(multiplier)).data)
                }
            }
        }
    }

    private func exchangeExtended(_ apdu: [UInt8]) async throws -> [UInt8] {
        var answer: Answer
        if apdu.count <= 261 {
            answer = try await transfer(apdu)
        } else {
            let parts = stride(from: 0, to: apdu.count, by: 261).map { Array(apdu[$0..<min($0 + 261, apdu.count)]) }
            answer = try await transfer(parts[0], level: 1)
            for (index, part) in parts.enumerated().dropFirst() {
                #expect(answer.specific == 0x10)
                #expect(answer.data.isEmpty)
                answer = try await transfer(part, level: index == parts.count - 1 ? 2 : 3)
            }
        }
        var data = answer.data
        while answer.specific == 1 || answer.specific == 3 {
            answer = try await transfer([], level: 0x10)
            data += answer.data
        }
        return data
    }
}

/// A card that answers by the instruction byte: 20 takes data, A4 takes data and gives some, B0 gives P2 bytes,
/// E0 takes a second a P1, EE is mute.
final class ScriptedCard: SimulatedCard {
    enum Event: Hashable { case coldReset, warmReset, powerOff, command(UInt8) }

    /// T=0 alone.
    static let t0: [UInt8] = [0x3B, 0x60, 0x00, 0x00]
    /// T=1 alone, IFSC 32, BWI 4, CWI 5.
    static let t1: [UInt8] = [0x3B, 0xE0, 0x00, 0x00, 0x81, 0x31, 0x20, 0x45, 0x00 ^ 0xE0 ^ 0x81 ^ 0x31 ^ 0x20 ^ 0x45]
    /// T=0 first, T=1 too.
    static let both: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x80 ^ 0x80 ^ 0x01]

    private let answerToReset: [UInt8]
    private let log = Mutex<[Event]>([])

    init(_ answerToReset: [UInt8]) { self.answerToReset = answerToReset }

    var events: [Event] { log.withLock { $0 } }

    func reset(warm: Bool) -> [UInt8] {
        log.withLock { $0.append(warm ? .warmReset : .coldReset) }
        return answerToReset
    }

    func powerOff() { log.withLock { $0.append(.powerOff) } }

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        log.withLock { $0.append(.command(command.ins)) }
        switch command.ins {
        case 0x20: return SimulatedCardReply(ResponseAPDU(status: .success))
        case 0xA4: return SimulatedCardReply(ResponseAPDU(data: command.data.reversed(), status: .success))
        case 0xB0:
            let count = command.p1 == 0xFF ? 1000 : Int(command.p2)
            let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            return SimulatedCardReply(ResponseAPDU(data: data, status: .success))
        case 0xE0:
            return SimulatedCardReply(ResponseAPDU(status: .success), processingTime: .seconds(Int(command.p1)))
        case 0xEE: return SimulatedCardReply(nil)
        default: return SimulatedCardReply(ResponseAPDU(status: .instructionNotSupported))
        }
    }

    func sendsData(header: [UInt8]) -> Bool { header[1] == 0x20 || header[1] == 0xA4 }
}
