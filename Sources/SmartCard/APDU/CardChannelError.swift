/// Why a command got no answer.
public enum CardChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card was pulled out.
    case cardRemoved
    /// The card is there and says nothing.
    case cardMute
    /// No answer before the deadline.
    case timedOut
    /// The reader itself is gone or does not answer.
    case readerUnavailable(String)
    /// The card or the reader broke the transmission protocol; the text says where.
    case protocolViolation(String)
    /// The command cannot be carried by this protocol or reader, for example an extended length in T=0.
    case notSupported(String)
    /// The task was cancelled while the exchange ran.
    case cancelled

    public var description: String {
        switch self {
        case .cardRemoved: "the card was pulled out: insert it again"
        case .cardMute: "the card does not answer: check that it is the right way round, chip first"
        case .timedOut: "the card did not answer in time: insert it again"
        case .readerUnavailable(let reason): "the card reader does not answer (\(reason)): check its cable"
        case .protocolViolation(let place):
            "card and reader do not understand each other (\(place)): insert the card again"
        case .notSupported(let what): "card or reader cannot carry the command (\(what))"
        case .cancelled: "the exchange with the card was cancelled"
        }
    }
}
