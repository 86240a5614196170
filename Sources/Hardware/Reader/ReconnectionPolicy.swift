/// Whether a reader that was lost is got back, and for how long that is tried.
public struct ReconnectionPolicy: Hashable, Sendable {
    public var isEnabled: Bool
    /// From the loss on.
    public var giveUpAfter: Duration
    /// The longest time for which a payment that is asked for meanwhile waits for the reader.
    public var paymentWait: Duration

    public init(isEnabled: Bool = true, giveUpAfter: Duration = .seconds(60), paymentWait: Duration = .seconds(5)) {
        (self.isEnabled, self.giveUpAfter, self.paymentWait) = (isEnabled, giveUpAfter, paymentWait)
    }

    /// A lost reader stays lost.
    public static let off = ReconnectionPolicy(isEnabled: false)
}
