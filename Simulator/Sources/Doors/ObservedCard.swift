internal import SmartCard

/// A card that lets somebody look on: each command with its whole answer, whatever the protocol made of it.
final class ObservedCard: SimulatedCard {
    private let card: any SimulatedCard
    private let observe: @Sendable (CommandAPDU, ResponseAPDU?) -> Void

    init(_ card: any SimulatedCard, observe: @escaping @Sendable (CommandAPDU, ResponseAPDU?) -> Void) {
        (self.card, self.observe) = (card, observe)
    }

    func reset(warm: Bool) -> [UInt8] { card.reset(warm: warm) }

    func powerOff() { card.powerOff() }

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        let reply = card.process(command)
        observe(Self.asSent(command, reply.response), reply.response)
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
