import Determinism
import EMV
import SmartCard
import Synchronization

/// What a made-up payment is made of: numbers and bytes, drawn at random or cut out of given bytes.
final class Choices: Sendable {
    private let draw: @Sendable (Int) -> [UInt8]

    init(_ random: any RandomSource) { draw = random.bytes }

    /// Zeros follow the last byte; zero stands for what is usual wherever there is a choice.
    init(_ bytes: [UInt8]) {
        let rest = Rest(bytes)
        draw = rest.take
    }

    /// A number of 0..<count; `count` is 1...65,536.
    func number(below count: Int) -> Int {
        draw(count <= 256 ? 1 : 2).reduce(0) { $0 << 8 | Int($1) } % count
    }

    /// One of several, at least one.
    func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// True in one of `count` cases, and never after the last byte.
    func happens(oneIn count: Int) -> Bool { number(below: count) == count - 1 }

    func bytes(_ count: Int) -> [UInt8] { draw(count) }

    private final class Rest: Sendable {
        private let bytes: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes[...]) }

        @Sendable func take(_ count: Int) -> [UInt8] {
            bytes.withLock { bytes in
                let taken = bytes.prefix(count)
                bytes = bytes.dropFirst(count)
                return taken + [UInt8](repeating: 0, count: count - taken.count)
            }
        }
    }
}

/// A card in a reader of which nothing is sure.
protocol ArbitraryCard: PINPadCardChannel {
    var pinPad: ArbitraryPINPad { get }
}

extension ArbitraryCard {
    var hasPINPad: Bool { pinPad.isThere }

    func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer { pinPad.verify() }
}

/// The PIN pad of a reader, and its user.
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
            .verified(.success), .verified(StatusWord(0x63, 0xC2)), .verified(StatusWord(0x63, 0xC0)), .canceled,
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
        .notSupported("length"), .canceled,
    ]
}

/// A card whose responses come from the choices: a status, then a length and that many bytes.
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

/// Changes the answers of a card as a damaged, a wrong or a malicious one might. Most changes leave the TLV structure
/// whole, so that they are not found before the kernel has gone on with them.
struct AnswerChange {
    let choices: Choices

    func apply(to answer: ResponseAPDU) -> ResponseAPDU {
        var (data, status) = (answer.data, answer.status)
        switch choices.number(below: 12) {
        case 0: status = choices.element(of: Self.statuses)
        case 1: status = StatusWord(choices.bytes(1)[0], choices.bytes(1)[0])
        case 2: data = Array(data.prefix(choices.number(below: data.count + 1)))
        case 3: data += choices.bytes(1 + choices.number(below: 8))
        case 4: data = choices.bytes(choices.number(below: 64))
        case 5: data = Self.flipped(data, choices)
        default:
            if let objects = try? BERTLV.parse(data), !objects.isEmpty {
                data = changed(objects).flatMap(\.encoded)
            } else {
                data = changedValue(data)
            }
        }
        return ResponseAPDU(data: data, status: status)
    }

    private static let statuses: [StatusWord] = [
        .success, .selectedFileInvalidated, .authenticationFailed, .wrongLength, .authenticationMethodBlocked,
        .referenceDataInvalidated, .conditionsNotSatisfied, .functionNotSupported, .fileNotFound, .recordNotFound,
        .incorrectParameters, .instructionNotSupported, StatusWord(0x63, 0xC0), StatusWord(0x63, 0xC1),
        StatusWord(0x61, 0x10), StatusWord(0x6C, 0x10),
    ]

    /// Data objects that control the kernel's next steps.
    private static let tags: [BERTag] = [
        0x4F, 0x50, 0x57, 0x5A, 0x61, 0x6F, 0x70, 0x77, 0x80, 0x82, 0x84, 0x87, 0x88, 0x8A, 0x8C, 0x8D, 0x8E, 0x8F,
        0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x97, 0x9B, 0xA5, 0x5F20, 0x5F24, 0x5F25, 0x5F28, 0x5F2A, 0x5F34, 0x9F02,
        0x9F07, 0x9F08, 0x9F0D, 0x9F0E, 0x9F0F, 0x9F10, 0x9F11, 0x9F12, 0x9F14, 0x9F17, 0x9F23, 0x9F26, 0x9F27, 0x9F2D,
        0x9F2E, 0x9F32, 0x9F36, 0x9F37, 0x9F38, 0x9F42, 0x9F46, 0x9F47, 0x9F48, 0x9F49, 0x9F4A, 0x9F4B, 0x9F4C,
        0xBF0C,
    ]

    private func changed(_ objects: [BERTLV]) -> [BERTLV] {
        var objects = objects
        let index = choices.number(below: objects.count)
        let object = objects[index]
        if !object.children.isEmpty, choices.number(below: 4) > 0 {
            objects[index] = BERTLV(object.tag, children: changed(object.children))
            return objects
        }
        switch choices.number(below: 8) {
        case 0: objects.remove(at: index)
        case 1: objects.insert(object, at: index)
        case 2: objects.swapAt(index, choices.number(below: objects.count))
        case 3: objects[index] = BERTLV(choices.element(of: Self.tags), object.value)
        case 4: objects.insert(BERTLV(choices.element(of: Self.tags), changedValue(object.value)), at: index)
        default: objects[index] = BERTLV(object.tag, changedValue(object.value))
        }
        return objects
    }

    private func changedValue(_ value: [UInt8]) -> [UInt8] {
        switch choices.number(below: 8) {
        case 0: []
        case 1: Array(value.prefix(choices.number(below: value.count + 1)))
        case 2: value + choices.bytes(1 + choices.number(below: 4))
        case 3: choices.bytes(value.count)
        case 4: choices.bytes(choices.number(below: 32))
        case 5: [UInt8](repeating: choices.element(of: [0x00, 0xFF, 0x99]), count: value.count)
        default: Self.flipped(value, choices)
        }
    }

    private static func flipped(_ bytes: [UInt8], _ choices: Choices) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var bytes = bytes
        let index = choices.number(below: min(bytes.count, 65_536))
        bytes[index] = choices.happens(oneIn: 2) ? choices.bytes(1)[0] : bytes[index] ^ 1 << choices.number(below: 8)
        return bytes
    }
}
