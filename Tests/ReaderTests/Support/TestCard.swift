import Simulator
import SmartCard
import Synchronization

/// A card that answers by the instruction byte: 20 takes data, A4 takes data and gives it backwards, B0 gives as many
/// bytes as P1 P2 say, E0 asks for time as often as P1 says, E2 works for ever. Its waiting times are as short as they
/// can be, because here they are real.
final class TestCard: SimulatedCard {
    /// T=0, work waiting time 0.1 s.
    static let t0: [UInt8] = [0x3B, 0xA0, 0x00, 0x40, 0x01]
    /// T=1, blocks of 32 bytes, block waiting time 0.1 s.
    static let t1: [UInt8] = [0x3B, 0xE0, 0x00, 0x00, 0x81, 0x31, 0x20, 0x05, 0x75]

    private let answerToReset: [UInt8]
    /// What every byte of B0's answer is added to: tells one card from another.
    private let mark: UInt8
    private let instructions = Mutex<[UInt8]>([])

    init(_ answerToReset: [UInt8], mark: UInt8 = 0) { (self.answerToReset, self.mark) = (answerToReset, mark) }

    /// The instruction bytes that the card has got.
    var received: [UInt8] { instructions.withLock { $0 } }

    /// What the card answers to B0.
    func data(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) &+ mark } }

    func reset(warm: Bool) -> [UInt8] { answerToReset }

    func powerOff() {}

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        instructions.withLock { $0.append(command.ins) }
        let done = ResponseAPDU(status: .success)
        switch command.ins {
        case 0x20: return SimulatedCardReply(done)
        case 0xA4: return SimulatedCardReply(ResponseAPDU(data: command.data.reversed(), status: .success))
        case 0xB0:
            let count = Int(command.p1) << 8 | Int(command.p2)
            return SimulatedCardReply(ResponseAPDU(data: data(count), status: .success))
        case 0xE0: return SimulatedCardReply(done, waitingTimeExtensions: Int(command.p1))
        case 0xE2: return SimulatedCardReply(done, processingTime: .seconds(600))
        default: return SimulatedCardReply(ResponseAPDU(status: .instructionNotSupported))
        }
    }

    func sendsData(header: [UInt8]) -> Bool { header[1] == 0x20 || header[1] == 0xA4 }
}

/// Commands for ``TestCard``.
extension CommandAPDU {
    /// Gives `count` bytes.
    static func read(_ count: Int) throws -> CommandAPDU {
        try CommandAPDU(
            cla: 0, ins: 0xB0, p1: UInt8(count >> 8), p2: UInt8(count & 0xFF), data: [], expectedLength: max(count, 1))
    }

    /// Gives `data` backwards.
    static func reverse(_ data: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: data, expectedLength: data.count)
    }

    static func verify(_ data: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0, ins: 0x20, p1: 0, p2: 0x80, data: data, expectedLength: nil)
    }

    /// Asks for time before it answers.
    static func askForTime(_ count: UInt8) -> CommandAPDU { CommandAPDU(0, 0xE0, count, 0) }

    /// Never ends.
    static var workForEver: CommandAPDU { CommandAPDU(0, 0xE2, 0, 0) }
}
