public import Determinism

/// What the store site knows of the payment of one of its orders. Read-only.
public struct PaymentCapture: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, Codable {
        /// The money is taken, and the site certainly has not heard of it.
        case due
        /// The site is being told, or was about to be.
        case sent
        /// The site gave no clear answer: it may know.
        case unknown
        /// The order at the site shows this payment.
        case confirmed
        /// The site will not take it: the order is gone or closed, or the money went back before the site was told.
        case refused
        /// The order was paid by something else, or another amount is to be paid for it now.
        case conflict

        /// Whether the site has still to be told, or asked.
        public var isOpen: Bool { [.due, .sent, .unknown].contains(self) }
    }

    public let state: State
    /// `woocommerce-payments` or `woocommerce-stripe`
    public let gateway: String
    /// What the site knows the payment by.
    public let intentID: String
    public let siteAddress: String
    /// The order's number as the customer sees it.
    public let orderNumber: String
    /// How often the site was told, or was about to be.
    public let tries: Int64
    /// The order's status when it was last seen.
    public let orderStatus: String?
    /// The receipt of the sale, once the order shows the payment.
    public let receiptID: Int64?
    /// Why it is not confirmed, in words.
    public let reason: String?
    public let updatedAt: Timestamp
}
