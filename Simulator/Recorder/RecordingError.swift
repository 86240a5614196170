/// Why a payment cannot be written down as a scenario. It says nothing of the card.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scenario cannot be written, or what was written cannot be read.
    case notWritable(String)
    /// What was written does not play as it says, however often its expectations are corrected.
    case notReplayable(String)

    public var description: String {
        switch self {
        case .notWritable(let reason): "the payment cannot be written as a scenario: \(reason)"
        case .notReplayable(let reason): "the recording does not play again: \(reason)"
        }
    }
}
