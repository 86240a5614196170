public import Money

/// An event at the simulated acquirer, for people and logs. No event has card data.
public enum AcquirerEvent: Hashable, Sendable {
    case connected(peer: String)
    /// The reason is in words.
    case closed(peer: String, reason: String)
    /// Bytes that are no message of the profile.
    case malformed(peer: String, reason: String)
    case message(AcquirerReport)
    /// The ledger could not be written, so there was no answer.
    case ledgerFailed(AcquirerLedgerError)
}

/// One message, and what became of it.
public struct AcquirerReport: Hashable, Sendable {
    public var peer: String
    /// The message type as it came, for example `0421`.
    public var type: String
    /// The message of the profile, for example `offlineAdvice`; nil for an unknown one.
    public var kind: String?
    public var terminal: String?
    public var merchant: String?
    public var traceNumber: String?
    public var amount: Money?
    /// The last four digits of the card number.
    public var lastFour: String?
    /// Field 39 of the answer; nil without an answer.
    public var response: String?
    /// The response code in words; nil for an unknown one.
    public var meaning: String?
    /// What became of a message about money; nil when nothing was recorded.
    public var state: AcquirerRecord.State?
    /// Whether the message came before, and was answered as the first time.
    public var isRepeat = false
    /// Why it was not carried out, in words.
    public var refusal: String?
    public var fault: AcquirerFault.Kind?
}
