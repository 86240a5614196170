public import Amounts

/// A payment to take.
public struct PayAction: Sendable {
    /// What is to be paid.
    public enum Bill: Hashable, Sendable {
        /// An amount that the clerk types.
        case amount(Money)
        /// An order of the store: its place in ``SiteSetup/unpaid``, counting from 1.
        case order(Int)
    }

    /// What is to be paid.
    public var bill: Bill
    /// What the customer presents, and how; nil for the scenario's own.
    public var card: CardSetup?
    /// Whether the person presents the card and takes it out by themselves.
    public var presentsCard: Bool
    /// How long the reader waits for a card.
    public var timeout: Duration
    /// Asks the issuer whatever the card says.
    public var forcesOnline: Bool

    public init(
        _ bill: Bill, card: CardSetup? = nil, presentsCard: Bool = true, timeout: Duration = .seconds(60),
        forcesOnline: Bool = false
    ) {
        (self.bill, self.card, self.presentsCard) = (bill, card, presentsCard)
        (self.timeout, self.forcesOnline) = (timeout, forcesOnline)
    }
}
