internal import Determinism

/// Money that a payment provider took for an order.
struct Charge: Hashable, Sendable {
    /// Which plug-in took it.
    enum Gateway: String, Hashable, Sendable {
        case wooPayments = "woocommerce_payments"
        case stripe

        var title: String {
            switch self {
            case .wooPayments: "WooCommerce In-Person Payments"
            case .stripe: "In-Person Payments"
            }
        }
    }

    var id: String
    var intentID: String
    var orderID: Int64
    var gateway: Gateway
    var amount: Amount
    /// Lower case, as the provider writes it.
    var currency: String
    var created: Timestamp
    /// How often it was asked for: it is taken once.
    var requests = 1

    var node: JSONNode {
        [
            "id": .text(id), "payment_intent": .text(intentID), "order_id": .integer(orderID),
            "gateway": .text(gateway.rawValue), "amount": .integer(amount.hundredths), "currency": .text(currency),
            "created": .integer(created.milliseconds / 1000), "captures": 1, "capture_requests": .integer(requests),
        ]
    }

    /// As WooPayments shows it. A simulated card paid: the provider here never saw a real one.
    var details: JSONNode {
        [
            "id": .text(id), "object": "charge", "amount": .integer(amount.hundredths),
            "amount_captured": .integer(amount.hundredths), "amount_refunded": 0, "application_fee_amount": 0,
            "authorization_code": .null, "balance_transaction": .text("txn_\(id.dropFirst(3))"),
            "billing_details": [
                "address": [
                    "city": .null, "country": .null, "line1": .null, "line2": .null, "postal_code": .null,
                    "state": .null,
                ], "email": .null, "name": .null, "phone": .null,
            ], "captured": true, "created": .integer(created.milliseconds / 1000), "currency": .text(currency),
            "livemode": false, "outcome": ["network_status": "approved_by_network", "type": "authorized"],
            "paid": true, "payment_intent": .text(intentID), "payment_method": .text("pm_\(id.dropFirst(3))"),
            "payment_method_details": [
                "type": "card_present",
                "card_present": [
                    "brand": "visa", "country": "US", "exp_month": 12, "exp_year": 2030, "funding": "credit",
                    "last4": "9969", "network": "visa", "read_method": "contact_emv",
                    "receipt": [
                        "account_type": "credit", "application_preferred_name": "Visa Credit",
                        "dedicated_file_name": "A0000000031010", "authorization_response_code": "3030",
                    ],
                ],
            ], "refunded": false, "status": "succeeded", "order": ["number": .integer(orderID)],
        ]
    }
}
