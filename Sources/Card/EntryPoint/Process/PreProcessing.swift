public import EMV
public import Money

/// The results of pre-processing for one reader combination, which its kernel receives (EMV Contactless Book B §3.1.1).
public struct PreProcessingIndicators: Hashable, Sendable {
    /// The transaction checks the status of the card's account: its amount is one unit of the currency.
    public private(set) var isStatusCheckRequested = false
    /// The combination is not offered to the card.
    public private(set) var isNotAllowed = false
    public private(set) var isZeroAmount = false
    public private(set) var exceedsCVMLimit = false
    public private(set) var exceedsFloorLimit = false
    /// Tag 9F66 for this transaction; nil if the combination has none.
    public private(set) var qualifiers: TerminalTransactionQualifiers?

    /// Takes the qualifiers as they are configured, as Start B does without pre-processing (§3.2.1.1).
    public init(unprocessed combination: ReaderCombination) { qualifiers = combination.qualifiers }

    /// Applies the limits of a combination to an amount in their currency (§3.1.1.1 to §3.1.1.12).
    public init(_ combination: ReaderCombination, amount: Money) {
        let (limits, minorUnits) = (combination.limits, amount.minorUnits)
        isStatusCheckRequested = combination.checksStatus && minorUnits == Self.unit(of: amount.currency)
        if minorUnits == 0 {
            isZeroAmount = combination.allowsZeroAmount
            isNotAllowed = !combination.allowsZeroAmount
        }
        if let limit = limits.transaction, minorUnits >= limit.minorUnits { isNotAllowed = true }
        if let limit = limits.floor ?? limits.terminalFloor { exceedsFloorLimit = minorUnits > limit.minorUnits }
        if let limit = limits.cvmRequired { exceedsCVMLimit = minorUnits >= limit.minorUnits }

        guard var demanded = combination.qualifiers?.subtracting([.onlineCryptogramRequired, .cvmRequired]) else {
            return
        }
        if exceedsFloorLimit || isStatusCheckRequested { demanded.insert(.onlineCryptogramRequired) }
        if isZeroAmount {
            if demanded.contains(.offlineOnly) {
                isNotAllowed = true
            } else {
                demanded.insert(.onlineCryptogramRequired)
            }
        }
        if exceedsCVMLimit { demanded.insert(.cvmRequired) }
        qualifiers = demanded
    }

    /// The minor units of one unit of a currency: 100 with two decimals, 1 without.
    private static func unit(of currency: Currency) -> Int64 {
        (0..<max(0, currency.exponent)).reduce(1) { unit, _ in unit * 10 }
    }
}
