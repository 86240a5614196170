public import Money
public import Payments
public import Simulator

/// A payment of a simulated session, as recorded in the journal.
public struct SessionPayment: Hashable, Sendable {
    /// One attempt to move money.
    public struct Attempt: Hashable, Sendable {
        /// The number in the journal.
        public var id: Int64
        /// The number of the payment.
        public var payment: Int64
        /// The kind: `sale`, `refund`, or `increment`.
        public var kind: String
        /// The key that identifies the attempt to the host.
        public var key: String
        /// The amount of the sale or refund.
        public var amount: Money
        /// The states that the attempt entered, in order.
        public var states: [String]
        /// The message of the last step's error; nil without an error.
        public var lastError: String?
    }

    /// The details that were read from the card.
    public struct Card: Hashable, Sendable {
        /// The card scheme, such as `visa`.
        public var brand: String?
        /// The last four digits of the card number.
        public var lastFour: String?
        /// How the card was read, such as `chip`.
        public var entryMode: String?
        /// The name of the selected application.
        public var application: String?
    }

    /// The number in the journal.
    public var id: Int64
    /// The payment's name, such as `P000001`.
    public var name: String
    /// The state in the records, such as `captured`.
    public var state: String
    /// The outcome for the clerk.
    public var outcome: Payment.Outcome
    /// The amount due.
    public var amount: Money
    /// The refunded amount, in minor units.
    public var refundedMinorUnits: Int64
    /// The number of the store's order; nil without an order.
    public var orderID: Int64?
    /// The card; nil when none was read.
    public var card: Card?
    /// The issuer's authorization code; nil without an approval.
    public var authorizationCode: String?
    /// Terminal verification results (tag 95), ten hexadecimal digits; nil when no card was read.
    public var terminalVerificationResults: String?
    /// Transaction status information (tag 9B), four hexadecimal digits.
    public var transactionStatusInformation: String?
    /// The cardholder verification method.
    public var cardholderVerification: String?
    /// The error code for programs; nil without an error.
    public var errorCode: String?
    /// The error message for people; nil without an error.
    public var errorMessage: String?
    /// The attempts, oldest first.
    public var attempts: [Attempt]

    init(_ payment: Payment, attempts: [PaymentAttempt], steps: [AttemptTransition]) {
        (id, name) = (payment.id.rawValue, payment.id.description)
        (state, amount) = (payment.state.rawValue, payment.amount)
        outcome = payment.outcome
        refundedMinorUnits = payment.refundedAmount.minorUnits
        terminalVerificationResults = payment.card?.terminalVerificationResults
        transactionStatusInformation = payment.card?.transactionStatusInformation
        cardholderVerification = payment.card?.cardholderVerification.rawValue
        (errorCode, errorMessage) = (payment.errorCode, payment.errorMessage)
        (orderID, authorizationCode) = (payment.orderID, payment.card?.authorizationCode)
        card = payment.card.map {
            Card(
                brand: $0.brand, lastFour: $0.lastFour, entryMode: $0.entryMode.rawValue,
                application: $0.applicationName)
        }
        self.attempts = attempts.map { attempt in
            Attempt(
                id: attempt.id, payment: payment.id.rawValue, kind: attempt.kind.rawValue, key: attempt.key.rawValue,
                amount: attempt.amount,
                states: steps.filter { $0.attemptID == attempt.id }.map(\.state.rawValue),
                lastError: attempt.lastError)
        }
    }

    /// The attempts in the form that the reconciliation compares.
    var tillAttempts: [TillAttempt] {
        let sale = attempts.last { $0.kind == "sale" && $0.states.last == "captured" }
        return attempts.map { attempt in
            let kind = TillAttempt.Kind(rawValue: attempt.kind) ?? .sale
            let outcome: TillAttempt.Outcome =
                switch attempt.states.last {
                case "captured": .moved
                case "authorized": .unreported
                // The sale holds the sum.
                case "authorizedOnly": attempt.kind == "increment" ? .notMoved : .held
                case "declined", "cancelled", "failed": .notMoved
                case "reversed": .reversed
                default: .open
                }
            return TillAttempt(
                key: IdempotencyKey(rawValue: attempt.key), payment: name, kind: kind,
                original: kind == .refund ? sale.map { IdempotencyKey(rawValue: $0.key) } : nil,
                amount: attempt.amount, outcome: outcome, isIncrement: attempt.kind == "increment")
        }
    }
}

/// Options of a payment in a simulated session.
public struct PaymentOptions: Sendable {
    /// The card to use; nil for the session's first card.
    public var card: String?
    /// The cardholder's behavior; nil for that of the card's profile.
    public var cardholder: CardholderProfile?
    /// Whether the cardholder inserts and removes the card. If false, use ``SessionAct`` for both.
    public var presentsCard: Bool
    /// Whether the caller acts as the cardholder, with ``SessionAct`` and ``SimulatedSession/choose(_:)``.
    /// ``SimulatedSession/need`` is the action that the payment is waiting for.
    public var isByHand: Bool
    /// The reader at which the card is presented; nil for the connected one.
    public var reader: String?
    /// The time to wait for a card.
    public var cardTimeout: Duration
    /// Whether to go online even if the card accepts offline.
    public var isForcedOnline: Bool
    /// Whether the amount is only held, and captured later.
    public var isHeld: Bool
    /// Whether an approval of a part of the amount is taken.
    public var allowsPartial: Bool

    /// Creates options. By default, the cardholder presents the first card at the connected reader.
    public init(
        card: String? = nil, cardholder: CardholderProfile? = nil, presentsCard: Bool = true,
        isByHand: Bool = false, reader: String? = nil, cardTimeout: Duration = .seconds(60),
        isForcedOnline: Bool = false, isHeld: Bool = false, allowsPartial: Bool = false
    ) {
        (self.isHeld, self.allowsPartial) = (isHeld, allowsPartial)
        (self.card, self.cardholder, self.presentsCard, self.reader) = (card, cardholder, presentsCard, reader)
        self.isByHand = isByHand
        (self.cardTimeout, self.isForcedOnline) = (cardTimeout, isForcedOnline)
    }
}
