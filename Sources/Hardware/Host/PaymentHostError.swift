/// Why a host gave no answer. None of these is a decline.
public enum PaymentHostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing left this machine: it is safe to try again or to give up.
    case notSent(String)
    /// The message may have arrived: only a reversal or an inquiry tells.
    case outcomeUnknown(String)

    public var description: String {
        switch self {
        case .notSent(let reason): "the payment host could not be reached: \(reason)"
        case .outcomeUnknown(let reason): "the payment host did not answer: \(reason)"
        }
    }
}
