public import Amounts
internal import Hardware
internal import Simulator
internal import Storage
public import Yosemite

/// A payment of a simulated session, as the journal has it.
public struct SessionPayment: Hashable, Sendable {
    /// One attempt to move money.
    public struct Attempt: Hashable, Sendable {
        /// Its number in the journal.
        public let id: Int64
        /// `sale` or `refund`
        public let kind: String
        /// What the host knows it by.
        public let key: String
        /// What it is about.
        public let amount: Money
        /// The states that it entered, in order.
        public let states: [String]
        /// Why the last step did not end well, in words.
        public let lastError: String?
    }

    /// What was read of the card.
    public struct Card: Hashable, Sendable {
        /// The scheme: `visa`.
        public let brand: String?
        /// Of the card number.
        public let lastFour: String?
        /// How it was read: `chip`.
        public let entryMode: String?
        /// The name of the application that was used.
        public let application: String?
    }

    /// Its number in the journal.
    public let id: Int64
    /// `P000001`
    public let name: String
    /// The state in the records: `captured`.
    public let state: String
    /// How it ended, as the clerk needs to know it.
    public let outcome: Yosemite.Payment.Outcome
    /// What was to be paid.
    public let amount: Money
    /// What was given back, in minor units.
    public let refundedMinorUnits: Int64
    /// The number of the store's order that is paid; nil when there is none.
    public let orderID: Int64?
    /// nil when no card was read.
    public let card: Card?
    /// What the issuer answered with an approval.
    public let authorizationCode: String?
    /// Terminal verification results (tag 95), ten hexadecimal digits; nil when no card was read.
    public let terminalVerificationResults: String?
    /// Transaction status information (tag 9B), four hexadecimal digits.
    public let transactionStatusInformation: String?
    /// How the cardholder was verified.
    public let cardholderVerification: String?
    /// Why it did not succeed, as a word.
    public let errorCode: String?
    /// The same in words.
    public let errorMessage: String?
    /// Oldest first.
    public let attempts: [Attempt]

    init(_ payment: Storage.Payment, attempts: [PaymentAttempt], steps: [AttemptTransition]) {
        (id, name) = (payment.id.rawValue, payment.id.description)
        (state, amount) = (payment.state.rawValue, payment.amount)
        outcome = Yosemite.Payment.Outcome(payment.state, errorCode: payment.details.errorCode)
        refundedMinorUnits = payment.refundedAmount.minorUnits
        terminalVerificationResults = payment.details.tvr
        transactionStatusInformation = payment.details.tsi
        cardholderVerification = payment.details.cvm
        (errorCode, errorMessage) = (payment.details.errorCode, payment.details.errorMessage)
        (orderID, authorizationCode) = (payment.orderID, payment.details.authCode)
        let details = payment.details
        card =
            details.last4 == nil && details.brand == nil
            ? nil
            : Card(
                brand: details.brand, lastFour: details.last4, entryMode: details.entryMode,
                application: details.applicationName)
        self.attempts = attempts.map { attempt in
            Attempt(
                id: attempt.id, kind: attempt.kind.rawValue, key: attempt.idempotencyKey, amount: attempt.amount,
                states: steps.filter { $0.attemptID == attempt.id }.map(\.state.rawValue),
                lastError: attempt.lastError)
        }
    }

    /// The attempts as a reconciliation compares them.
    var tillAttempts: [TillAttempt] {
        let sale = attempts.last { $0.kind == "sale" && $0.states.last == "captured" }
        return attempts.map { attempt in
            let kind = TillAttempt.Kind(rawValue: attempt.kind) ?? .sale
            let outcome: TillAttempt.Outcome =
                switch attempt.states.last {
                case "captured": .moved
                case "authorized": .untold
                case "declined", "cancelled", "failed": .notMoved
                case "reversed": .takenBack
                default: .open
                }
            return TillAttempt(
                key: IdempotencyKey(rawValue: attempt.key), payment: name, kind: kind,
                original: kind == .refund ? sale.map { IdempotencyKey(rawValue: $0.key) } : nil,
                amount: attempt.amount, outcome: outcome)
        }
    }
}
