import SmartCard
import Synchronization

/// A card as seen by a program above the reader: command bytes in, answer bytes and elapsed time out.
///
/// * A card that starts with T=0 behaves as in a TPDU-level reader: 61xx and 6Cxx go to the program, which sends GET
///   RESPONSE or repeats the command. An Le after command data is dropped, because T=0 has no place for it; a
///   header-only command gets P3 = 00 (ISO/IEC 7816-3 §12.2).
/// * A card that starts with T=1 takes whole commands and gives whole answers.
///
/// The program cannot negotiate another protocol: neither bridge protocol has a message for it.
struct ServedCard: Sendable {
    struct Answer: Hashable, Sendable {
        /// The answer; empty if the card was mute.
        var bytes: [UInt8]
        /// The card's processing time.
        var after: Duration = .zero
        /// Whether the card has left the reader after this answer.
        var isLast = false
    }

    private static let wrongLength: [UInt8] = [0x67, 0x00]
    private static let instructionNotSupported: [UInt8] = [0x6D, 0x00]
    /// The longest T=1 information field of the contacts, in bytes.
    private static let informationFieldSize: UInt8 = 254

    private var contacts: SimulatedCardContacts
    /// The reader's side of T=1, from the first command on.
    private var device: T1InterfaceDevice?
    private var lastAnswerToReset: [UInt8]?

    init(_ card: any SimulatedCard) { contacts = SimulatedCardContacts(card, voltages: .all) }

    var isPowered: Bool { contacts.isPowered }

    /// Powers up and resets the card; a powered card gets a warm reset.
    ///
    /// - Returns: the answer to reset, empty from a mute card.
    mutating func reset() -> [UInt8] {
        device = nil
        let answer = contacts.activate(.volts5)
        lastAnswerToReset = answer
        return answer
    }

    mutating func powerOff() {
        device = nil
        contacts.deactivate()
    }

    /// Returns the last answer to reset. A card that was never reset is reset and powered down again.
    mutating func answerToReset() -> [UInt8] {
        if let lastAnswerToReset { return lastAnswerToReset }
        let answer = reset()
        powerOff()
        return answer
    }

    /// Sends a command of any bytes to the card.
    mutating func exchange(_ command: [UInt8]) -> Answer {
        guard isPowered else { return Answer(bytes: []) }
        var exchange = CardExchange()
        do throws(CardExchange.Failure) {
            let answer =
                contacts.transmission.firstProtocol == 1
                ? try overT1(command, &exchange) : try overT0(command, &exchange)
            // An answer sent after the card left is lost.
            return Answer(
                bytes: contacts.departure == .beforeAnswer ? [] : answer, after: exchange.elapsed,
                isLast: contacts.departure != nil)
        } catch {
            return Answer(bytes: [], after: exchange.elapsed, isLast: contacts.departure != nil)
        }
    }

    private mutating func overT0(
        _ command: [UInt8], _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard command.count >= 4 else { return Self.wrongLength }
        // In T=0 these values would be taken for status bytes.
        guard ![0x60, 0x90].contains(command[1] & 0xF0) else { return Self.instructionNotSupported }
        guard command.count > 5 else {
            return try exchange.t0(command.count == 4 ? command + [0x00] : command, &contacts)
        }
        let end = 5 + Int(command[4])
        guard end > 5, command.count == end || command.count == end + 1 else { return Self.wrongLength }
        return try exchange.t0(Array(command[..<end]), &contacts)
    }

    private mutating func overT1(
        _ command: [UInt8], _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        var device: T1InterfaceDevice
        if let begun = self.device {
            device = begun
        } else {
            device = T1InterfaceDevice(
                cardInformationFieldSize: contacts.transmission.informationFieldSize,
                errorDetection: contacts.transmission.errorDetection)
            let request = device.negotiateInformationFieldSize(Self.informationFieldSize)
            _ = try exchange.run(&device, request, &contacts)
        }
        defer { self.device = device }
        let first = device.transmit(command)
        return try exchange.run(&device, first, &contacts)
    }
}

/// A card that reports its resets and commands to an observer.
final class ObservedCard: SimulatedCard {
    enum Event: Hashable, Sendable {
        /// A reset; the answer is empty from a mute card.
        case reset(answerToReset: [UInt8], isWarm: Bool)
        case poweredOff
        /// A command with its complete answer, regardless of the protocol; nil if the card stayed mute.
        case command(CommandAPDU, ResponseAPDU?)
    }

    private let card: any SimulatedCard
    private let observe: @Sendable (Event) -> Void

    init(_ card: any SimulatedCard, observe: @escaping @Sendable (Event) -> Void) {
        (self.card, self.observe) = (card, observe)
    }

    func reset(warm: Bool) -> [UInt8] {
        let answer = card.reset(warm: warm)
        observe(.reset(answerToReset: answer, isWarm: warm))
        return answer
    }

    func powerOff() {
        card.powerOff()
        observe(.poweredOff)
    }

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        let reply = card.process(command)
        observe(.command(Self.asSent(command, reply.response), reply.response))
        return reply
    }

    func sendsData(header: [UInt8]) -> Bool { card.sendsData(header: header) }

    /// Returns the terminal's command. Over T=0 the card does not see the Le of a command with data; it was present
    /// if the card returned data.
    private static func asSent(_ command: CommandAPDU, _ response: ResponseAPDU?) -> CommandAPDU {
        guard command.expectedLength == nil, !command.data.isEmpty, response?.data.isEmpty == false,
            let sent = try? CommandAPDU(
                cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data,
                expectedLength: 256)
        else { return command }
        return sent
    }
}

extension TraceRecorder {
    /// Records a command and its answer, nil from a mute card.
    func add(_ command: CommandAPDU, answer: ResponseAPDU?) {
        if let answer { add(command, answer) } else { add(command, .cardMute) }
    }
}

/// Counts the commands that cards processed.
final class CommandCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
