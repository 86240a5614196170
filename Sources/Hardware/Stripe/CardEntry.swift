/// Which ways of presenting a card are open in a payment, by what has been tried.
///
/// A card with a chip has to be inserted. Its stripe counts only when the chip has failed often enough: then, and only
/// then, the terminal asks for it. A card that answered, and a payment that was declined, never lead there.
struct CardEntry: Hashable, Sendable {
    /// How many swipes that cannot be read are put up with.
    private static let maximumBadSwipes = 3

    /// What the reader can do.
    let available: CardReaderInput
    private let policy: MagneticStripePolicy
    private var chipFailures = 0
    private var badSwipes = 0
    private var mustInsert = false

    init(_ available: CardReaderInput, _ policy: MagneticStripePolicy) {
        self.policy = policy
        self.available = policy.isEnabled ? available : available.subtracting(.swipe)
    }

    /// Whether the stripe of a card with a chip is taken.
    var isFallback: Bool {
        policy.allowsFallback && chipFailures >= policy.chipFailures && available.contains(.swipe)
    }

    /// The ways that are open now.
    var inputs: CardReaderInput { isFallback ? .swipe : mustInsert ? .insert : available }

    /// The chip of an inserted card could not be read.
    ///
    /// - Returns: whether the payment goes on.
    mutating func chipFailed() -> Bool {
        guard policy.allowsFallback, available.isSuperset(of: [.insert, .swipe]) else { return false }
        chipFailures += 1
        return true
    }

    /// A stripe could not be read.
    ///
    /// - Returns: whether the payment goes on.
    mutating func swipeFailed() -> Bool {
        badSwipes += 1
        return badSwipes < Self.maximumBadSwipes
    }

    /// A card with a chip was swiped.
    ///
    /// - Returns: whether the payment goes on.
    mutating func chipCardSwiped() -> Bool {
        guard available.contains(.insert) else { return false }
        mustInsert = true
        return true
    }
}
