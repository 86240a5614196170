import EMV
import SmartCard
import Synchronization

/// A good card whose answers are changed now and then.
final class ChangedCard: CardChannel {
    private let card: TestCard
    private let choices: Choices
    private let oneIn: Int

    init(_ card: TestCard, _ choices: Choices, oneIn: Int) {
        (self.card, self.choices, self.oneIn) = (card, choices, oneIn)
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let answer = try await card.transmit(command)
        guard choices.happens(oneIn: oneIn) else { return answer }
        guard choices.happens(oneIn: 16) else { return AnswerChange(choices: choices).apply(to: answer) }
        throw choices.element(of: ChangedCard.failures)
    }

    static let failures: [CardChannelError] = [
        .cardRemoved, .cardMute, .timedOut, .readerUnavailable("unplugged"), .protocolViolation("parity"),
        .notSupported("length"), .cancelled,
    ]
}

/// A card that answers whatever the choices say: a status, then a length and as many bytes.
final class CutCard: CardChannel {
    /// More than any card is asked in one payment by a kernel that comes to an end.
    static let limit = 20_000

    private let choices: Choices
    private let answered = Mutex(0)

    init(_ choices: Choices) { self.choices = choices }

    static let statuses: [StatusWord] = [
        .success, .recordNotFound, .fileNotFound, .selectedFileInvalidated, .conditionsNotSatisfied,
        .authenticationMethodBlocked, StatusWord(0x63, 0xC1),
    ]

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let count = answered.withLock { count in
            count += 1
            return count
        }
        guard count < Self.limit else { throw .timedOut }
        let kind = choices.number(below: Self.statuses.count + 3)
        switch kind {
        case Self.statuses.count: return ResponseAPDU(status: StatusWord(choices.bytes(1)[0], choices.bytes(1)[0]))
        case Self.statuses.count + 1: throw choices.element(of: ChangedCard.failures)
        // Its answers have come to their end.
        case 0 where count > 1_000: throw .cardMute
        case Self.statuses.count + 2: return ResponseAPDU(data: choices.bytes(256), status: .success)
        default: return ResponseAPDU(data: choices.bytes(choices.number(below: 256)), status: Self.statuses[kind])
        }
    }

    /// What a card's answer looks like among the choices; nil when it has none of the statuses.
    static func bytes(of answer: ResponseAPDU) -> [UInt8]? {
        guard let kind = statuses.firstIndex(of: answer.status), answer.data.count < 256 else { return nil }
        return [UInt8(kind), UInt8(answer.data.count)] + answer.data
    }
}
