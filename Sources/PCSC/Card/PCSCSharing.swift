/// What other programs may do with a card while this one is connected to it (PC/SC part 5).
public enum PCSCSharing: UInt, Hashable, Sendable {
    /// Nothing: they cannot connect.
    case exclusive = 1
    /// Connect, and exchange commands outside of a transaction.
    case shared = 2
    /// The reader is meant, not the card: there need not be one.
    case direct = 3
}
