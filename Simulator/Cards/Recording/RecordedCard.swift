import EMVReplay
public import SmartCard
import Synchronization
import Text

/// A card that replays recorded answers.
///
/// Each command gets the recorded answer to a command of its kind, in recorded order; commands that were not recorded
/// are refused.
public final class RecordedCard: SimulatedCard {
    private struct State {
        var commands: RecordedCommands
        var isPowered = false
        /// Whether the card is mute until the next reset.
        var isMute = false
    }

    private let recording: CardRecording
    private let state: Mutex<State>

    /// Begins before the first of the recorded commands.
    public init(_ recording: CardRecording) {
        self.recording = recording
        state = Mutex(State(commands: RecordedCommands(recording.exchanges.map(\.command))))
    }

    public func reset(warm: Bool) -> [UInt8] {
        state.withLock { state in
            (state.isPowered, state.isMute) = (true, false)
            // Another attempt starts with the card's original state.
            if state.commands.isAtEnd { state.commands = RecordedCommands(recording.exchanges.map(\.command)) }
        }
        return CardReset.proper(recording.transmission, historicalBytes: []).answer(warm: warm)
    }

    public func powerOff() { state.withLock { $0.isPowered = false } }

    public func process(_ command: CommandAPDU) -> SimulatedCardReply {
        state.withLock { state in
            guard state.isPowered, !state.isMute else { return SimulatedCardReply(nil) }
            let index: Int
            switch state.commands.match(command) {
            case .next(let found, _), .earlier(let found): index = found
            case .none: return SimulatedCardReply(ResponseAPDU(status: Self.refusal(of: command)))
            }
            switch recording.exchanges[index].outcome {
            case .answered(let answer, let status):
                let data = recording.filling.answer(answer, to: command)
                return SimulatedCardReply(ResponseAPDU(data: data, status: status))
            case .removed:
                state.isMute = true
                return SimulatedCardReply(nil, removal: .beforeAnswer)
            case .mute:
                state.isMute = true
                return SimulatedCardReply(nil)
            }
        }
    }

    /// Returns the status word for a command that was not recorded.
    private static func refusal(of command: CommandAPDU) -> StatusWord {
        switch CardInstruction(rawValue: command.ins) {
        case .select: .fileNotFound
        case .readRecord: StatusWord(0x6A, 0x83)
        case .getData: StatusWord(0x6A, 0x88)
        default: StatusWord(0x69, 0x85)
        }
    }

    public func sendsData(header: [UInt8]) -> Bool {
        guard header.count >= 2 else { return false }
        if let instruction = CardInstruction(rawValue: header[1]) { return instruction.sendsData }
        return recording.exchanges.contains { $0.command.ins == header[1] && !$0.command.data.isEmpty }
    }
}

/// Generated card data for masked bytes, with the lengths and structure of the real data.
struct GeneratedCardData: Sendable {
    /// The PAN, one digit per byte, with a correct check digit.
    let pan: [UInt8]
    /// YYMMDD, one digit per byte.
    private let expiry: [UInt8]

    private static let longestPAN = 19
    /// The PAN length if only track data show it.
    private static let usualPAN = 16

    /// Creates the data.
    ///
    /// - Parameters:
    ///   - lastFour: the last four digits of the PAN, as on a receipt; nil if unknown.
    ///   - isExpired: whether the card was expired.
    ///   - exchanges: the exchanges that show the length of the PAN.
    init(lastFour: String?, isExpired: Bool, exchanges: [RecordedExchange]) {
        var count = Self.usualPAN
        search: for exchange in exchanges {
            guard case .answered(let answer, _) = exchange.outcome,
                let value = (try? BERTLV.parse(answer.bytes))?.first(0x5A)?.value, (4...10).contains(value.count)
            else { continue }
            count = min(value.count * 2, Self.longestPAN)
            break search
        }
        // ISO/IEC 7812-1 assigns numbers starting with 9 to national bodies: no real card has such a PAN.
        var digits: [UInt8] = [9] + [UInt8](repeating: 0, count: count - 5)
        digits += lastFour.map { $0.utf8.map { $0 &- 0x30 } } ?? [0, 0, 0, 0]
        let sum = digits.reversed().enumerated().reduce(0) { sum, entry in
            let doubled = Int(entry.element) * (entry.offset % 2 == 1 ? 2 : 1)
            return sum + doubled / 10 + doubled % 10
        }
        // The fifth digit from the end is not doubled in the check sum.
        digits[count - 5] = UInt8((10 - (sum - Int(digits[count - 5])) % 10) % 10)
        pan = digits
        expiry = isExpired ? [0, 1, 0, 1, 3, 1] : [4, 9, 1, 2, 3, 1]
    }

    /// Returns the answer with filled gaps, as from a card without offline data authentication.
    func answer(_ answer: RecordedBytes, to command: CommandAPDU) -> [UInt8] {
        var bytes = answer.bytes
        fill(&bytes, answer.isHidden, 0..<bytes.count, depth: 8)
        switch command.ins {
        case CardInstruction.getProcessingOptions.rawValue: return Self.withoutOfflineAuthentication(bytes)
        case CardInstruction.generateAC.rawValue: return Self.withPlainCryptogram(bytes)
        default: return bytes
        }
    }

    private func fill(_ bytes: inout [UInt8], _ isHidden: [Bool], _ range: Range<Int>, depth: Int) {
        guard depth > 0, let objects = Self.objects(bytes, range) else { return }
        for object in objects {
            if object.tag.isConstructed {
                fill(&bytes, isHidden, object.value, depth: depth - 1)
            } else if isHidden[object.value].contains(true) {
                let value = value(of: object.tag, count: object.value.count)
                for (index, byte) in zip(object.value, value) where isHidden[index] { bytes[index] = byte }
            }
        }
    }

    private static func objects(_ bytes: [UInt8], _ range: Range<Int>) -> [BERTLVReader.Object]? {
        var reader = BERTLVReader(range)
        var objects: [BERTLVReader.Object] = []
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) { objects.append(object) }
        } catch { return nil }
        return objects
    }

    private func value(of tag: BERTag, count: Int) -> [UInt8] {
        switch tag {
        case 0x5A: TestPAN.pack(pan).padded(to: count, with: 0xFF)
        case 0x57, 0x9F6B:
            // PAN, separator, YYMM, service code, and zeros.
            TestPAN.pack(pan + [0x0D] + expiry.prefix(4) + [2, 0, 1] + (pan.count % 2 == 0 ? [] : [0]))
                .padded(to: count, with: 0)
        case 0x5F24, 0x59: TestPAN.pack(expiry).padded(to: count, with: 0)
        case 0x5F20, 0x9F0B: "TEST/CARD".utf8.padded(to: count, with: UInt8(ascii: " "))
        case 0x9F1F: [UInt8](repeating: UInt8(ascii: "0"), count: count)
        default: [UInt8](repeating: 0, count: count)
        }
    }

    /// The bits of SDA, DDA, and CDA in the first byte of tag 82.
    private static let offlineAuthentication: UInt8 = 0x61

    /// Clears the offline data authentication bits: the certificates are masked and cannot be verified.
    private static func withoutOfflineAuthentication(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let template = objects(bytes, 0..<bytes.count)?.first else { return bytes }
        let inner =
            template.tag == 0x77 ? objects(bytes, template.value)?.first { $0.tag == 0x82 }?.value : template.value
        if let place = inner?.first { bytes[place] &= ~offlineAuthentication }
        return bytes
    }

    /// Returns a cryptogram that was inside a signature (CDA) as a plain one.
    private static func withPlainCryptogram(_ bytes: [UInt8]) -> [UInt8] {
        guard let template = try? BERTLV.parse(bytes).first, template.tag == 0x77,
            template.children.first(0x9F26) == nil
        else { return bytes }
        let children = template.children.filter { $0.tag != 0x9F4B } + [BERTLV(0x9F26, [UInt8](repeating: 0, count: 8))]
        return BERTLV(0x77, children: children).encoded
    }
}
