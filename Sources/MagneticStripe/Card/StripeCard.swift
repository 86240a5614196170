public import CardSecrets

/// What a payment needs of a swiped card: the account, and what its issuer says about its use.
public struct StripeCard: ~Copyable, Sendable {
    public let pan: PrimaryAccountNumber
    public let expiry: StripeExpiry
    public let serviceCode: ServiceCode
    /// The content of track 1, in ASCII (DE 45); nil when it could not be read.
    public let trackOne: SensitiveBytes?
    /// Track 2 as EMV's track 2 equivalent data (tag 57), which is DE 35 in four bits a digit; nil when it could not
    /// be read.
    public let trackTwo: SensitiveBytes?

    /// Takes account, expiry and service code from track 2, or from track 1 when that alone could be read. Where both
    /// could be read they have to agree: a chip that one of them tells of is not overlooked.
    ///
    /// - Throws: ``StripeCardError``
    public init(_ stripe: borrowing MagneticStripe) throws(StripeCardError) {
        guard !stripe.faults.contains(where: { $0.fault == .encrypted }) else { throw .encrypted }
        switch stripe.trackTwo {
        case .some(let two):
            switch stripe.trackOne {
            case .some(let one):
                guard one.pan.isEqual(to: two.pan) else { throw .accountMismatch }
                guard one.agrees(with: two) else { throw .trackMismatch }
                try self.init(two, trackOne: one.content.duplicate())
            case .none: try self.init(two, trackOne: nil)
            }
        case .none:
            switch stripe.trackOne {
            case .some(let one): try self.init(one, trackOne: one.content.duplicate())
            case .none: throw .unreadable(stripe.faults)
            }
        }
    }

    private init(
        _ track: borrowing AccountTrack, trackOne: consuming SensitiveBytes?
    ) throws(StripeCardError) {
        guard track.pan.hasValidCheckDigit else { throw .checkDigit }
        guard let expiry = track.expiry else { throw .noExpiry }
        guard let serviceCode = track.serviceCode else { throw .noServiceCode }
        pan = track.pan.duplicate()
        (self.expiry, self.serviceCode) = (expiry, serviceCode)
        self.trackOne = trackOne
        trackTwo = track.equivalentData()
    }
}

extension AccountTrack {
    /// Whether the other track says the same about the card's use. What one of them leaves out is no contradiction.
    fileprivate borrowing func agrees(with other: borrowing AccountTrack) -> Bool {
        let (expiry, otherExpiry) = (expiry, other.expiry)
        let (code, otherCode) = (serviceCode, other.serviceCode)
        let isSameExpiry = expiry == nil || otherExpiry == nil || expiry == otherExpiry
        return isSameExpiry && (code == nil || otherCode == nil || code == otherCode)
    }
}
