internal import SmartCard

/// A card that lets somebody look on.
final class ObservedCard: SimulatedCard {
    enum Event: Hashable, Sendable {
        /// The answer is empty from a mute card.
        case reset(answerToReset: [UInt8], isWarm: Bool)
        case poweredOff
        /// A command with its whole answer, whatever the protocol made of it; nil when the card stayed mute.
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

    /// The terminal's command: over T=0 a card is not shown the Le of a command with data, which was there if data
    /// came back.
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
    /// A command and the answer; nil from a card that stayed mute.
    func add(_ command: CommandAPDU, answer: ResponseAPDU?) {
        if let answer { add(command, answer) } else { add(command, .cardMute) }
    }
}
