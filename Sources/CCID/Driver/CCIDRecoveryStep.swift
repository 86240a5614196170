/// What is done, one after the other, with a reader that does not answer a command as it should. Each step is bounded,
/// and the next one is taken only when it did not help.
public enum CCIDRecoveryStep: Hashable, Sendable, CustomStringConvertible {
    /// The command is aborted (CCID 1.1 §5.3.1).
    case abort(slot: UInt8)
    /// The power is taken from the card; the next use of the slot gives it back.
    case slotPowerOff(slot: UInt8)
    /// The device is reset, which takes the power from every card.
    case deviceReset
    /// The reader answers again.
    case recovered
    /// An answer to another message than the one that was sent is passed over.
    case staleAnswer(slot: UInt8, message: UInt8)
    /// The reader came back from the reset and answers nothing, or did not come back.
    case dead

    public var description: String {
        switch self {
        case .abort(let slot): "the command in slot \(slot) is aborted"
        case .slotPowerOff(let slot): "the power is taken from slot \(slot)"
        case .deviceReset: "the device is reset"
        case .staleAnswer(let slot, let message): "an answer to message \(message), in slot \(slot), is passed over"
        case .recovered: "the reader answers again"
        case .dead: "the reader does not answer any more"
        }
    }
}
