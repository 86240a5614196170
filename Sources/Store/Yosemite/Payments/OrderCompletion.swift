import Money
import Networking
import Payments
import Storage
import Text

/// The side that completes the order of a payment at the store.
enum OrderCompletion: Sendable {
    /// A gateway of the store captures the payment.
    case gateway(PaymentGatewayExtension)
    /// The till marks the order as paid.
    case till

    /// The payment method of orders that tills complete.
    static let methodID = "cardpresent"
    private static let methodTitle = "Card at the till"

    /// Nil for a gateway that this version does not know.
    init?(_ notification: OrderPaymentNotification) {
        if notification.gateway == OrderToPay.till {
            self = .till
        } else if let gateway = PaymentGatewayExtension(rawValue: notification.gateway) {
            self = .gateway(gateway)
        } else {
            return nil
        }
    }

    /// Notifies the store once that an order is paid. The caller has read the order, and reads it again.
    func complete(
        _ order: Networking.Order, intentID: String, _ site: PaymentSite
    ) async throws(NetworkError) -> RemotePaymentIntent {
        switch self {
        case .gateway(let gateway):
            return try await site.remote(gateway).captureOrderPayment(
                siteID: site.siteID, orderID: order.id, paymentIntentID: intentID, idempotencyKey: intentID)
        case .till:
            _ = try await site.orders.completeOrder(
                siteID: site.siteID, orderID: order.id, methodID: Self.methodID, methodTitle: Self.methodTitle,
                transactionID: intentID, isReopened: order.status != .pending && order.status != .failed)
            return RemotePaymentIntent(id: intentID, status: .succeeded)
        }
    }
}

/// The state of an order with regard to a payment that was taken for it.
enum OrderVerdict: Hashable, Sendable {
    /// It shows this payment. The remark describes a deviation.
    case paidByIt(remark: String?)
    /// It was paid by other means, or its amount has changed: it needs review.
    case conflict(String)
    /// It no longer accepts a payment.
    case closed(String)
    /// It is unchanged and awaits the payment.
    case unpaid

    /// `before`: the order as it was before the store was notified; nil when it was not read then.
    init(_ order: Networking.Order, payment: Payment, intentID: String, since before: Networking.Order? = nil) {
        let total = try? order.amount()
        let cost = total.map(\.description) ?? "\(order.total) \(order.currency)"
        guard order.datePaidGMT == nil else {
            guard Self.names(order, intentID) else {
                self = .conflict(
                    "order \(order.id) was paid otherwise"
                        + (order.paymentMethodTitle.isEmpty ? "" : " (\(order.paymentMethodTitle))"))
                return
            }
            // A till that completes an order overwrites a payment of the same moment, but not its metadata.
            let others = Self.otherIntents(order, intentID)
            if let before, let other = others.subtracting(Self.otherIntents(before, intentID)).min() {
                self = .conflict("order \(order.id) was paid twice: here, and as \(other)")
                return
            }
            self = .paidByIt(
                remark: total == payment.amount ? nil : "the order costs \(cost) by now, \(payment.amount) was paid")
            return
        }
        switch order.status {
        case .canceled, .refunded, .custom("trash"):
            self = .closed("order \(order.id) is \(order.status.rawValue)")
        default:
            self =
                total == payment.amount
                ? .unpaid : .conflict("order \(order.id) costs \(cost) by now, \(payment.amount) was paid")
        }
    }

    /// Each gateway stores the intent in the order, under its own meta key.
    private static func names(_ order: Networking.Order, _ intentID: String) -> Bool {
        order.transactionID == intentID || intents(order).contains(intentID)
    }

    private static let keys: Set = ["_intent_id", "_stripe_intent_id", OrdersRemote.transactionKey]

    private static func intents(_ order: Networking.Order) -> [String] {
        order.metaData.filter { keys.contains($0.key) }.compactMap { $0.value?.textValue }
    }

    private static func otherIntents(_ order: Networking.Order, _ intentID: String) -> Set<String> {
        Set(intents(order)).subtracting([intentID, ""])
    }
}
