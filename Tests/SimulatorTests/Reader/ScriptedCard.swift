import Simulator
import SmartCard
import Synchronization

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
