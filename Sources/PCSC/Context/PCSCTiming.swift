/// How long to wait for pcscd, for a card and for other programs.
public struct PCSCTiming: Hashable, Sendable {
    /// For the answer to a call that reaches no card.
    public var command: Duration = .seconds(10)
    /// For the card while another program keeps it to itself, and for its activation.
    public var sharing: Duration = .seconds(5)
    /// For a whole command APDU.
    public var exchange: Duration = .seconds(60)
    /// For a call that was interrupted to return.
    public var interruption: Duration = .seconds(2)
    /// Between two tries of what another program is in the way of.
    public var retryInterval: Duration = .milliseconds(100)
    /// For pcscd to notice that a card or reader is gone with which an exchange failed. It looks every 0.4 seconds.
    public var removal: Duration = .seconds(1)
    /// Between two looks at the list of readers, besides pcscd's own notices: it does not tell of a reader that came
    /// between two calls.
    public var listInterval: Duration = .seconds(10)

    public init() {}
}
