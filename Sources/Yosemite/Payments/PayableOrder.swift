internal import Amounts
internal import Networking

/// An order that can be paid with a card at the till, as its store says now, and what is to be paid.
///
/// Whether it sells a subscription is not seen from an order; such orders have another payment method as a rule.
struct PayableOrder: Sendable {
    let order: Networking.Order
    let amount: Money

    private static let statuses: Set<OrderStatusEnum> = [.pending, .onHold, .processing, .failed]
    /// None, or one that the till may take the place of.
    private static let methods: Set = ["", "cod", "wc-booking-gateway", "woocommerce_payments", "stripe"]

    /// `currencies` are those that the gateway's account takes, in lower case; none when it does not say. `expected` is
    /// what the customer was told.
    init(
        _ order: Networking.Order, currencies: [String], expected: Money?
    ) throws(OrderNotPayable) {
        let id = order.id
        guard order.datePaidGMT == nil else { throw .alreadyPaid(orderID: id) }
        guard Self.statuses.contains(order.status) else {
            throw .wrongStatus(orderID: id, status: order.status.rawValue)
        }
        guard order.refunds.isEmpty else { throw .hasRefunds(orderID: id) }
        guard Self.methods.contains(order.paymentMethod) else {
            throw .otherMethod(orderID: id, method: order.paymentMethod)
        }
        let amount: Money
        do throws(MoneyError) {
            amount = try order.amount()
        } catch {
            throw .unusableTotal(orderID: id, error)
        }
        guard amount.minorUnits > 0 else { throw .nothingToPay(orderID: id) }
        guard currencies.isEmpty || currencies.contains(order.currency.lowercased()) else {
            throw .currencyNotSupported(
                orderID: id, currency: order.currency, supported: currencies.map { $0.uppercased() })
        }
        if let expected, expected != amount { throw .totalChanged(orderID: id, from: expected, to: amount) }
        (self.order, self.amount) = (order, amount)
    }

    /// What goes with the payment to whoever handles it, by the names that WooCommerce's gateways use. The journal keeps
    /// none of it.
    func metadata(_ site: PaymentSite) -> [String: String] {
        let billing = order.billing
        let name = [billing?.firstName, billing?.lastName].compactMap { $0 }.filter { !$0.isEmpty }
        let values: [String: String?] = [
            "paymentintent.storename": site.name, "site_url": site.address, "order_id": String(order.id),
            "order_key": order.orderKey, "payment_type": order.renewedSubscriptionID == nil ? "single" : "recurring",
            "customer_name": name.joined(separator: " "), "customer_email": billing?.email,
        ]
        return values.compactMapValues { $0.flatMap { $0.isEmpty ? nil : $0 } }
    }
}
