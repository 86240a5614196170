import Money
import Networking
import Payments
import Storage

/// Checks an order before the customer presents a card: as the store returns it now, not as it was cached.
struct OrderPreparation: Sendable {
    let site: PaymentSite
    let accounts: GatewayAccounts
    /// How the order becomes paid; nil for what the store offers.
    let route: OrderPaymentRoute?

    /// The data of a payable order for the journal and the payment.
    struct Prepared: Sendable {
        let order: OrderToPay
        let amount: Money
        let metadata: [String: String]
        /// The items and totals for its receipt.
        let bill: ReceiptBill
    }

    /// Returns the current amount of an order, and its cached amount.
    func quote(orderID: Int64) async throws(CardPresentPaymentsError) -> OrderQuote {
        let siteID = site.siteID
        let kept: Networking.Order?
        do {
            kept = try site.context.storage.read {
                try $0.model(Networking.Order.self) { $0.siteID == siteID && $0.id == orderID }
            }
        } catch {
            throw .site(StoreError(error, path: site.context.storage.path))
        }
        let prepared = try await run(orderID: orderID, expected: nil)
        return OrderQuote(
            orderID: orderID, orderNumber: prepared.order.orderNumber, amount: prepared.amount,
            keptAmount: kept.flatMap { try? $0.amount() })
    }

    /// Fetches an order and checks that it can be paid. `expected` is the amount that the customer was shown.
    func run(orderID: Int64, expected: Money?) async throws(CardPresentPaymentsError) -> Prepared {
        let (gateway, currencies) = try await completion()
        let fetched = try await fetch(orderID)
        let order = fetched.order
        let payable: PayableOrder
        do throws(OrderNotPayable) {
            payable = try PayableOrder(order, currencies: currencies, expected: expected)
        } catch {
            throw .order(error)
        }
        return Prepared(
            order: OrderToPay(
                siteID: site.siteID, siteAddress: site.address, storeName: site.name, orderID: orderID,
                orderNumber: order.number, gateway: gateway),
            amount: payable.amount, metadata: payable.metadata(site),
            bill: ReceiptBill(order, pricesIncludeTax: fetched.pricesIncludeTax, amount: payable.amount))
    }

    /// Returns the word for who completes the order, and the currencies that it takes; none for all.
    private func completion() async throws(CardPresentPaymentsError) -> (gateway: String, currencies: [String]) {
        guard route != .till else { return (OrderToPay.till, []) }
        do throws(CardPresentPaymentsError) {
            let account = try await accounts.account(siteID: site.siteID)
            return (account.gatewayID, account.storeCurrencies.supported)
        } catch {
            // A store that certainly has no gateway; one that can't be reached may have one.
            guard route == nil, case .gateway(.noAccount) = error else { throw error }
            return (OrderToPay.till, [])
        }
    }

    private func fetch(_ orderID: Int64) async throws(CardPresentPaymentsError) -> OrderForPayment {
        let fetched: OrderForPayment
        do throws(NetworkError) {
            fetched = try await site.orders.loadOrderForPayment(siteID: site.siteID, orderID: orderID)
        } catch {
            guard case .service(let service) = error, service.kind == .notFound else { throw .site(.network(error)) }
            throw .site(.notFound(entity: "order", id: String(orderID)))
        }
        do {
            _ = try site.context.storage.performAndSave { try $0.save(fetched.order) }
        } catch {
            throw .site(StoreError(error, path: site.context.storage.path))
        }
        return fetched
    }
}

/// An order that can be paid by card at the till, as the store returns it now, and its amount.
///
/// An order does not show whether it contains a subscription; such orders normally have another payment method.
struct PayableOrder: Sendable {
    let order: Networking.Order
    let amount: Money

    private static let statuses: Set<OrderStatusEnum> = [.pending, .onHold, .processing, .failed]
    /// No payment method, or one that the till may replace.
    private static let methods: Set = [
        "", "cod", "wc-booking-gateway", "woocommerce_payments", "stripe", OrderCompletion.methodID,
    ]

    /// `currencies` are those of the gateway account, in lowercase; empty when unknown. `expected` is the amount that
    /// the customer was shown.
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

    /// Returns the metadata of the payment, with the names that WooCommerce's gateways use. The journal does not store
    /// it.
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
