internal import EMV
internal import SmartCard
internal import Synchronization

/// A card that answers as the recorded one did, and notes where the kernel asks something else.
final class RecordedCard: CardChannel {
    private let exchanges: [CardTrace.Exchange]
    private let terminal: RecordedTerminal
    private let state: Mutex<State>

    private struct State {
        var commands: RecordedCommands
        var differences: [ReplayDifference] = []
        var cryptogramsAsked = 0
    }

    init(_ trace: CardTrace, terminal: RecordedTerminal) {
        (exchanges, self.terminal) = (trace.exchanges, terminal)
        state = Mutex(State(commands: RecordedCommands(trace.exchanges.map(\.command))))
    }

    /// What has been noted, and what of the trace the kernel has left out.
    func finish() -> [ReplayDifference] {
        state.withLock { state -> [ReplayDifference] in
            state.differences += exchanges[state.commands.finish()].map(Self.onlyRecorded)
            return state.differences
        }
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        guard let response = state.withLock({ state in answer(command, &state) }) else {
            throw .notSupported("the trace has no answer to \(Instruction.name(command))")
        }
        return response
    }

    /// nil when the trace says nothing and nothing can be made up.
    private func answer(_ command: CommandAPDU, _ state: inout State) -> ResponseAPDU? {
        let isFinal = state.cryptogramsAsked > 0
        if command.ins == Instruction.generateAC { state.cryptogramsAsked += 1 }
        switch state.commands.match(command) {
        case .next(let index, let skipped):
            state.differences += exchanges[skipped].map(Self.onlyRecorded)
            state.differences += compare(command, exchanges[index], isFinal: isFinal)
            return exchanges[index].response
        case .earlier(let index): return exchanges[index].response
        case .none: break
        }
        let position = state.commands.position
        state.differences.append(
            ReplayDifference(
                line: position < exchanges.endIndex ? exchanges[position].line : nil,
                command: Instruction.name(command), kind: .onlyKernel))
        switch command.ins {
        case Instruction.select: return ResponseAPDU(status: .fileNotFound)
        case Instruction.readRecord: return ResponseAPDU(status: StatusWord(0x6A, 0x83))
        case Instruction.getData: return ResponseAPDU(status: StatusWord(0x6A, 0x88))
        default: return nil
        }
    }

    private static func onlyRecorded(_ exchange: CardTrace.Exchange) -> ReplayDifference {
        ReplayDifference(line: exchange.line, command: Instruction.name(exchange.command), kind: .onlyRecorded)
    }

    private func compare(
        _ command: CommandAPDU, _ exchange: CardTrace.Exchange, isFinal: Bool
    ) -> [ReplayDifference] {
        // A PIN is as secret as it ever was, and its encipherment is new each time.
        guard command.ins != Instruction.verify else { return [] }
        func difference(_ kind: ReplayDifference.Kind) -> ReplayDifference {
            ReplayDifference(line: exchange.line, command: Instruction.name(command), kind: kind)
        }
        var differences: [ReplayDifference] = []
        if command.ins == Instruction.generateAC, command.p1 != exchange.command.p1 {
            differences.append(
                difference(
                    .cryptogram(recorded: Self.request(exchange.command.p1), kernel: Self.request(command.p1))))
        }
        guard command.data != exchange.command.data else { return differences }
        if let list = terminal.list(for: exchange.command, isFinal: isFinal) {
            let recorded = list.values(in: Self.options(exchange.command))
            let kernel = list.values(in: Self.options(command))
            var tags: Set<BERTag> = []
            for entry in list.entries where recorded[entry.tag] != kernel[entry.tag] && tags.insert(entry.tag).inserted
            {
                let element = DataElement[entry.tag]
                func shown(_ value: [UInt8]?) -> String {
                    element?.isSecret ?? false ? "**" : (value ?? []).hexadecimal
                }
                differences.append(
                    difference(
                        .value(
                            tag: entry.tag, name: element?.name, recorded: shown(recorded[entry.tag]),
                            kernel: shown(kernel[entry.tag]))))
            }
            if !tags.isEmpty { return differences }
        }
        // Only what the issuer sends is known to hold nothing of the card's or the cardholder's.
        let isShown = command.ins == Instruction.externalAuthenticate
        func text(_ data: [UInt8]) -> String { isShown ? data.hexadecimal : "\(data.count) bytes" }
        differences.append(
            difference(.bytes(recorded: text(exchange.command.data), kernel: text(command.data))))
        return differences
    }

    /// The filled list in a command.
    private static func options(_ command: CommandAPDU) -> [UInt8] {
        guard command.ins == Instruction.getProcessingOptions else { return command.data }
        return (try? BERTLV.parse(command.data))?.first?.value ?? []
    }

    /// What P1 of GENERATE AC asks for (EMV Book 3 §6.5.5).
    private static func request(_ p1: UInt8) -> String {
        let type =
            switch p1 & 0xC0 {
            case 0x00: "AAC"
            case 0x40: "TC"
            case 0x80: "ARQC"
            default: [p1].hexadecimal
            }
        return p1 & 0x10 == 0 ? type : type + " with CDA"
    }
}
