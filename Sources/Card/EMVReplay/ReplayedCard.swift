import EMV
public import SmartCard
import Synchronization
import Text

/// A card that returns the recorded responses and records where the kernel's commands differ.
final class ReplayedCard: CardChannel {
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

    /// Whether every exchange was replayed or skipped.
    var isAtEnd: Bool { state.withLock { $0.commands.isAtEnd } }

    /// Whether the recorded reader sent the same command again after its answer.
    func isRepeated(_ command: CommandAPDU) -> Bool {
        state.withLock { state in
            let next = state.commands.position
            return next < exchanges.endIndex && exchanges[next].command.hasHeader(of: command)
        }
    }

    /// Returns the recorded differences, including the exchanges that the kernel skipped.
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

    /// Returns the response; nil if the trace has none and none can be derived.
    private func answer(_ command: CommandAPDU, _ state: inout State) -> ResponseAPDU? {
        let isFinal = state.cryptogramsAsked > 0
        if command.ins == Instruction.generateAC { state.cryptogramsAsked += 1 }
        // A card that is tapped again begins anew.
        if command.ins == Instruction.getProcessingOptions { state.cryptogramsAsked = 0 }
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
        // A PIN is secret, and its encipherment differs each time.
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
            let brand = terminal.aid.flatMap(CardBrand.init(aid:))
            var tags: Set<BERTag> = []
            for entry in list.entries where recorded[entry.tag] != kernel[entry.tag] && tags.insert(entry.tag).inserted
            {
                let element = DataElement.described(entry.tag, brand: brand)
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
        // Only issuer data certainly contains no data of card or cardholder.
        let isShown = command.ins == Instruction.externalAuthenticate
        func text(_ data: [UInt8]) -> String { isShown ? data.hexadecimal : "\(data.count) bytes" }
        differences.append(
            difference(.bytes(recorded: text(exchange.command.data), kernel: text(command.data))))
        return differences
    }

    /// Returns the filled data object list in a command.
    static func options(_ command: CommandAPDU) -> [UInt8] {
        guard command.ins == Instruction.getProcessingOptions else { return command.data }
        return (try? BERTLV.parse(command.data))?.first?.value ?? []
    }

    /// Returns the cryptogram type that P1 of GENERATE AC requests (EMV Book 3 §6.5.5).
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

/// The recorded exchanges in order, with the position of the replay. Finds the exchange that answers a command.
public struct RecordedCommands: Sendable {
    /// The result of a search.
    public enum Match: Hashable, Sendable {
        /// The exchange with this index; the exchanges before it are skipped.
        case next(Int, skipped: Range<Int>)
        /// An exchange that was already replayed: a repeatable command gets the same response again.
        case earlier(Int)
        case none
    }

    private let commands: [CommandAPDU]
    /// The index of the next exchange to replay.
    public private(set) var position = 0

    /// Begins before the first of the recorded commands.
    public init(_ commands: [CommandAPDU]) { self.commands = commands }

    /// Whether every exchange was replayed or skipped.
    public var isAtEnd: Bool { position == commands.endIndex }

    /// Skips the remaining exchanges.
    ///
    /// - Returns: the skipped exchanges.
    public mutating func finish() -> Range<Int> {
        defer { position = commands.endIndex }
        return position..<commands.endIndex
    }

    /// Finds the exchange that answers a command, and moves past it.
    public mutating func match(_ command: CommandAPDU) -> Match {
        if let index = commands[position...].firstIndex(where: { Self.isSame(command, $0) }) {
            // Skips exchanges before a matching one, but never past a GENERATE AC: a card cannot go back to before it.
            let skipped = position..<index
            if !commands[skipped].contains(where: { $0.ins == Instruction.generateAC }) {
                position = index + 1
                return .next(index, skipped: skipped)
            }
        }
        if Self.isRepeatable(command), let index = commands[..<position].lastIndex(where: { Self.isSame(command, $0) })
        {
            return .earlier(index)
        }
        return .none
    }

    /// Returns whether a recorded command matches the kernel's command, apart from its data.
    private static func isSame(_ command: CommandAPDU, _ recorded: CommandAPDU) -> Bool {
        switch command.ins {
        case Instruction.select: command.hasHeader(of: recorded) && command.data == recorded.data
        case Instruction.generateAC: recorded.ins == command.ins
        default: command.hasHeader(of: recorded)
        }
    }

    private static func isRepeatable(_ command: CommandAPDU) -> Bool {
        [Instruction.select, Instruction.readRecord, Instruction.getData].contains(command.ins)
    }
}

/// The INS bytes that a replay distinguishes (EMV Book 1 §11, Book 3 §6.5).
enum Instruction {
    static let select: UInt8 = 0xA4
    static let readRecord: UInt8 = 0xB2
    static let getProcessingOptions: UInt8 = 0xA8
    static let getData: UInt8 = 0xCA
    static let getChallenge: UInt8 = 0x84
    static let internalAuthenticate: UInt8 = 0x88
    static let verify: UInt8 = 0x20
    static let generateAC: UInt8 = 0xAE
    static let externalAuthenticate: UInt8 = 0x82
    // Kernel 8 (Book C-8 §5).
    static let exchangeRelayResistanceData: UInt8 = 0xEA
    static let readData: UInt8 = 0x32
    static let writeData: UInt8 = 0x34

    /// Returns whether only an issuer sends this command: with secure messaging, or an EMV script command.
    static func isIssuerScript(_ command: CommandAPDU) -> Bool {
        !isData(command)
            && (command.cla & 0x0C != 0 || [0x16, 0x18, 0x1E, 0x24, 0xDA, 0xDC, 0xE2, 0xD2].contains(command.ins))
    }

    /// Returns whether the command reads or writes a data envelope of kernel 8.
    private static func isData(_ command: CommandAPDU) -> Bool {
        command.cla == 0x84 && [readData, writeData].contains(command.ins)
    }

    /// Returns the EMV name of the command, or its INS byte if it has none here.
    static func name(_ command: CommandAPDU) -> String {
        switch command.ins {
        case select: "SELECT"
        case readRecord: "READ RECORD"
        case getProcessingOptions: "GET PROCESSING OPTIONS"
        case getData: "GET DATA"
        case getChallenge: "GET CHALLENGE"
        case internalAuthenticate: "INTERNAL AUTHENTICATE"
        case verify: "VERIFY"
        case generateAC: "GENERATE AC"
        case externalAuthenticate: "EXTERNAL AUTHENTICATE"
        case exchangeRelayResistanceData: "EXCHANGE RELAY RESISTANCE DATA"
        case readData where isData(command): "READ DATA"
        case writeData where isData(command): "WRITE DATA"
        case _ where isIssuerScript(command): "issuer script command"
        default: "a command with INS " + [command.ins].hexadecimal
        }
    }
}
