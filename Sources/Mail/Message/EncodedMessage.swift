/// A message as it is sent or kept in a file (RFC 5322, RFC 2045): ASCII, in lines of at most 998 characters.
public struct EncodedMessage: Hashable, Sendable {
    /// Names the message among all messages, with its angle brackets.
    public let messageID: String
    /// Lines that end with CR and LF.
    public let bytes: [UInt8]

    /// The same with lines that end with LF alone, as programs of the system have text.
    public var systemBytes: [UInt8] { bytes.filter { $0 != 0x0D } }
}
