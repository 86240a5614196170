import Money
import Networking
import Payments
import Storage
import Yosemite

/// The exchange of the till with the store about orders, their payments, and refunds.
extension Till {
    /// Selects the payment gateway of `--gateway`, which the store must have, or the preferred one if the store has it:
    /// a preference that the store no longer offers changes nothing.
    func use(gateway named: String?, of shop: Shop) async throws(CommandFailure) {
        let preferred: String? =
            if named != nil {
                nil
            } else {
                try await shop.value {
                    AppSettingsAction.getPreferredInPersonPaymentGateway(siteID: shop.siteID, onCompletion: $0)
                }
            }
        guard let name = named ?? preferred else { return }
        let accounts =
            try await stores.value { CardPresentPaymentsAction.loadAccounts(siteID: shop.siteID, onCompletion: $0) }
            as [PaymentGatewayAccount]
        if let account = accounts.first(where: { $0.gatewayID == name }) {
            try dispatch(.use(account: account))
        } else if named != nil {
            throw CommandFailure(
                .configuration, code: "no_gateway_account", message: "the store has no account at \(name)",
                fix: accounts.isEmpty
                    ? "set up an account in the store, or leave out --gateway and let the till complete the order "
                        + "('order.payment' in the configuration)"
                    : "available: " + accounts.map(\.gatewayID).joined(separator: ", "))
        } else {
            StandardError.note(
                "The store has no account at \(name), the preferred gateway. Forget it with 'cardpresent sites gateway "
                    + "--forget'.\n")
        }
    }

    private func dispatch(_ action: CardPresentPaymentsAction) throws(CommandFailure) {
        do throws(DispatcherError) { try stores.dispatch(action) } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }

    /// Asks the store for an order's amount.
    func quote(order: Int64, of shop: Shop) async throws(CommandFailure) -> OrderQuote {
        try await stores.value {
            CardPresentPaymentsAction.quoteOrder(siteID: shop.siteID, orderID: order, onCompletion: $0)
        }
    }

    /// Notifies the store of a payment and its refunds, and checks rejected ones again.
    func syncPayment(_ payment: PaymentID) async throws(CommandFailure) -> OrderPaymentReport {
        let report: OrderPaymentReport = try await stores.value {
            CardPresentPaymentsAction.syncOrderPayments(paymentID: payment, onCompletion: $0)
        }
        await announceSignOut()
        return report
    }

    /// Records that the clerk accepts that the store does not show a payment or its refunds.
    func accept(_ payment: PaymentID, reason: String) async throws(CommandFailure) -> Payment {
        try await stores.value {
            CardPresentPaymentsAction.acceptOrderPayment(paymentID: payment, reason: reason, onCompletion: $0)
        }
    }

    /// Loads the payments that the clerk has to decide about.
    func paymentsToReview() async throws(CommandFailure) -> [Payment] {
        try await stores.value { CardPresentPaymentsAction.loadPaymentsToReview(onCompletion: $0) }
    }

    /// Asks the store whether it still accepts the credentials, and reports on stderr when it does not. Other errors
    /// are no answer.
    func checkSignIn() async {
        guard signOut == nil, let shop = try? shop() else { return }
        _ =
            try? await shop.value {
                OrderStatusAction.retrieveOrderStatuses(siteID: shop.siteID, onCompletion: $0)
            } as ElementList<OrderStatus>
        await announceSignOut()
    }

    /// Creates the store's online receipt of an order.
    func backendReceipt(order: Int64, of shop: Shop) async throws(CommandFailure) -> BackendReceipt {
        try await stores.value {
            ReceiptAction.retrieveReceipt(siteID: shop.siteID, orderID: order, onCompletion: $0)
        }
    }

    /// Asks the store what lines of a payment's order cost.
    func quoteRefund(of id: PaymentID, _ items: [RefundItem]) async throws(CommandFailure) -> RefundQuote {
        try await stores.value {
            CardPresentPaymentsAction.quoteRefund(paymentID: id, items: items, onCompletion: $0)
        }
    }

    func refund(
        _ id: PaymentID, amount: Money?, lines: [RefundedLine] = [], tillRequest: String? = nil
    ) async throws(CommandFailure) -> Payment {
        let payment: Payment = try await stores.value {
            CardPresentPaymentsAction.refundPayment(
                paymentID: id, amount: amount, lines: lines, tillRequest: tillRequest, onCompletion: $0)
        }
        await announceSignOut()
        return payment
    }
}
