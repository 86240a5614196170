internal import Amounts
internal import Networking
internal import Storage

/// What an order says of a payment that was taken for it.
enum OrderVerdict: Hashable, Sendable {
    /// It shows this payment. With a remark when something about it is not as it was.
    case paidByIt(remark: String?)
    /// Somebody has to decide: the order was paid otherwise, or something else is to be paid by now.
    case conflict(String)
    /// It takes no payment any more.
    case closed(String)
    /// It is as it was, and waits for the payment.
    case unpaid

    init(_ order: Networking.Order, payment: Storage.Payment, intentID: String) {
        let total = try? order.amount()
        let cost = total.map(\.description) ?? "\(order.total) \(order.currency)"
        guard order.datePaidGMT == nil else {
            guard Self.names(order, intentID) else {
                self = .conflict(
                    "order \(order.id) was paid otherwise"
                        + (order.paymentMethodTitle.isEmpty ? "" : " (\(order.paymentMethodTitle))"))
                return
            }
            self = .paidByIt(
                remark: total == payment.amount ? nil : "the order costs \(cost) by now, \(payment.amount) was paid")
            return
        }
        switch order.status {
        case .cancelled, .refunded, .custom("trash"):
            self = .closed("order \(order.id) is \(order.status.rawValue)")
        default:
            self =
                total == payment.amount
                ? .unpaid : .conflict("order \(order.id) costs \(cost) by now, \(payment.amount) was paid")
        }
    }

    /// Both gateways keep the intent with the order, each under a name of its own.
    private static func names(_ order: Networking.Order, _ intentID: String) -> Bool {
        order.transactionID == intentID
            || order.metaData.contains {
                ($0.key == "_intent_id" || $0.key == "_stripe_intent_id") && $0.value?.textValue == intentID
            }
    }
}
