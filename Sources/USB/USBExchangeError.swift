/// Which half of an exchange failed, and how.
public enum USBExchangeError: Error, Hashable, Sendable {
    /// The bytes did not go out, or nobody knows whether they did.
    case write(USBError)
    /// They went out, and nothing came back.
    case read(USBError)
}
