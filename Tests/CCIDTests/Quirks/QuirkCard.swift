import Simulator
import SmartCard

/// A card that answers by the instruction byte: A4 gives its data back reversed, B0 gives P2 bytes (1000 for P1 = FF),
/// E0 takes a second a P1, 20 is VERIFY with the PIN 1234.
final class QuirkCard: SimulatedCard {
    /// T=0 alone, at the initial rate.
    static let t0 = hex(TestATR.t0)
    /// T=0 alone. TA1 = 96 asks for 250 kbit/s at 4 MHz.
    static let fastT0 = hex("3B70960000")
    /// T=1 alone, IFSC 32.
    static let t1 = hex("3BE000008131204535")

    let answerToReset: [UInt8]

    init(_ answerToReset: [UInt8] = t0) { self.answerToReset = answerToReset }

    func reset(warm: Bool) -> [UInt8] { answerToReset }

    func powerOff() {}

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        switch command.ins {
        case 0x20:
            let isRight = command.data == hex("241234FFFFFFFFFF")
            return SimulatedCardReply(ResponseAPDU(status: isRight ? .success : StatusWord(0x63, 0xC2)))
        case 0xA4: return SimulatedCardReply(ResponseAPDU(data: command.data.reversed(), status: .success))
        case 0xB0:
            let count = command.p1 == 0xFF ? 1000 : Int(command.p2)
            return SimulatedCardReply(
                ResponseAPDU(data: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, status: .success))
        case 0xE0:
            return SimulatedCardReply(ResponseAPDU(status: .success), processingTime: .seconds(Int(command.p1)))
        default: return SimulatedCardReply(ResponseAPDU(status: .instructionNotSupported))
        }
    }

    func sendsData(header: [UInt8]) -> Bool { header[1] == 0x20 || header[1] == 0xA4 }
}
