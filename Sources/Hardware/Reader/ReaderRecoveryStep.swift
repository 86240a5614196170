/// What is done with a reader that does not answer as it should, one step after the other until one helps. Each is
/// bounded in time.
public enum ReaderRecoveryStep: String, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The command under way is ended.
    case abort
    /// The power is taken from the card; the next payment gives it back.
    case slotPowerOff
    /// The device is reset.
    case deviceReset
    /// It answers again.
    case recovered
    /// An answer to a command that was given up, by this program or another one, is passed over.
    case staleAnswer
    /// It answers nothing any more. The reader is closed, and opened again when reconnection is on.
    case dead

    public var description: String {
        switch self {
        case .abort: "the reader does not answer: its command is ended"
        case .slotPowerOff: "the reader does not answer: the power is taken from the card"
        case .deviceReset: "the reader does not answer: it is reset"
        case .recovered: "the reader answers again"
        case .staleAnswer: "the reader answers a command that was given up: passed over"
        case .dead: "the reader does not answer any more"
        }
    }
}
