public import Simulator

/// A card of a simulated session, with its account at the issuer and the person who holds it.
public struct PlannedCard: Sendable {
    /// What the session's steps call it.
    public var name: String
    /// The card, its account and its holder.
    public var profile: CardProfile

    /// - Parameters:
    ///   - profile: the card; its own name is what the steps call it when no other is given.
    ///   - name: what the session's steps call it.
    public init(_ profile: CardProfile, name: String? = nil) {
        (self.name, self.profile) = (name ?? profile.name, profile)
    }
}
