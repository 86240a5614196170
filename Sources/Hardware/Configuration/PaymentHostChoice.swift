/// The payment hosts that a configuration can name.
public enum PaymentHostChoice: String, Hashable, Sendable, CaseIterable {
    /// The issuer of the simulated cards, in the same process. No money moves.
    case simulated
}
