import EMV
import Money

/// The issuer's in-memory state of an account's card, and the decision rules.
struct IssuerSession {
    private var highestCounter: UInt16?
    private var seenCryptograms: Set<[UInt8]> = []
    private var wrongPINs = 0
    private var hasScripts = true

    /// Decides: first on the card, then the cardholder, then the amount. `spent` is the amount already paid in the
    /// currency, in minor units.
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

    /// Decides on a swiped card in the same order.
    mutating func decide(
        _ check: MagneticStripeCheck, account: IssuerAccount, amount: Money, spent: Int64
    ) -> IssuerDecision {
        if let refusal = check.refusal { return refusal }
        if let forced = account.responseCode { return IssuerDecision(responseCode: forced, .accountResponse) }
        guard !check.isExpired else { return IssuerDecision(.expiredCard, .expiredCard) }
        guard !check.isPINMissing else { return IssuerDecision(.pinRequired, .pinRequired) }
        if let refusal = takePIN(check.pin, account: account) { return refusal }
        return Self.decide(amount, account: account, spent: spent)
    }

    /// Decides whether what is held can be raised: the sum counts for the largest amount, and `spent` has what is held.
    static func decide(
        raising held: Int64, by amount: Money, account: IssuerAccount, spent: Int64
    ) -> IssuerDecision {
        if let forced = account.responseCode { return IssuerDecision(responseCode: forced, .accountResponse) }
        if let largest = account.largestAmount, largest.currency == amount.currency,
            held + amount.minorUnits > largest.minorUnits
        {
            return IssuerDecision(.overAmountLimit, .overAmountLimit)
        }
        return decide(amount, account: account, spent: spent)
    }

    private static func decide(_ amount: Money, account: IssuerAccount, spent: Int64) -> IssuerDecision {
        if let largest = account.largestAmount, largest.currency == amount.currency,
            amount.minorUnits > largest.minorUnits
        {
            return IssuerDecision(.overAmountLimit, .overAmountLimit)
        }
        if let available = account.available, exceeds(amount, available, spent: spent) {
            return IssuerDecision(.insufficientFunds, .insufficientFunds)
        }
        return IssuerDecision(.approved)
    }

    /// Returns whether an amount is more than what is available. The simulated issuer has no exchange rates: one unit
    /// of another currency is one unit of the account's. What was spent before counts in the account's currency only.
    private static func exceeds(_ amount: Money, _ available: Money, spent: Int64) -> Bool {
        guard available.currency != amount.currency else { return amount.minorUnits > available.minorUnits &- spent }
        // Each is scaled by the decimals of the other, so that 12.50 USD and 20 JPY compare as 12.50 and 20.
        return scaled(amount, by: available.currency) > scaled(available, by: amount.currency)
    }

    private static func scaled(_ amount: Money, by other: Currency) -> (high: Int64, low: UInt64) {
        amount.minorUnits.multipliedFullWidth(by: (0..<other.exponent).reduce(1) { scale, _ in scale * 10 })
    }

    /// Returns the account's scripts, only the first time.
    mutating func takeScripts(_ account: IssuerAccount) -> [IssuerScriptTemplate] {
        defer { hasScripts = false }
        return hasScripts ? IssuerScriptTemplate.grouping(account.scripts) : []
    }

    /// Checks that the cryptogram is new and the ATC high enough for the account; returns the refusal, or nil.
    private mutating func takeCounter(
        _ context: IssuerAuthenticationData.Context, account: IssuerAccount
    ) -> IssuerDeclineReason? {
        let isNew = seenCryptograms.insert(context.atc.bigEndianBytes + context.arqc).inserted
        let isRising = highestCounter.map { context.atc > $0 } ?? true
        highestCounter = max(highestCounter ?? 0, context.atc)
        guard isNew else { return .replayedCryptogram }
        return isRising || !account.requiresRisingCounter ? nil : .counterNotRising
    }

    /// Declines if neither card nor terminal could verify the cardholder.
    private static func refusal(_ results: TerminalVerificationResults) -> IssuerDecision? {
        guard results.contains(.cardholderVerificationFailed) else { return nil }
        if results.contains(.pinTryLimitExceeded) { return IssuerDecision(.tooManyPINTries, .tooManyPINTries) }
        return results.contains(.pinNotEntered)
            ? IssuerDecision(.pinRequired, .pinRequired) : IssuerDecision(.wrongPIN, .wrongPIN)
    }

    /// Counts consecutive wrong PINs; returns nil if the PIN is no reason to decline.
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

/// A fault between the terminal and the simulated issuer.
public enum IssuerFault: Hashable, Sendable {
    /// Nothing can be sent.
    case notReachable
    /// The message is lost: the issuer does not receive it, and the terminal cannot know.
    case requestLost
    /// The issuer processes the message, and its answer is lost.
    case answerLost
    /// The issuer processes the message and delays its answer by this time. Beyond ``SimulatedIssuer/longestWait``
    /// the answer is lost.
    case answerDelayed(Duration)

    /// Whether the issuer does not receive the message.
    var losesRequest: Bool { self == .notReachable || self == .requestLost }
}

/// When an ``IssuerFault`` applies.
public struct IssuerFaultRule: Hashable, Sendable {
    public var fault: IssuerFault
    public var messages: Set<IssuerMessageKind>
    /// The number of messages still affected; nil for all.
    public var remaining: Int?

    /// Applies a fault to messages of these kinds, `times` often; nil is always.
    public init(
        _ fault: IssuerFault, messages: Set<IssuerMessageKind> = Set(IssuerMessageKind.allCases), times: Int? = nil
    ) {
        (self.fault, self.messages, remaining) = (fault, messages, times)
    }
}
