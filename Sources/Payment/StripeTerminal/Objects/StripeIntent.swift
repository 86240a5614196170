import Payments
import Text

/// A payment as a till plans and follows it.
struct StripeIntent: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        case requiresPaymentMethod = "requires_payment_method"
        case processing
        case requiresCapture = "requires_capture"
        case succeeded, canceled
    }

    /// The texts that a till may give, in the order of the object.
    static let texts = ["description", "receipt_email", "statement_descriptor", "statement_descriptor_suffix"]

    let id: String
    let clientSecret: String
    let created: Int64
    /// A code of ISO 4217 in lowercase.
    let currency: String
    var amount: Int64
    /// Whether `capture_method` is `manual`.
    let isAlwaysManual: Bool
    /// The capture method of `payment_method_options[card_present]`, which goes before the one of the intent: `manual`
    /// or `manual_preferred`; nil for the one of the intent.
    var cardCaptureMethod: String?
    var customer: String?
    /// The values of ``texts``.
    var words: [String: String] = [:]
    var metadata: [JSONValue.Member] = []
    var state = State.requiresPaymentMethod
    var received: Int64 = 0
    var tip: Int64?
    var charge: String?
    var paymentMethod: String?
    var lastError: JSONValue?
    var canceled: Int64?
    var cancellationReason: String?

    /// Whether the amount is held, and charged by a capture.
    var isManual: Bool { isAlwaysManual || cardCaptureMethod != nil }

    /// The options of card_present. What is not supported is false.
    private var cardOptions: JSONValue {
        var members: [JSONValue.Member] = [
            .init("request_extended_authorization", false),
            .init("request_incremental_authorization_support", false),
        ]
        if let cardCaptureMethod { members.insert(.init("capture_method", .text(cardCaptureMethod)), at: 0) }
        return .object(members)
    }

    var json: JSONValue {
        [
            "id": .text(id), "object": "payment_intent", "amount": JSONValue(amount),
            "amount_capturable": state == .requiresCapture ? JSONValue(amount) : 0,
            "amount_details": ["tip": tip.map { ["amount": JSONValue($0)] } ?? .object([])],
            "amount_received": JSONValue(received), "application": .null, "application_fee_amount": .null,
            "automatic_payment_methods": .null, "canceled_at": JSONValue(canceled),
            "cancellation_reason": JSONValue(cancellationReason),
            "capture_method": isAlwaysManual ? "manual" : "automatic", "client_secret": .text(clientSecret),
            "confirmation_method": "automatic", "created": JSONValue(created), "currency": .text(currency),
            "customer": JSONValue(customer), "description": JSONValue(words["description"]),
            "excluded_payment_method_types": .null, "last_payment_error": lastError ?? .null,
            "latest_charge": JSONValue(charge), "livemode": false, "metadata": .object(metadata),
            "next_action": .null, "on_behalf_of": .null, "payment_method": JSONValue(paymentMethod),
            "payment_method_configuration_details": .null,
            "payment_method_options": ["card_present": cardOptions],
            "payment_method_types": ["card_present"], "processing": .null,
            "receipt_email": JSONValue(words["receipt_email"]), "review": .null, "setup_future_usage": .null,
            "shipping": .null, "source": .null, "statement_descriptor": JSONValue(words["statement_descriptor"]),
            "statement_descriptor_suffix": JSONValue(words["statement_descriptor_suffix"]),
            "status": .text(state.rawValue), "transfer_data": .null, "transfer_group": .null,
        ]
    }
}

/// Money that goes back to a card.
struct StripeRefund: Hashable, Sendable {
    let id: String
    let charge: String
    let intent: String
    let amount: Int64
    let currency: String
    let created: Int64
    var reason: String?
    var metadata: [JSONValue.Member] = []
    var status = "pending"
    var failureReason: String?

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .text(id)), .init("object", "refund"), .init("amount", JSONValue(amount)),
            .init("balance_transaction", .null), .init("charge", .text(charge)), .init("created", JSONValue(created)),
            .init("currency", .text(currency)),
            .init("destination_details", ["card": ["type": "refund"], "type": "card"]),
            .init("metadata", .object(metadata)), .init("payment_intent", .text(intent)),
            .init("reason", JSONValue(reason)), .init("receipt_number", .null),
            .init("source_transfer_reversal", .null), .init("status", .text(status)),
            .init("transfer_reversal", .null),
        ]
        if let failureReason { members.append(.init("failure_reason", .text(failureReason))) }
        return .object(members)
    }
}
