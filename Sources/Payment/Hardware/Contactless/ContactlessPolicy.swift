public import EntryPoint
public import Money

/// The limits of a terminal for tapped cards, by currency (EMV Contactless Book A §5.2).
public struct ContactlessPolicy: Hashable, Sendable {
    /// Amounts of at least these are not tapped. Where there are any, other currencies are not tapped at all; empty for
    /// no limit.
    public var transactionLimits: [Money]
    /// From these amounts on the cardholder is verified. In other currencies: from 50 units on.
    public var verificationLimits: [Money]
    /// Amounts above these go online. In other currencies: every amount.
    public var floorLimits: [Money]
    /// Whether one unit of the currency asks the issuer for the status of the account.
    public var checksStatus: Bool
    public var allowsZeroAmount: Bool

    /// Sets the limits. By default every amount goes online, and from 50 units of the currency on the cardholder is
    /// verified.
    public init(
        transactionLimits: [Money] = [], verificationLimits: [Money] = [], floorLimits: [Money] = [],
        checksStatus: Bool = false, allowsZeroAmount: Bool = true
    ) {
        (self.transactionLimits, self.verificationLimits) = (transactionLimits, verificationLimits)
        (self.floorLimits, self.checksStatus, self.allowsZeroAmount) = (floorLimits, checksStatus, allowsZeroAmount)
    }

    /// The amount from which the cardholder is verified, unless the terminal has another one; in whole units of the
    /// currency.
    public static let standardVerificationLimit: Int64 = 50

    /// Returns the limits for payments in a currency; nil takes no taps in it. There is always a floor limit, and one
    /// of cardholder verification.
    public func limits(in currency: Currency) -> ContactlessLimits? {
        func amount(_ limits: [Money]) -> Money? { limits.first { $0.currency == currency } }
        guard transactionLimits.isEmpty || amount(transactionLimits) != nil else { return nil }
        let unit = (0..<max(0, currency.exponent)).reduce(Int64(1)) { power, _ in power * 10 }
        guard
            let floor = amount(floorLimits) ?? (try? Money(minorUnits: 0, currency: currency)),
            let verification = amount(verificationLimits)
                ?? (try? Money(minorUnits: Self.standardVerificationLimit * unit, currency: currency))
        else { return nil }
        return try? ContactlessLimits(
            transaction: amount(transactionLimits), floor: floor, cvmRequired: verification)
    }
}
