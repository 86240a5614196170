/// What becomes of a card when a program connects anew to it, or lets it go (PC/SC part 5).
public enum PCSCDisposition: UInt, Hashable, Sendable {
    case leave = 0
    /// A warm reset.
    case reset = 1
    /// Power off; a cold reset where the card is used on.
    case unpower = 2
}
