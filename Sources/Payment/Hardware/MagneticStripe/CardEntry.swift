public import MagneticStripe

/// The entry modes that are open in a payment, depending on what has been tried.
///
/// A card with a chip must be inserted. Its stripe is accepted only after the chip has failed often enough; then the
/// terminal asks for it. A card that answered, or a declined payment, never leads to a fallback.
struct CardEntry: Hashable, Sendable {
    /// The number of unreadable swipes that are tolerated.
    private static let maximumBadSwipes = 3

    /// The inputs that the reader supports, and that no card has closed.
    private(set) var available: CardReaderInput
    private let policy: MagneticStripePolicy
    private var chipFailures = 0
    private var badSwipes = 0
    private var mustInsert = false

    init(_ available: CardReaderInput, _ policy: MagneticStripePolicy) {
        self.policy = policy
        self.available = policy.isEnabled ? available : available.subtracting(.swipe)
    }

    /// Whether the stripe of a card with a chip is accepted.
    var isFallback: Bool {
        policy.allowsFallback && chipFailures >= policy.chipFailures && available.contains(.swipe)
    }

    /// The inputs that are open now.
    var inputs: CardReaderInput { isFallback ? .swipe : mustInsert ? .insert : available }

    /// Closes the contactless field for the rest of the payment: it can't pay this amount, a card on another input was
    /// first, or the tapped card needs another one.
    mutating func closeField() { available.remove(.tap) }

    /// Records that the slot is a contactless field.
    mutating func slotIsField() {
        available.remove(.insert)
        available.insert(.tap)
        mustInsert = false
    }

    /// Records that the chip of an inserted card could not be read.
    ///
    /// - Returns: Whether the payment continues.
    mutating func chipFailed() -> Bool {
        guard policy.allowsFallback, available.isSuperset(of: [.insert, .swipe]) else { return false }
        chipFailures += 1
        return true
    }

    /// Records that a stripe could not be read.
    ///
    /// - Returns: Whether the payment continues.
    mutating func swipeFailed() -> Bool {
        badSwipes += 1
        return badSwipes < Self.maximumBadSwipes
    }

    /// Records that a card with a chip was swiped.
    ///
    /// - Returns: Whether the payment continues.
    mutating func chipCardSwiped() -> Bool {
        guard available.contains(.insert) else { return false }
        mustInsert = true
        return true
    }
}

/// The till's policy for magnetic stripes.
public struct MagneticStripePolicy: Hashable, Sendable {
    /// Whether magnetic stripes are accepted.
    public var isEnabled: Bool
    /// Whether a card whose chip cannot be read may be swiped.
    public var allowsFallback: Bool
    /// How often the chip must fail before a fallback: 1...9.
    public var chipFailures: Int
    /// How the program accesses a reader's HID reports.
    public var path: HIDAccess
    /// The reader models that cannot be recognized from their descriptors.
    public var readers: [MagneticStripeReaderModel]

    /// Sets the policy. `chipFailures` is how often a chip must fail before a swipe is taken in its place.
    public init(
        isEnabled: Bool = true, allowsFallback: Bool = true, chipFailures: Int = 3, path: HIDAccess = .usb,
        readers: [MagneticStripeReaderModel] = MagneticStripeReaderModel.known
    ) {
        (self.isEnabled, self.allowsFallback, self.chipFailures) = (isEnabled, allowsFallback, chipFailures)
        (self.path, self.readers) = (path, readers)
    }

    /// Magnetic stripes are not accepted.
    public static let none = MagneticStripePolicy(isEnabled: false)
}
