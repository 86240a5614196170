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
    /// How the transaction ended at the card; empty when nobody knows any more.
    public var iccData: [BERTLV]

    public init(key: IdempotencyKey, stan: UInt32, amount: Money, reason: Reason, iccData: [BERTLV] = []) {
        (self.key, self.stan, self.amount, self.reason) = (key, stan, amount, reason)
        self.iccData = iccData
    }
}

/// Tells the issuer what it was not asked, or does not know yet (0120, 0220).
public struct AdviceRequest: Hashable, Sendable {
    /// What it tells of.
    public enum Purpose: String, Hashable, Sendable, Codable {
        /// A payment that the card approved offline, to be cleared (0220). It moves money.
        case offlineApproval
        /// A payment that was declined offline, where the card wants the issuer told (9F27 b4).
        case offlineDecline
        /// What became of the issuer's scripts (9F5B).
        case completion

        /// Whether the payment is not done until the host has it.
        public var movesMoney: Bool { self == .offlineApproval }
    }

    public var key: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    /// The last four digits, all that the terminal keeps of the PAN.
    public var lastFour: String
    /// The ICC data with the last cryptogram.
    public var iccData: [BERTLV]
    public var purpose: Purpose

    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, lastFour: String, iccData: [BERTLV],
        purpose: Purpose = .offlineApproval
    ) {
        (self.key, self.stan, self.amount) = (key, stan, amount)
        (self.lastFour, self.iccData, self.purpose) = (lastFour, iccData, purpose)
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
