public import Amounts
public import Hardware

/// How a recorded payment was made, and how it ended.
public struct RecordedPayment: Sendable {
    /// With its tip.
    public var amount: Money
    /// What else was asked for that a scenario cannot repeat, in words for people.
    public var leftOut: [String] = []
    /// How long the reader waited for a card.
    public var timeout: Duration
    /// The issuer was to be asked whatever the card says.
    public var isForcedOnline: Bool
    /// `approved`, `declined`, …
    public var outcome: String
    /// The error's word for programs; nil when there was none.
    public var errorCode: String?
    /// What the records make of it; nil when it is not in them.
    public var state: String?
    /// What was read of the card; nil when no card was read.
    public var card: CardPresentTransactionDetails?
    /// The lines of the customer's receipt that do not hang on when and where it was issued.
    public var receipt: [String] = []

    public init(
        amount: Money, timeout: Duration = .seconds(60), isForcedOnline: Bool = false, outcome: String,
        errorCode: String? = nil, state: String? = nil, card: CardPresentTransactionDetails? = nil
    ) {
        (self.amount, self.timeout, self.isForcedOnline) = (amount, timeout, isForcedOnline)
        (self.outcome, self.errorCode, self.state, self.card) = (outcome, errorCode, state, card)
    }
}
