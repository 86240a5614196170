internal import Amounts
internal import EMV

/// What the issuer remembers of an account's card as long as it runs, and its rules.
struct IssuerSession {
    private var highestCounter: UInt16?
    private var seenCryptograms: Set<[UInt8]> = []
    private var wrongPINs = 0
    private var hasScripts = true

    /// The response code: the card first, then its holder, then the money. `spent` is what the account
    /// has paid in the currency of the amount, in minor units.
    mutating func decide(_ check: CardCheck, account: IssuerAccount, amount: Money, spent: Int64) -> String {
        guard case .genuine(let context) = check.cryptogram, takeCounter(context, account: account) else {
            return ResponseCode.cryptographicFailure.rawValue
        }
        if let forced = account.responseCode { return forced }
        guard !check.isExpired else { return ResponseCode.expiredCard.rawValue }
        if let refusal = Self.refusal(check.verificationResults) { return refusal.rawValue }
        if let refusal = takePIN(check.pin, account: account) { return refusal.rawValue }
        if let largest = account.largestAmount, largest.currency == amount.currency,
            amount.minorUnits > largest.minorUnits
        {
            return ResponseCode.overAmountLimit.rawValue
        }
        if let available = account.available, available.currency == amount.currency,
            amount.minorUnits > available.minorUnits &- spent
        {
            return ResponseCode.insufficientFunds.rawValue
        }
        return ResponseCode.approved.rawValue
    }

    /// The account's scripts, the first time that they are asked for.
    mutating func takeScripts(_ account: IssuerAccount) -> [IssuerScriptCommand] {
        defer { hasScripts = false }
        return hasScripts ? account.scripts : []
    }

    /// Whether the cryptogram is a new one, and its counter high enough for the account.
    private mutating func takeCounter(_ context: IssuerAuthenticationData.Context, account: IssuerAccount) -> Bool {
        let isNew = seenCryptograms.insert(context.atc.bigEndianBytes + context.arqc).inserted
        let isRising = highestCounter.map { context.atc > $0 } ?? true
        highestCounter = max(highestCounter ?? 0, context.atc)
        return isNew && (isRising || !account.requiresRisingCounter)
    }

    /// A cardholder whom neither card nor terminal could verify does not pay.
    private static func refusal(_ results: TerminalVerificationResults) -> ResponseCode? {
        guard results.contains(.cardholderVerificationFailed) else { return nil }
        if results.contains(.pinTryLimitExceeded) { return .tooManyPINTries }
        return results.contains(.pinNotEntered) ? .pinRequired : .wrongPIN
    }

    /// Counts wrong PINs in a row; nil when the PIN is no reason to decline.
    private mutating func takePIN(_ pin: CardCheck.PIN, account: IssuerAccount) -> ResponseCode? {
        guard pin != .notGiven else { return nil }
        guard wrongPINs < account.pinTryLimit else { return .tooManyPINTries }
        guard pin == .right else {
            wrongPINs += 1
            return .wrongPIN
        }
        wrongPINs = 0
        return nil
    }
}
