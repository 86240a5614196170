/// The behavior of a printer.
public struct SocketPrinterBehavior: Sendable {
    public enum Family: Sendable {
        case epson
        case star
    }

    public enum Trouble: Hashable, Sendable, CaseIterable {
        case coverOpen
        case paperOut
        case paperLow
        case offline
        case cutter
        case fault
    }

    public var family: Family
    /// Its model name; empty if it does not report one.
    public var model: String
    public var troubles: Set<Trouble> = []
    /// Whether it responds.
    public var answers = true
    /// Whether it accepts connections and never reads. Set before the first connection.
    public var isReadless = false
    /// After how many bytes it hangs up.
    public var hangsUpAfter: Int?
    /// Whether it hangs up by resetting the connection.
    public var resets = false
    /// After how many bytes there is no paper left.
    public var paperEndsAfter: Int?
    /// Whether it disconnects instead of confirming a print.
    public var hangsUpBeforeConfirming = false

    public init(_ family: Family = .epson, model: String = "TM-T88V") { (self.family, self.model) = (family, model) }

    /// What is answered at once; nil for what waits its turn.
    func realTimeAnswer(_ command: SocketPrinterCommand, marks: UInt8) -> [UInt8]? {
        func bit(_ trouble: Trouble, _ bits: UInt8) -> UInt8 { troubles.contains(trouble) ? bits : 0 }
        switch command {
        case .status(1):
            return [0x12 | (troubles.isDisjoint(with: [.coverOpen, .paperOut, .offline, .cutter, .fault]) ? 0 : 0x08)]
        case .status(2):
            return [
                0x12 | bit(.coverOpen, 0x04) | bit(.paperOut, 0x20) | bit(.cutter, 0x40) | bit(.fault, 0x40)
            ]
        case .status(3): return [0x12 | bit(.cutter, 0x08) | bit(.fault, 0x20)]
        case .status(4): return [0x12 | bit(.paperLow, 0x0C) | bit(.paperOut, 0x60)]
        case .report:
            // Nine bytes, as announced by 0x23. Printer status 1 to 7 begin at the third byte; the marks are in the
            // eighth.
            return [
                0x23, 0x86,
                bit(.coverOpen, 0x28) | bit(.offline, 0x08) | bit(.paperOut, 0x08),
                bit(.cutter, 0x08) | bit(.fault, 0x20), 0, bit(.paperOut, 0x08) | bit(.paperLow, 0x04), 0,
                (marks & 7) << 1 | (marks >> 3) << 5, 0,
            ]
        default: return nil
        }
    }

    func answer(_ command: SocketPrinterCommand) -> [UInt8] {
        switch command {
        case .model: model.isEmpty ? [] : [0x5F] + Array(model.utf8) + [0]
        case .paper: [troubles.contains(.paperLow) ? 0x03 : 0x00]
        case .processID(let id): [0x37, 0x22] + id + [0]
        default: []
        }
    }
}
