import Text

/// The endpoints of WooPayments and the Stripe extension for a till: accounts, connection tokens, locations,
/// captures, and charges.
enum PaymentEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wc/v3/payments/accounts", wooPayments(account(withEligibility: true))),
        Route("GET", "/wc/v3/wc_stripe/account/summary", account(withEligibility: false)),
        Route("POST", "/wc/v3/payments/connection_tokens", wooPayments(connectionToken)),
        Route("POST", "/wc/v3/wc_stripe/connection_tokens", connectionToken),
        Route("GET", "/wc/v3/payments/terminal/locations/store", wooPayments(location)),
        Route("GET", "/wc/v3/wc_stripe/terminal/locations/store", location),
        Route("POST", "/wc/v3/payments/orders/*/capture_terminal_payment", wooPayments(capture(.wooPayments))),
        Route("POST", "/wc/v3/wc_stripe/orders/*/capture_terminal_payment", capture(.stripe)),
        Route("GET", "/wc/v3/payments/charges/*", wooPayments(charge)),
    ]

    /// A store without WooPayments has none of its routes.
    private static func wooPayments(_ answer: @escaping Route.Handler) -> Route.Handler {
        { store, call throws(SiteError) in
            guard store.identity.hasWooPayments else { throw .noRoute }
            return try answer(&store, call)
        }
    }

    private static func account(withEligibility: Bool) -> Route.Handler {
        { store, _ throws(SiteError) in
            let currency = store.settingText("general", "woocommerce_currency").lowercased()
            var members: [JSONValue.Member] = [
                .init(name: "has_pending_requirements", value: false),
                .init(name: "has_overdue_requirements", value: false), .init(name: "current_deadline", value: .null),
                .init(name: "status", value: "complete"),
                .init(name: "statement_descriptor", value: .text(descriptor(store.identity.name))),
                .init(
                    name: "store_currencies",
                    value: ["default": .text(currency), "supported": [.text(currency)]]),
                .init(name: "country", value: .text(store.base.country)), .init(name: "is_live", value: false),
                .init(name: "test_mode", value: true),
            ]
            if withEligibility { members.append(.init(name: "card_present_eligible", value: true)) }
            return Reply(.object(members))
        }
    }

    /// Returns the statement descriptor, at most 22 characters.
    private static func descriptor(_ name: String) -> String {
        String(name.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " ") }.prefix(22))
    }

    private static func connectionToken(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            [
                "object": "terminal.connection_token", "secret": .text("pst_test_\(store.generator.letters(40))"),
                "test_mode": true,
            ])
    }

    private static func location(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let base = store.base
        guard !base.address1.isEmpty, !base.city.isEmpty, !base.country.isEmpty else {
            // The message is the URL where the owner can fix it.
            throw SiteError(
                400, "store_address_is_incomplete",
                "\(store.identity.address)/wp-admin/admin.php?page=wc-settings&tab=general")
        }
        guard base.country != "US" || (base.postcode.utf8.count == 5 && Int(base.postcode) != nil) else {
            throw SiteError(400, "postal_code_invalid", "The postal code is invalid.")
        }
        return Reply(
            [
                "id": .text("tml_\(store.identity.id)"),
                "address": [
                    "city": .text(base.city), "country": .text(base.country), "line1": .text(base.address1),
                    "line2": .text(base.address2), "postal_code": .text(base.postcode), "state": .text(base.state),
                ], "display_name": .text(store.identity.name), "livemode": false, "metadata": [],
            ])
    }

    /// Captures a payment intent. A repeated request gets its first response and takes no money.
    private static func capture(_ gateway: Charge.Gateway) -> Route.Handler {
        { store, call throws(SiteError) in
            guard let intentID = call.parameters.text("payment_intent_id") else {
                throw .missingParameter("payment_intent_id")
            }
            guard let id = Int64(call.text(0)), var order = store.orders[id], order.status != .trash else {
                throw SiteError(404, "wcpay_missing_order", "Order not found")
            }
            if let known = store.payments.charge(intent: intentID) {
                guard known.orderID == id else {
                    throw SiteError(
                        409, "wcpay_intent_order_mismatch",
                        "The payment cannot be captured: it belongs to another order.")
                }
                store.payments.count(known)
                return Reply(["status": "succeeded", "id": .text(intentID)])
            }
            guard intentID.hasPrefix("pi_"), intentID.utf8.count <= 255, intentID.utf8.allSatisfy(isPlain) else {
                throw captureError("No such payment_intent: '\(intentID.prefix(64))'")
            }
            if let state = store.payments.states[intentID], state != "requires_capture" {
                throw SiteError(409, "wcpay_payment_uncapturable", "The payment cannot be captured")
            }
            guard order.refunds.isEmpty else {
                throw SiteError(
                    400, "wcpay_refunded_order_uncapturable",
                    "Payment cannot be captured for partially or fully refunded orders.")
            }
            switch order.status {
            case .pending, .onHold, .failed, .autoDraft, .checkoutDraft: break
            case .processing where order.paid == nil || order.paymentMethod == "cod": break
            case .processing, .completed, .refunded, .canceled, .trash:
                throw captureError(
                    "The specified order already has status \(order.status.rawValue). No payment can be made to this "
                        + "order.")
            }
            guard store.payments.charge(order: id) == nil else { throw captureError("The order is already paid.") }
            guard order.totals.total >= Amount(hundredths: 50) else {
                throw captureError("Amount must be at least $0.50 usd")
            }
            let charge = Charge(
                id: "ch_\(store.generator.letters(24))", intentID: intentID, orderID: id, gateway: gateway,
                amount: order.totals.total, currency: order.currency.lowercased(), created: call.now)
            store.payments.add(charge)
            complete(&order, with: charge, in: &store, call)
            return Reply(["status": "succeeded", "id": .text(intentID)])
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    private static func captureError(_ reason: String) -> SiteError {
        SiteError(
            400, "wcpay_capture_error", "Payment capture failed to complete with the following message: \(reason)")
    }

    private static func complete(
        _ order: inout StoredOrder, with charge: Charge, in store: inout SiteStore, _ call: Call
    ) {
        order.paymentMethod = charge.gateway.rawValue
        order.paymentMethodTitle = charge.gateway.title
        order.modified = call.now
        let meta: [(String, String)]
        let shown: String
        switch charge.gateway {
        case .wooPayments:
            (order.transactionID, shown) = (charge.intentID, "WooPayments")
            meta = [
                ("_payment_method_id", "pm_\(charge.id.dropFirst(3))"), ("_intent_id", charge.intentID),
                ("_charge_id", charge.id), ("_intention_status", "succeeded"),
                ("_wcpay_intent_currency", order.currency),
            ]
        case .stripe:
            (order.transactionID, shown) = (charge.id, "Stripe")
            meta = [
                ("_stripe_intent_id", charge.intentID), ("_charge_id", charge.id), ("_stripe_charge_captured", "yes"),
                ("_stripe_currency", order.currency),
            ]
        }
        for (key, value) in meta {
            order.meta.removeAll { $0.key == key }
            order.meta.append(MetaEntry(id: store.metaIDs.next(), key: key, value: .text(value)))
        }
        _ = store.addNote(
            "A payment of \(StoreIdentity.symbol(order.currency))\(charge.amount.text) was <strong>successfully "
                + "charged</strong> using \(shown) (<code>\(order.transactionID)</code>).",
            to: order.id, at: call.now)
        store.move(&order, to: .completed, at: call.now)
        // A processing order may have been created before any payment.
        order.paid = call.now
        store.orders.put(order)
    }

    private static func charge(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        guard let charge = store.payments.charge(call.text(0)) else {
            // WooPayments sends no status with it, which WordPress turns into 500.
            throw SiteError(500, "wcpay_get_charge", "Error: No such charge: '\(call.text(0).prefix(64))'")
        }
        return Reply(charge.details)
    }
}
