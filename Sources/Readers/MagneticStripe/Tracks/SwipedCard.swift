public import CardSecrets
public import Determinism

/// The result of one swipe: every readable track, and the faults of the others.
public struct MagneticStripe: ~Copyable, Sendable {
    public let trackOne: AccountTrack?
    public let trackTwo: AccountTrack?
    public let trackThree: FinancialTrack?
    /// The faults in the order of the tracks; none for an empty track.
    public let faults: [TrackError]

    /// Decodes the tracks that a reader delivered.
    public init(
        one: consuming TrackReading = .absent, two: consuming TrackReading = .absent,
        three: consuming TrackReading = .absent
    ) {
        var faults: [TrackError] = []
        trackOne = Self.account(.one, one, &faults)
        trackTwo = Self.account(.two, two, &faults)
        trackThree = Self.financial(three, &faults)
        self.faults = faults
    }

    private static func account(
        _ track: MagneticTrack, _ reading: borrowing TrackReading, _ faults: inout [TrackError]
    ) -> AccountTrack? {
        do throws(TrackError) {
            switch reading {
            case .absent: return nil
            case .failed(let fault): throw TrackError(track, fault)
            case .read(let delivery): return try AccountTrack(track, delivery)
            }
        } catch {
            faults.append(error)
            return nil
        }
    }

    private static func financial(
        _ reading: borrowing TrackReading, _ faults: inout [TrackError]
    ) -> FinancialTrack? {
        do throws(TrackError) {
            switch reading {
            case .absent: return nil
            case .failed(let fault): throw TrackError(.three, fault)
            case .read(let delivery): return try FinancialTrack(delivery)
            }
        } catch {
            faults.append(error)
            return nil
        }
    }
}

/// The data of a swiped card that a payment needs: account number, expiration date, service code, and tracks.
public struct SwipedCard: ~Copyable, Sendable {
    public let pan: PrimaryAccountNumber
    public let expiry: CardExpiry
    public let serviceCode: ServiceCode
    /// The content of track 1, in ASCII (DE 45); nil when it could not be read.
    public let trackOne: SensitiveBytes?
    /// Track 2 as EMV's track 2 equivalent data (tag 57), which is DE 35 in four bits a digit; nil when it could not
    /// be read.
    public let trackTwo: SensitiveBytes?

    /// Takes account number, expiration date, and service code from track 2, or from track 1 when only that could be
    /// read. Where both could be read they must agree, so that no chip in the service code is overlooked.
    ///
    /// - Throws: ``SwipedCardError``
    public init(_ stripe: borrowing MagneticStripe) throws(SwipedCardError) {
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
    ) throws(SwipedCardError) {
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
    /// Returns whether the other track has the same expiration date and service code. A missing field is not a
    /// contradiction.
    fileprivate borrowing func agrees(with other: borrowing AccountTrack) -> Bool {
        let (expiry, otherExpiry) = (expiry, other.expiry)
        let (code, otherCode) = (serviceCode, other.serviceCode)
        let isSameExpiry = expiry == nil || otherExpiry == nil || expiry == otherExpiry
        return isSameExpiry && (code == nil || otherCode == nil || code == otherCode)
    }
}

/// The reason why a swiped card cannot be used for a payment.
public enum SwipedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Neither track 1 nor track 2 could be read.
    case unreadable([TrackError])
    /// The reader encrypts the tracks with a key that this program does not have.
    case encrypted
    /// Tracks 1 and 2 name different accounts.
    case accountMismatch
    /// Tracks 1 and 2 differ in the expiration date or the service code: one of them may be forged.
    case trackMismatch
    /// The account number's check digit is wrong.
    case checkDigit
    /// The card has no expiration date.
    case noExpiry
    /// The card has no service code.
    case noServiceCode

    public var description: String {
        switch self {
        // An empty stripe, or a damaged one in a reader that does not distinguish them.
        case .unreadable(let faults) where faults.isEmpty:
            "nothing could be read from the magnetic stripe: swipe the card again"
        case .unreadable(let faults):
            "the magnetic stripe could not be read (" + faults.map(\.description).joined(separator: "; ")
                + "): swipe the card again"
        case .encrypted:
            "the magnetic stripe reader encrypts card data with a key that is not available: use another reader"
        case .accountMismatch: "the card's tracks 1 and 2 have different account numbers: use another card"
        case .trackMismatch:
            "the card's tracks 1 and 2 differ in the expiration date or the service code: use another card"
        case .checkDigit: "the check digit of the card's account number is wrong: swipe the card again"
        case .noExpiry: "the card's magnetic stripe has no expiration date: use another card"
        case .noServiceCode: "the card's magnetic stripe has no service code: use another card"
        }
    }
}

/// The expiration date of a card: the last month in which it may be used, YYMM on the stripe.
public struct CardExpiry: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int

    /// Reads YYMM as a number; nil when there is no such month. Years 00 to 49 are 2000 to 2049, as on chips
    /// (EMV Book 4 §6.7.3).
    public init?(yearAndMonth digits: Int) {
        guard (0...9999).contains(digits), (1...12).contains(digits % 100) else { return nil }
        let short = digits / 100
        (year, month) = (short < 50 ? 2000 + short : 1900 + short, digits % 100)
    }

    /// YYMM in BCD, two bytes: DE 14.
    public var encoded: [UInt8] { [year % 100, month].map { UInt8(truncatingIfNeeded: ($0 / 10) << 4 | $0 % 10) } }

    /// Returns whether the month is over.
    public func isOver(on date: CivilDate) -> Bool { (year, month) < (date.year, date.month) }
}
