internal import EMVReplay
public import SmartCard
internal import Synchronization

/// A card that answers as a recorded one did.
///
/// A command gets the recorded answer to a command of its kind, in the order of the recording; what was not asked then is
/// refused.
public final class RecordedCard: SimulatedCard {
    private struct State {
        var commands: RecordedCommands
        var isPowered = false
        /// It says nothing until the next reset.
        var isMute = false
    }

    private let recording: CardRecording
    private let state: Mutex<State>

    public init(_ recording: CardRecording) {
        self.recording = recording
        state = Mutex(State(commands: RecordedCommands(recording.exchanges.map(\.command))))
    }

    public func reset(warm: Bool) -> [UInt8] {
        state.withLock { state in
            (state.isPowered, state.isMute) = (true, false)
            // Who tries once more gets the card as it was.
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

    /// What a card says that does not have what it is asked for.
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
