public import Amounts
public import Determinism

/// A payment with the story of its attempts. Read-only.
public struct PaymentHistory: Hashable, Sendable {
    /// One attempt to move money.
    public struct Attempt: Hashable, Sendable {
        /// What the host knows the attempt by, for ever.
        public let key: String
        /// `sale` or `refund`
        public let kind: String
        public let amount: Money
        public let state: String
        /// System trace audit number
        public let stan: UInt32
        /// The payment host that it went to.
        public let host: String
        /// The host's reference (DE 37).
        public let hostReference: String?
        public let steps: [Step]
    }

    /// A state that an attempt entered.
    public struct Step: Hashable, Sendable {
        public let state: String
        public let at: Timestamp
        /// Why, in words.
        public let detail: String?
    }

    public let payment: Payment
    /// Oldest first.
    public let attempts: [Attempt]
}
