/// What the terminal lets a cardholder do about the PIN (EMV Book 4 §6.3.4).
public struct PINPolicy: Hashable, Sendable {
    /// PIN entry may be passed over. When it may not, passing it over stops the payment.
    public var allowsBypass: Bool
    /// A PIN passed over once is asked for no more, whatever PIN method comes next in the card's list.
    public var bypassCoversLaterMethods: Bool
    /// How often the PIN is asked for in one transaction, whatever the card's own counter says; at least 1.
    public var maximumTries: Int

    public init(allowsBypass: Bool = true, bypassCoversLaterMethods: Bool = true, maximumTries: Int = 3) {
        (self.allowsBypass, self.bypassCoversLaterMethods) = (allowsBypass, bypassCoversLaterMethods)
        self.maximumTries = max(1, maximumTries)
    }
}
