import EMV
import SmartCard
import Synchronization

/// A card in a reader of which nothing is sure.
protocol ArbitraryCard: PINPadCardChannel {
    var pinPad: ArbitraryPINPad { get }
}

extension ArbitraryCard {
    var hasPINPad: Bool { pinPad.isThere }

    func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer { pinPad.verify() }
}

/// The keys of a card reader, and whoever presses them.
final class ArbitraryPINPad: Sendable {
    let isThere: Bool
    private let choices: Choices
    private let asked = Mutex(0)

    init(_ choices: Choices) {
        self.choices = choices
        isThere = choices.happens(oneIn: 4)
    }

    /// How often it was asked for a PIN.
    var entries: Int { asked.withLock { $0 } }

    func verify() -> PINPadAnswer {
        asked.withLock { $0 += 1 }
        return choices.element(of: [
            .verified(.success), .verified(StatusWord(0x63, 0xC2)), .verified(StatusWord(0x63, 0xC0)), .cancelled,
            .timedOut, .wrongLength, .unsupported, .verified(.authenticationMethodBlocked),
        ])
    }
}

/// A good card whose answers are changed now and then, in a reader that may have keys.
final class ChangedCard: ArbitraryCard {
    let pinPad: ArbitraryPINPad
    private let card: TestCard
    private let choices: Choices
    private let oneIn: Int

    init(_ card: TestCard, _ choices: Choices, oneIn: Int) {
        (self.card, self.choices, self.oneIn) = (card, choices, oneIn)
        pinPad = ArbitraryPINPad(choices)
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
final class CutCard: ArbitraryCard {
    /// More than any card is asked in one payment by a kernel that comes to an end.
    static let limit = 20_000

    let pinPad: ArbitraryPINPad
    private let choices: Choices
    private let answered = Mutex(0)

    init(_ choices: Choices) {
        self.choices = choices
        pinPad = ArbitraryPINPad(choices)
    }

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
