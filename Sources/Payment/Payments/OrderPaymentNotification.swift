public import Determinism
public import Money

/// How an order at a store becomes paid, once the till has taken the money.
public enum OrderPaymentRoute: String, Hashable, Sendable, CaseIterable {
    /// The payment gateway of the store captures the payment and completes the order.
    case gateway
    /// The till completes the order. The store needs no gateway for payments in person.
    case till
}

/// Notifies a store site that one of its orders is paid. It is stored: when the site cannot be reached now, a later run
/// of the program notifies it.
public struct OrderPaymentNotification: Hashable, Sendable, Codable, Identifiable {
    /// The progress of the notification.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// No attempt has been approved: there is nothing to send.
        case planned
        /// The payment is taken, and the site has certainly not been notified.
        case due
        /// The request was sent, or is about to be sent.
        case sent
        /// The site gave no clear answer: it may have processed the notification.
        case unknown
        /// The order at the site shows the payment.
        case confirmed
        /// The site rejects the payment: the order is gone or closed, or the payment was refunded before the
        /// notification.
        case refused
        /// The order was paid by other means, or its amount has changed.
        case conflict
        /// A person has accepted that the site does not show it, and dealt with it there: nothing is sent any more.
        case accepted

        /// The states that may follow this one. A refusal or a conflict is checked again only on request.
        public var successors: Set<State> {
            switch self {
            case .planned: [.due]
            case .due: [.planned, .due, .sent, .confirmed, .refused, .conflict, .accepted]
            case .sent, .unknown: [.due, .sent, .unknown, .confirmed, .refused, .conflict, .accepted]
            case .refused, .conflict: [.sent, .confirmed, .refused, .conflict, .accepted]
            case .confirmed, .accepted: []
            }
        }

        /// Whether no state follows.
        public var isFinal: Bool { successors.isEmpty }

        /// Whether the site must still be notified or queried.
        public var isOpen: Bool { [.due, .sent, .unknown].contains(self) }

        /// Whether people have to decide: the site rejects it, or shows something else.
        public var needsReview: Bool { self == .refused || self == .conflict }
    }

    /// The payment.
    public let id: PaymentID
    /// The attempt that took the payment; nil until one has.
    public package(set) var attemptID: Int64?
    public let siteAddress: String
    public let storeName: String?
    /// The order's number as the customer sees it.
    public let orderNumber: String
    /// `woocommerce-payments` or `woocommerce-stripe`; `till` when the till completes the order itself.
    public let gateway: String
    /// The payment intent that identifies the payment at the site, derived from the attempt's key; nil while planned.
    public package(set) var intentID: String?
    public package(set) var state: State
    /// The number of requests sent, including a request that is about to be sent.
    public package(set) var tries: Int64
    /// The order's status when it was last read.
    public package(set) var orderStatus: String?
    /// The receipt of the sale, once the order shows the payment.
    public package(set) var receiptID: Int64?
    /// Why the payment is not confirmed, as a human-readable sentence.
    public package(set) var lastError: String?
    /// Why a person accepted that the site does not show the payment; nil in every other state.
    public package(set) var acceptance: String?
    /// The number of the lease of the process that sends it.
    public package(set) var lease: Int64
    public let createdAt: Timestamp
    public package(set) var updatedAt: Timestamp

    package init(
        id: PaymentID, attemptID: Int64? = nil, siteAddress: String, storeName: String?, orderNumber: String,
        gateway: String, intentID: String? = nil, state: State = .planned, tries: Int64 = 0,
        orderStatus: String? = nil, receiptID: Int64? = nil, lastError: String? = nil, acceptance: String? = nil,
        lease: Int64, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.attemptID, self.siteAddress, self.storeName) = (id, attemptID, siteAddress, storeName)
        (self.orderNumber, self.gateway, self.intentID, self.state) = (orderNumber, gateway, intentID, state)
        (self.tries, self.orderStatus, self.receiptID) = (tries, orderStatus, receiptID)
        (self.lastError, self.acceptance, self.lease) = (lastError, acceptance, lease)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// Notifies a store site that a part of a payment went back to the card. It is written by the commit that records the
/// refund, and sent when the order shows the payment.
public struct OrderRefundNotification: Hashable, Sendable, Identifiable {
    /// The refund's attempt.
    public let id: Int64
    /// The payment.
    public let paymentID: PaymentID
    public let amount: Money
    /// The lines of the order that the refund names; empty for an amount only.
    public let lines: [RefundedLine]
    /// The name of the refund at the site, derived from the attempt's key: the same in every try.
    public let intentID: String
    /// `planned` until the order shows the payment; see ``OrderPaymentNotification/State``.
    public package(set) var state: OrderPaymentNotification.State
    /// The number of requests sent, including a request that is about to be sent.
    public package(set) var tries: Int64
    /// The ID of the refund at the site, once the site said that it made it, or showed it. A refund with an ID is never
    /// sent again.
    public package(set) var refundID: Int64?
    /// Why the refund is not confirmed, as a human-readable sentence.
    public package(set) var lastError: String?
    /// Why a person accepted that the site does not show the refund; nil in every other state.
    public package(set) var acceptance: String?
    /// The number of the lease of the process that sends it.
    public package(set) var lease: Int64
    public let createdAt: Timestamp
    public package(set) var updatedAt: Timestamp

    package init(
        id: Int64, paymentID: PaymentID, amount: Money, lines: [RefundedLine] = [], intentID: String,
        state: OrderPaymentNotification.State, tries: Int64 = 0, refundID: Int64? = nil, lastError: String? = nil,
        acceptance: String? = nil, lease: Int64, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.paymentID, self.amount, self.lines) = (id, paymentID, amount, lines)
        (self.intentID, self.state, self.tries, self.refundID) = (intentID, state, tries, refundID)
        (self.lastError, self.acceptance, self.lease) = (lastError, acceptance, lease)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// A line of an order, and the part of it that a refund gives back. Amounts are in minor units of the refund's
/// currency.
public struct RefundedLine: Hashable, Sendable, Codable {
    /// The refunded tax of one rate.
    public struct Tax: Hashable, Sendable, Codable {
        /// The ID of the tax rate.
        public let rate: Int64
        public let total: Int64

        /// Takes the ID of a tax rate and the refunded tax in minor units.
        public init(rate: Int64, total: Int64) { (self.rate, self.total) = (rate, total) }
    }

    /// The ID of the line of the order.
    public let id: Int64
    /// The pieces that come back.
    public let quantity: Int64
    /// Without taxes.
    public let total: Int64
    public let taxes: [Tax]

    /// Takes the part of an order line that goes back. `total` is in minor units, without `taxes`.
    public init(id: Int64, quantity: Int64, total: Int64, taxes: [Tax]) {
        (self.id, self.quantity, self.total, self.taxes) = (id, quantity, total, taxes)
    }

    /// The total with taxes; nil when it is too large.
    public var gross: Int64? {
        taxes.reduce(Optional(total)) { sum, tax in
            guard let (value, overflow) = sum?.addingReportingOverflow(tax.total), !overflow else { return nil }
            return value
        }
    }
}
