/// Why a reader is not connected any more.
public enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The program asked for it.
    case requested
    /// The device was unplugged.
    case unplugged
    /// The device stopped answering; the text is the last error.
    case failed(String)

    public var description: String {
        switch self {
        case .requested: "disconnected on request"
        case .unplugged: "the reader was unplugged"
        case .failed(let error): "the reader stopped answering: \(error)"
        }
    }
}
