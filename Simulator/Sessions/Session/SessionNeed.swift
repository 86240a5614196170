/// What a simulated session waits for that only a person can do; see ``PaymentOptions/isByHand``.
public enum SessionNeed: Hashable, Sendable {
    /// A card, in one of these ways: `insert`, `swipe`.
    case card(ways: [String])
    /// Somebody takes the card out.
    case removal
    /// Somebody types the PIN and confirms it, or cancels.
    case pin(isRetry: Bool, triesLeft: UInt8?, typedDigits: Int)
    /// Somebody chooses one of these applications.
    case application([String])
}
