public import Determinism

/// What is done to get a reader back that was lost. A payment that was interrupted is never taken up by it.
public enum CardReaderReconnectionState: Hashable, Sendable {
    /// No reader was lost, or nobody wants it back.
    case idle
    /// The reader is waited for and opened again. `attempt` counts from 1 how often that was tried; it is 0 as long as
    /// the reader is away. `since` is when it was lost.
    case reconnecting(CardReader, attempt: Int, since: Timestamp)
    /// The reader is connected again.
    case succeeded(CardReader)
    case failed(CardReader, CardReaderReconnectionFailure)

    /// Whether a reader is being got back.
    public var isReconnecting: Bool {
        if case .reconnecting = self { true } else { false }
    }
}

/// Why a lost reader was not got back.
public enum CardReaderReconnectionFailure: Hashable, Sendable, CustomStringConvertible {
    /// It did not come back in time; with the error of the last attempt to open it, if there was one.
    case gaveUp(after: Duration, last: UnderlyingError?)
    /// It came back and cannot be used any more.
    case refused(UnderlyingError)
    /// The program asked for it, or for another reader.
    case cancelled

    public var description: String {
        switch self {
        case .gaveUp(let time, let last):
            "the reader did not come back within \(time.components.seconds) seconds"
                + (last.map { ": \($0)" } ?? "")
        case .refused(let error): "the reader came back and cannot be used: \(error)"
        case .cancelled: "cancelled"
        }
    }
}
