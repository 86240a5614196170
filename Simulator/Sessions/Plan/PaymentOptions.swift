public import Simulator

/// How a payment of a simulated session is made, beside what it costs.
public struct PaymentOptions: Sendable {
    /// The card that is used; nil for the session's first one.
    public var card: String?
    /// What the person does who holds it, in place of what the card's profile says.
    public var cardholder: CardholderProfile?
    /// Whether the person presents the card and takes it out by themselves. Without, ``SessionAct`` does.
    public var presentsCard: Bool
    /// The person does nothing by themselves, typing and choosing included: ``SessionAct`` and
    /// ``SimulatedSession/choose(_:)`` do everything, and ``SimulatedSession/need`` tells what is waited for.
    public var isByHand: Bool
    /// Where the person stands; nil for the reader that is connected.
    public var reader: String?
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The issuer is to be asked whatever the card says.
    public var isForcedOnline: Bool

    /// What is left out is as usual: the first card, presented by its holder at the connected reader.
    public init(
        card: String? = nil, cardholder: CardholderProfile? = nil, presentsCard: Bool = true,
        isByHand: Bool = false, reader: String? = nil, cardTimeout: Duration = .seconds(60),
        isForcedOnline: Bool = false
    ) {
        (self.card, self.cardholder, self.presentsCard, self.reader) = (card, cardholder, presentsCard, reader)
        self.isByHand = isByHand
        (self.cardTimeout, self.isForcedOnline) = (cardTimeout, isForcedOnline)
    }
}
