/// Number, expiration date, and tracks of a card, in memory for secrets, for messages that are made when the card is
/// gone. It has no textual form, and is equal to itself only.
public final class KeptCard: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    public let pan: PrimaryAccountNumber
    /// YYMM in BCD, two bytes; empty when it is not known.
    public let expiry: SensitiveBytes
    /// Track 2 equivalent data (tag 57); empty when the card has none.
    public let trackTwo: SensitiveBytes
    /// The characters of track 1; empty when it was not read.
    public let trackOne: SensitiveBytes

    /// Takes the card data over. Data that is not there is empty.
    ///
    /// - Parameters:
    ///   - pan: the card number.
    ///   - expiry: YYMM in BCD, two bytes.
    ///   - trackTwo: track 2 equivalent data (tag 57).
    ///   - trackOne: the characters of track 1.
    public init(
        pan: consuming PrimaryAccountNumber, expiry: [UInt8], trackTwo: consuming SensitiveBytes,
        trackOne: consuming SensitiveBytes
    ) {
        self.pan = pan
        self.expiry = SensitiveBytes(expiry)
        self.trackTwo = trackTwo
        self.trackOne = trackOne
    }

    public static func == (one: KeptCard, other: KeptCard) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { "KeptCard(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SensitiveBytes {
    /// Returns a copy of what may not be there; empty when it is not.
    public static func copy(_ bytes: borrowing SensitiveBytes?) -> SensitiveBytes {
        switch bytes {
        case .some(let found): return found.duplicate()
        case .none: return SensitiveBytes([])
        }
    }
}
