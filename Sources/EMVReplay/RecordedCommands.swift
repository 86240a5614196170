public import SmartCard

/// The commands of a recorded card in their order, and how far a replay has come in them: which recorded exchange answers
/// a command.
public struct RecordedCommands: Sendable {
    /// What a command finds.
    public enum Match: Hashable, Sendable {
        /// The exchange with this index, with those before it left out.
        case next(Int, skipped: Range<Int>)
        /// An exchange that has been played: what can be asked again any time gets the answer that it got before.
        case earlier(Int)
        case none
    }

    private let commands: [CommandAPDU]
    /// Exchanges before it have been played.
    public private(set) var position = 0

    public init(_ commands: [CommandAPDU]) { self.commands = commands }

    /// Whether every exchange has been played or left out.
    public var isAtEnd: Bool { position == commands.endIndex }

    /// Leaves out what has not been played.
    ///
    /// - Returns: the exchanges that are left out.
    public mutating func finish() -> Range<Int> {
        defer { position = commands.endIndex }
        return position..<commands.endIndex
    }

    /// Finds the exchange that answers a command, and goes on behind it.
    public mutating func match(_ command: CommandAPDU) -> Match {
        if let index = commands[position...].firstIndex(where: { Self.isSame(command, $0) }) {
            // What was recorded before an answer of the same kind is skipped, unless that would pass by a
            // GENERATE AC: a card is never taken back to before one.
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

    /// Whether a recorded command is the one that the kernel sends, whatever data it carries.
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
