internal import Determinism
internal import Simulator

/// A card of the session. It is the same card all along: its counters go on, and what its issuer's scripts do to it
/// stays.
struct SessionCard: Sendable {
    let name: String
    let profile: CardProfile
    let chip: any SimulatedCard
    let stripe: SimulatedStripe?

    /// - Throws: a failure of libcrypto, or of a profile that describes no card.
    init(_ planned: PlannedCard, keys: TestKeys, random: any RandomSource) throws {
        (name, profile) = (planned.name, planned.profile)
        chip =
            if let recording = profile.recording {
                RecordedCard(recording)
            } else {
                try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card \(planned.name)"))
            }
        stripe = try profile.stripe.map { try SimulatedStripe($0, keys: keys) }
    }
}
