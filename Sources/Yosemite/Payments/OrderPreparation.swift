internal import Amounts
internal import Networking
internal import Storage

/// Looks at an order before its customer is asked for a card: as its store shows it now, not as it was kept.
struct OrderPreparation: Sendable {
    let site: PaymentSite
    let accounts: GatewayAccounts

    /// What the journal and the payment have to know of an order that can be paid.
    struct Prepared: Sendable {
        let order: OrderToPay
        let amount: Money
        let metadata: [String: String]
        /// What its receipt says of what the amount is made of.
        let bill: ReceiptBill
    }

    /// What an order costs now, and what it cost when it was kept last.
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

    /// Fetches an order and looks whether it can be paid. `expected` is what the customer was told.
    func run(orderID: Int64, expected: Money?) async throws(CardPresentPaymentsError) -> Prepared {
        let account = try await accounts.account(siteID: site.siteID)
        let fetched = try await fetch(orderID)
        let order = fetched.order
        let payable: PayableOrder
        do throws(OrderNotPayable) {
            payable = try PayableOrder(order, currencies: account.storeCurrencies.supported, expected: expected)
        } catch {
            throw .order(error)
        }
        return Prepared(
            order: OrderToPay(
                siteID: site.siteID, siteAddress: site.address, storeName: site.name, orderID: orderID,
                orderNumber: order.number, gateway: account.gatewayID),
            amount: payable.amount, metadata: payable.metadata(site),
            bill: ReceiptBill(order, pricesIncludeTax: fetched.pricesIncludeTax, amount: payable.amount))
    }

    private func fetch(_ orderID: Int64) async throws(CardPresentPaymentsError) -> OrderForPayment {
        let fetched: OrderForPayment
        do throws(NetworkError) {
            fetched = try await site.orders.loadOrderToPay(siteID: site.siteID, orderID: orderID)
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
