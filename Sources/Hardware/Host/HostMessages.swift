public import Amounts
public import SmartCard

/// Takes an authorisation back (0400/0420).
public struct ReversalRequest: Hashable, Sendable {
    /// Why, as the host is told.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The answer did not come, or came after the terminal had given up.
        case timeout
        /// The card declined after the host had approved.
        case cardDeclined
        /// The merchant or the cardholder cancelled.
        case cancelled
        /// This program was killed in the middle.
        case interrupted
    }

    /// The key of the attempt that is taken back.
    public var key: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    public var reason: Reason

    public init(key: IdempotencyKey, stan: UInt32, amount: Money, reason: Reason) {
        (self.key, self.stan, self.amount, self.reason) = (key, stan, amount, reason)
    }
}

/// Tells of an offline approval (0220).
public struct AdviceRequest: Hashable, Sendable {
    public var key: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    /// The last four digits, all that the terminal keeps of the PAN.
    public var lastFour: String
    /// The ICC data with the transaction certificate.
    public var iccData: [BERTLV]

    public init(key: IdempotencyKey, stan: UInt32, amount: Money, lastFour: String, iccData: [BERTLV]) {
        (self.key, self.stan, self.amount) = (key, stan, amount)
        (self.lastFour, self.iccData) = (lastFour, iccData)
    }
}

/// Gives money back for an earlier payment (0200 with processing code 20).
public struct HostRefundRequest: Hashable, Sendable {
    public var key: IdempotencyKey
    /// The key of the payment that money is given back for.
    public var original: IdempotencyKey
    public var stan: UInt32
    public var amount: Money

    public init(key: IdempotencyKey, original: IdempotencyKey, stan: UInt32, amount: Money) {
        (self.key, self.original, self.stan, self.amount) = (key, original, stan, amount)
    }
}

/// What the host knows of a key.
public enum InquiryResult: Hashable, Sendable {
    /// The host never saw it: no money moved.
    case notFound
    case approved(AuthorizationResponse)
    case declined(AuthorizationResponse)
    case reversed
}
