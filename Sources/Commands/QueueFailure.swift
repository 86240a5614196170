/// Why a command that was put into a ``CommandQueue`` has no value.
public enum QueueFailure<Failure: Error>: Error {
    /// The command was carried out, and failed.
    case failed(Failure)
    /// Whoever waited for it was cancelled, and it was not begun, or others still wait for it.
    case cancelled
}

extension QueueFailure: Equatable where Failure: Equatable {}
extension QueueFailure: Hashable where Failure: Hashable {}

extension QueueFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .failed(let failure): "\(failure)"
        case .cancelled: "cancelled"
        }
    }
}
