/// Why a command got no answer.
public enum CardChannelError: Error, Hashable, Sendable {
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
}
