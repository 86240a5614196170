import Determinism
import Text

/// The charges of a store, and the states of intents without a charge.
struct PaymentBook: Sendable {
    /// Oldest first.
    private(set) var charges: [Charge] = []
    /// The states of intents that cannot be captured, by ID. All other intents wait for capture: the reader that
    /// created them is not part of the site.
    var states: [String: String] = [:]

    func charge(intent: String) -> Charge? { charges.first { $0.intentID == intent } }

    func charge(order: Int64) -> Charge? { charges.first { $0.orderID == order } }

    func charge(_ id: String) -> Charge? { charges.first { $0.id == id } }

    mutating func add(_ charge: Charge) { charges.append(charge) }

    mutating func count(_ charge: Charge) {
        guard let index = charges.firstIndex(where: { $0.id == charge.id }) else { return }
        charges[index].requests += 1
    }

    /// Gives back part of the charge of an order.
    mutating func refund(order: Int64, _ amount: Amount) {
        guard let index = charges.firstIndex(where: { $0.orderID == order }) else { return }
        charges[index].refunded += amount
    }
}

/// A charge that a payment provider made for an order.
struct Charge: Hashable, Sendable {
    /// The payment plug-in.
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

    var id, intentID: String
    var orderID: Int64
    var gateway: Gateway
    var amount: Amount
    /// In lowercase, as the provider writes it.
    var currency: String
    var created: Timestamp
    /// The number of capture requests. The money is taken once.
    var requests = 1
    /// The amount that the gateway gave back.
    var refunded = Amount.zero

    var node: JSONValue {
        [
            "id": .text(id), "payment_intent": .text(intentID), "order_id": .integer(orderID),
            "gateway": .text(gateway.rawValue), "amount": .integer(amount.hundredths), "currency": .text(currency),
            "created": .integer(created.milliseconds / 1000), "captures": 1, "capture_requests": .integer(requests),
        ]
    }

    /// The charge as shown by WooPayments. The card details are those of a simulated card, since no real card was
    /// used.
    var details: JSONValue {
        [
            "id": .text(id), "object": "charge", "amount": .integer(amount.hundredths),
            "amount_captured": .integer(amount.hundredths), "amount_refunded": .integer(refunded.hundredths),
            "application_fee_amount": 0,
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
            ], "refunded": .bool(refunded >= amount), "status": "succeeded", "order": ["number": .integer(orderID)],
        ]
    }
}

/// A snapshot of a charge, to compare the money taken with expectations.
public struct LedgerEntry: Hashable, Sendable {
    /// `ch_…`.
    public var chargeID: String
    /// `pi_…`.
    public var paymentIntentID: String
    public var orderID: Int64
    /// `woocommerce_payments` or `stripe`.
    public var gateway: String
    /// In hundredths.
    public var amount: Int64
    /// The ISO 4217 code in lowercase.
    public var currency: String
    /// The number of capture requests. The money was taken once.
    public var captureRequests: Int

    init(_ charge: Charge) {
        (chargeID, paymentIntentID, orderID) = (charge.id, charge.intentID, charge.orderID)
        (gateway, amount, currency) = (charge.gateway.rawValue, charge.amount.hundredths, charge.currency)
        captureRequests = charge.requests
    }
}
