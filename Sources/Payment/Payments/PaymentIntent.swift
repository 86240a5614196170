public import Determinism
import EMV
public import Money

/// A payment intent of the reader service.
public struct PaymentIntent: Hashable, Sendable {
    /// The key of the attempt.
    public let key: IdempotencyKey
    public let status: PaymentIntentStatus
    public let created: Timestamp
    /// The approved amount.
    public let amount: Money
    public let metadata: [String: String]
    /// The card data that was read, and how the payment was authorized.
    public let details: CardDetails
    /// The advice to send to the host, when the card approved offline.
    public let advice: AdviceRequest?

    /// Describes a processed payment. `advice` is what the host does not know yet, after an offline approval.
    public init(
        key: IdempotencyKey, status: PaymentIntentStatus, created: Timestamp, amount: Money,
        metadata: [String: String] = [:], details: CardDetails, advice: AdviceRequest? = nil
    ) {
        (self.key, self.status, self.created, self.amount) = (key, status, created, amount)
        (self.metadata, self.details, self.advice) = (metadata, details, advice)
    }
}

/// The status of a payment intent.
public enum PaymentIntentStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case requiresPaymentMethod = "requires_payment_method"
    case requiresConfirmation = "requires_confirmation"
    /// Authorized: the host holds the money, or the card has approved offline.
    case requiresCapture = "requires_capture"
    case processing
    case canceled
    case succeeded
}

/// The parameters of a payment.
///
/// Amounts are ``Money``: they are never truncated and never overflow. The caller creates and stores the key before the
/// call.
public struct PaymentIntentParameters: Hashable, Sendable {
    /// The key of the attempt: every message to the host carries it.
    public var key: IdempotencyKey
    /// System trace audit number, 1...999,999.
    public var stan: UInt32
    public var amount: Money
    /// How long to wait for a card.
    public var cardTimeout: Duration
    /// The account that the cardholder chose; nil for the default account.
    public var accountType: AccountType?
    /// Whether the payment goes online even if the card would approve it offline.
    public var forcedOnline: Bool
    /// Whether the amount is only held, and captured later. The payment then goes online.
    public var authorizesOnly: Bool
    /// Whether an approval of a part of the amount (code 10) is taken. Otherwise it is reversed.
    public var allowsPartial: Bool
    /// Why no card may approve the payment offline; nil when one may. The payment then goes online, and is declined
    /// when the host can't be reached.
    public var offlineObstacle: OfflineObstacle?
    /// Stored with the payment; not sent to the card.
    public var metadata: [String: String]

    /// Sets the parameters. `key` and `stan` are those of the recorded attempt; `cardTimeout` ends the wait for a card.
    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, cardTimeout: Duration = .seconds(60),
        accountType: AccountType? = nil, forcedOnline: Bool = false, authorizesOnly: Bool = false,
        allowsPartial: Bool = false, offlineObstacle: OfflineObstacle? = nil, metadata: [String: String] = [:]
    ) {
        (self.key, self.stan, self.amount, self.cardTimeout) = (key, stan, amount, cardTimeout)
        (self.authorizesOnly, self.allowsPartial) = (authorizesOnly, allowsPartial)
        self.offlineObstacle = offlineObstacle
        (self.accountType, self.forcedOnline, self.metadata) = (accountType, forcedOnline, metadata)
    }
}

/// A refund that the host approved.
public struct RefundResult: Hashable, Sendable {
    /// The host's reference (DE 37).
    public let reference: String
    /// DE 38, when the host gave one.
    public let authorizationCode: String?
    /// DE 39
    public let responseCode: String

    /// Takes the host's reference (DE 37), its authorization code (DE 38), and its response code (DE 39).
    public init(reference: String, authorizationCode: String?, responseCode: String) {
        (self.reference, self.authorizationCode) = (reference, authorizationCode)
        self.responseCode = responseCode
    }

    /// Creates the result from the host's approval of a refund.
    public init(_ response: AuthorizationResponse) {
        self.init(
            reference: response.reference, authorizationCode: response.answer.authorizationCode,
            responseCode: response.responseCode)
    }
}
