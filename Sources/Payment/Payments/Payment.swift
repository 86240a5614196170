public import Determinism
public import Money
import Text

/// The number of a payment. It is shown as `P` and at least six digits, for example `P000001`.
public struct PaymentID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// 1 and up, in the order in which payments began; zero before the payment is stored.
    public let rawValue: Int64

    /// Takes the number in the journal, from 1.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads what ``description`` prints. The letter may be lowercase or missing, and so may the leading zeros.
    ///
    /// - Returns: nil when the text is not the name of a payment.
    public init?(_ text: String) {
        guard let number = NumberedName.number("P", text), number > 0 else { return nil }
        rawValue = number
    }

    public static func < (first: PaymentID, second: PaymentID) -> Bool { first.rawValue < second.rawValue }

    public var description: String { NumberedName.text("P", rawValue) }
}

/// Human-readable names of numbered records: a letter and at least six digits.
package enum NumberedName {
    package static func text(_ letter: Character, _ number: Int64) -> String {
        String(letter) + number.zeroPadded(to: 6)
    }

    /// Reads what ``text(_:_:)`` writes. The letter may be lowercase or missing, and so may the leading zeros.
    package static func number(_ letter: Character, _ text: String) -> Int64? {
        let hasLetter = text.first.map { $0 == letter || String($0) == letter.lowercased() } ?? false
        let digits = hasLetter ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }
}

/// A payment as it is recorded: the amount, the card, the result, and the state of the order notification.
public struct Payment: Hashable, Sendable, Identifiable {
    /// The result of a payment.
    public enum Outcome: String, Hashable, Sendable, Codable {
        case approved
        case declined
        case canceled = "cancelled"
        /// Certainly no money moved, for a reason other than a decline or a cancellation: nothing was sent, or what was
        /// sent was reversed.
        case failed
        /// The host may have moved money and did not answer. Recovery sends an inquiry.
        case unknown
        /// The payment has not ended.
        case pending
    }

    public package(set) var id: PaymentID
    /// The store site of the order; 0 for none.
    public let siteID: Int64
    /// The order that the payment is for, if any.
    public let orderID: Int64?
    /// What the customer pays, or what is held: less than ``requestedAmount`` after a partial approval, and the
    /// captured amount once the capture of a pre-authorization has begun.
    public package(set) var amount: Money
    /// The amount that was asked for, if the host approved a part of it; nil otherwise.
    public package(set) var requestedAmount: Money?
    /// The pre-authorization that the payment began with; nil for a payment that is captured at once.
    public package(set) var preauthorization: Preauthorization?
    /// The total of the completed refunds. Refunds in progress do not count.
    public package(set) var refundedAmount: Money
    /// Derived from the payment's attempts, and stored with them.
    public package(set) var state: PaymentState
    /// The card, and why the payment did not succeed.
    public package(set) var details: PaymentDetails
    public let createdAt: Timestamp
    public package(set) var updatedAt: Timestamp
    /// The notification of the store site about the payment. Nil for a payment without an order, before the payment is
    /// approved, and when it was not loaded.
    public package(set) var notification: OrderPaymentNotification?
    /// The notifications of the store site about refunds, oldest first. Empty when they were not loaded; without those
    /// that the site need not know, because its order does not show the payment.
    public package(set) var refundNotifications: [OrderRefundNotification] = []

    package init(
        id: PaymentID, siteID: Int64, orderID: Int64?, amount: Money, refundedAmount: Money, state: PaymentState,
        requestedAmount: Money? = nil, preauthorization: Preauthorization? = nil,
        details: PaymentDetails = PaymentDetails(), createdAt: Timestamp, updatedAt: Timestamp,
        notification: OrderPaymentNotification? = nil
    ) {
        (self.id, self.siteID, self.orderID, self.amount) = (id, siteID, orderID, amount)
        (self.requestedAmount, self.preauthorization) = (requestedAmount, preauthorization)
        (self.refundedAmount, self.state, self.details) = (refundedAmount, state, details)
        (self.createdAt, self.updatedAt, self.notification) = (createdAt, updatedAt, notification)
    }

    /// The name shown to people, for example `P000001`.
    public var name: String { id.description }

    /// The data read from the card; nil when no card was read.
    public var card: CardDetails? { details.card }

    /// The machine-readable code of the error that ended the payment, for example `card_timeout`.
    public var errorCode: String? { details.errorCode }

    /// The error that ended the payment, as a human-readable sentence.
    public var errorMessage: String? { details.errorMessage }

    public var outcome: Outcome { Outcome(state, errorCode: errorCode) }

    /// Whether people have to decide about it: the store site rejects the payment or one of its refunds, or shows
    /// something else. A payment that was given back needs no decision itself.
    public var needsReview: Bool {
        (state != .refunded && notification?.state.needsReview == true)
            || refundNotifications.contains(where: \.state.needsReview)
    }
}

/// The card of an attempt, and why the attempt did not succeed.
public struct PaymentDetails: Hashable, Sendable, Codable {
    /// The data read from the card; nil when no card was read.
    public var card: CardDetails?
    /// Why the issuer declined.
    public var declineReason: DeclineReason?
    /// The machine-readable code of the error that ended the attempt; see ``PaymentErrorCode``.
    public var errorCode: String?
    /// The error as a human-readable sentence. Runs of digits as long as a card number are masked before it is stored.
    public var errorMessage: String?

    /// Takes what is known of the attempt; nil means not known, or that there was none.
    public init(
        card: CardDetails? = nil, declineReason: DeclineReason? = nil, errorCode: String? = nil,
        errorMessage: String? = nil
    ) {
        (self.card, self.declineReason) = (card, declineReason)
        (self.errorCode, self.errorMessage) = (errorCode, errorMessage)
    }

    /// Returns these details, with every value that `newer` has replacing the value here.
    public func merging(_ newer: PaymentDetails) -> PaymentDetails {
        PaymentDetails(
            card: newer.card.map { card?.merging($0) ?? $0 } ?? card,
            declineReason: newer.declineReason ?? declineReason,
            errorCode: newer.errorCode ?? errorCode, errorMessage: newer.errorMessage ?? errorMessage)
    }
}

/// The error codes that determine the outcome of a payment.
public enum PaymentErrorCode {
    public static let canceled = "cancelled"
    public static let interrupted = "interrupted"
    public static let declinedByCard = "declined_by_card"
    public static let declinedByHost = "declined_by_host"
    /// A person has said what became of it.
    public static let closed = "closed_by_hand"
    /// The issuer declined a tapped card, because it wants the card to be inserted.
    public static let chipRequired = "chip_required"
    /// The card rejected the PIN, and no other was entered.
    public static let wrongPIN = "wrong_pin"
    /// The issuer asks for a telephone call (a referral). Until then the payment counts as declined.
    public static let referred = "call_issuer"
}

/// The state of a payment, derived from the states of its attempts.
public enum PaymentState: String, Hashable, Sendable, Codable, CaseIterable {
    /// An attempt is in progress.
    case pending
    /// Approved, and not captured yet.
    case authorized
    case captured
    case partiallyRefunded
    case refunded
    case declined
    case canceled = "cancelled"
    case failed
    case reversed
    /// It is not known whether the customer paid.
    case unknown

    /// - Parameters:
    ///   - lastSale: The state of the last attempt to take the payment.
    ///   - amount: The amount of the payment.
    ///   - refunded: The total of the completed refunds.
    public init(lastSale: AttemptState, amount: Money, refunded: Money) {
        self =
            switch lastSale {
            case .created, .authorizing, .reversing: .pending
            case .authorized, .authorizedOnly: .authorized
            case .captured where refunded.minorUnits == 0: .captured
            case .captured: refunded.minorUnits < amount.minorUnits ? .partiallyRefunded : .refunded
            case .declined: .declined
            case .canceled: .canceled
            case .failed: .failed
            case .reversed: .reversed
            case .unknown: .unknown
            }
    }

    /// Whether the sale was captured, even if it was refunded later.
    public var isCaptured: Bool { [.captured, .partiallyRefunded, .refunded].contains(self) }
}

extension Payment.Outcome {
    /// The outcome that follows from a payment's state and the code of the error that ended it.
    public init(_ state: PaymentState, errorCode: String?) {
        self =
            switch state {
            case .authorized, .captured, .partiallyRefunded, .refunded: .approved
            case .declined: .declined
            case .canceled: .canceled
            case .failed: errorCode == PaymentErrorCode.canceled ? .canceled : .failed
            case .unknown: .unknown
            case .pending: .pending
            // Reversed because of a cancellation, an interruption or a decline.
            case .reversed:
                switch errorCode {
                case PaymentErrorCode.canceled, PaymentErrorCode.interrupted: .canceled
                case PaymentErrorCode.declinedByCard, PaymentErrorCode.declinedByHost, PaymentErrorCode.referred,
                    PaymentErrorCode.wrongPIN, PaymentErrorCode.chipRequired:
                    .declined
                default: .failed
                }
            }
    }
}
