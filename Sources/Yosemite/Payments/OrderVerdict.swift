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
        let named = [order.transactionID, order.metaData.first { $0.key == "_intent_id" }?.value?.textValue]
        guard order.datePaidGMT == nil else {
            guard named.contains(intentID) else {
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
}
