internal import Amounts
internal import EMV

/// What the issuer remembers of an account's card as long as it runs, and its rules.
struct IssuerSession {
    private var highestCounter: UInt16?
    private var seenCryptograms: Set<[UInt8]> = []
    private var wrongPINs = 0
    private var hasScripts = true

    /// The decision: the card first, then its holder, then the money. `spent` is what the account has paid in
    /// the currency of the amount, in minor units.
    mutating func decide(
        _ check: CardCheck, account: IssuerAccount, amount: Money, spent: Int64
    ) -> IssuerDecision {
        switch check.cryptogram {
        case .refused(let reason): return IssuerDecision(.cryptographicFailure, reason)
        case .genuine(let context):
            if let reason = takeCounter(context, account: account) {
                return IssuerDecision(.cryptographicFailure, reason)
            }
        }
        if let forced = account.responseCode { return IssuerDecision(responseCode: forced, .accountResponse) }
        guard !check.isExpired else { return IssuerDecision(.expiredCard, .expiredCard) }
        if let refusal = Self.refusal(check.verificationResults) { return refusal }
        if let refusal = takePIN(check.pin, account: account) { return refusal }
        return Self.decide(amount, account: account, spent: spent)
    }

    /// The decision about a swiped card, in the same order.
    mutating func decide(
        _ check: StripeCheck, account: IssuerAccount, amount: Money, spent: Int64
    ) -> IssuerDecision {
        if let refusal = check.refusal { return refusal }
        if let forced = account.responseCode { return IssuerDecision(responseCode: forced, .accountResponse) }
        guard !check.isExpired else { return IssuerDecision(.expiredCard, .expiredCard) }
        guard !check.isPINMissing else { return IssuerDecision(.pinRequired, .pinRequired) }
        if let refusal = takePIN(check.pin, account: account) { return refusal }
        return Self.decide(amount, account: account, spent: spent)
    }

    private static func decide(_ amount: Money, account: IssuerAccount, spent: Int64) -> IssuerDecision {
        if let largest = account.largestAmount, largest.currency == amount.currency,
            amount.minorUnits > largest.minorUnits
        {
            return IssuerDecision(.overAmountLimit, .overAmountLimit)
        }
        if let available = account.available, available.currency == amount.currency,
            amount.minorUnits > available.minorUnits &- spent
        {
            return IssuerDecision(.insufficientFunds, .insufficientFunds)
        }
        return IssuerDecision(.approved)
    }

    /// The account's scripts, the first time that they are asked for.
    mutating func takeScripts(_ account: IssuerAccount) -> [IssuerScriptTemplate] {
        defer { hasScripts = false }
        return hasScripts ? IssuerScriptTemplate.grouping(account.scripts) : []
    }

    /// Why the cryptogram is no new one, or its counter not high enough for the account; nil when nothing is wrong.
    private mutating func takeCounter(
        _ context: IssuerAuthenticationData.Context, account: IssuerAccount
    ) -> IssuerDeclineReason? {
        let isNew = seenCryptograms.insert(context.atc.bigEndianBytes + context.arqc).inserted
        let isRising = highestCounter.map { context.atc > $0 } ?? true
        highestCounter = max(highestCounter ?? 0, context.atc)
        guard isNew else { return .replayedCryptogram }
        return isRising || !account.requiresRisingCounter ? nil : .counterNotRising
    }

    /// A cardholder whom neither card nor terminal could verify does not pay.
    private static func refusal(_ results: TerminalVerificationResults) -> IssuerDecision? {
        guard results.contains(.cardholderVerificationFailed) else { return nil }
        if results.contains(.pinTryLimitExceeded) { return IssuerDecision(.tooManyPINTries, .tooManyPINTries) }
        return results.contains(.pinNotEntered)
            ? IssuerDecision(.pinRequired, .pinRequired) : IssuerDecision(.wrongPIN, .wrongPIN)
    }

    /// Counts wrong PINs in a row; nil when the PIN is no reason to decline.
    private mutating func takePIN(_ pin: IssuerPINCheck.Result, account: IssuerAccount) -> IssuerDecision? {
        guard pin != .notGiven else { return nil }
        guard wrongPINs < account.pinTryLimit else { return IssuerDecision(.tooManyPINTries, .tooManyPINTries) }
        guard pin == .right else {
            wrongPINs += 1
            return IssuerDecision(.wrongPIN, .wrongPIN)
        }
        wrongPINs = 0
        return nil
    }
}
