public import Simulator

/// A card in somebody's hand.
public struct CardSetup: Sendable {
    /// What the scenario calls it: one name is one piece of plastic, with its counters, however often it is presented.
    public var name: String
    /// The card, its account, and what the person does this time.
    public var profile: CardProfile

    public init(name: String, profile: CardProfile) { (self.name, self.profile) = (name, profile) }
}
