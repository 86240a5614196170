import Payments
import Text

/// One try to take a payment.
struct StripeCharge: Hashable, Sendable {
    let id: String
    let intent: String
    let paymentMethod: String
    /// The reader that took it.
    let reader: String
    let location: String?
    /// The request of the reader's terminal, by which captures and refunds name it.
    let key: IdempotencyKey
    let amount: Int64
    let currency: String
    let created: Int64
    let card: CardDetails?
    var description: String?
    var metadata: [JSONValue.Member] = []
    /// What was captured; nil before the capture.
    var captured: Int64?
    /// What was refunded, and the rest that a capture of a part released.
    var refunded: Int64 = 0
    /// Why it was declined; nil for an approval.
    var decline: StripeDecline?
    /// Whether it was approved and taken back.
    var isReversed = false

    var isPaid: Bool { decline == nil && !isReversed }

    /// The part that can still be refunded.
    var refundable: Int64 { max(0, amount - refunded) }

    func json(refunds: [JSONValue]) -> JSONValue {
        [
            "id": .text(id), "object": "charge", "amount": JSONValue(amount),
            "amount_captured": JSONValue(captured ?? 0), "amount_refunded": JSONValue(refunded),
            "application": .null, "application_fee": .null, "application_fee_amount": .null,
            "authorization_code": JSONValue(card?.authorizationCode), "balance_transaction": .null,
            "billing_details": [
                "address": .object(StripeLocation.addressParts.map { JSONValue.Member($0, .null) }), "email": .null,
                "name": .null, "phone": .null, "tax_id": .null,
            ],
            "calculated_statement_descriptor": "CARDPRESENT", "captured": .bool(captured != nil),
            "created": JSONValue(created), "currency": .text(currency), "customer": .null,
            "description": JSONValue(description), "disputed": false, "failure_balance_transaction": .null,
            "failure_code": JSONValue(decline?.code), "failure_message": JSONValue(decline?.message),
            "fraud_details": .object([]), "livemode": false, "metadata": .object(metadata), "on_behalf_of": .null,
            "outcome": outcome, "paid": .bool(isPaid), "payment_intent": .text(intent),
            "payment_method": .text(paymentMethod), "payment_method_details": details, "receipt_email": .null,
            "receipt_number": .null, "receipt_url": .null,
            "refunded": .bool(isPaid && amount > 0 && refunded >= amount),
            "refunds": [
                "object": "list", "data": .list(refunds.reversed()), "has_more": false,
                "url": .text("/v1/charges/\(id)/refunds"),
            ],
            "review": .null, "shipping": .null, "source": .null, "source_transfer": .null,
            "statement_descriptor": .null, "statement_descriptor_suffix": .null,
            "status": isPaid ? "succeeded" : "failed", "transfer_data": .null, "transfer_group": .null,
        ]
    }

    private var outcome: JSONValue {
        let status =
            isReversed ? "reversed_after_approval" : decline == nil ? "approved_by_network" : "declined_by_network"
        return [
            "advice_code": .null, "network_advice_code": .null,
            "network_decline_code": JSONValue(decline?.networkCode), "network_status": .text(status),
            "reason": JSONValue(decline?.declineCode), "risk_level": "normal",
            "seller_message": .text(isPaid ? "Payment complete." : decline?.message ?? "The payment was taken back."),
            "type": isPaid ? "authorized" : "issuer_declined",
        ]
    }

    /// The card. The model has no expiry date and no country of the card, which are null.
    private var details: JSONValue {
        let brand = JSONValue(Self.brand(card?.brand))
        return [
            "card_present": [
                "amount_authorized": isPaid ? JSONValue(amount) : .null, "brand": brand, "brand_product": .null,
                "capture_before": captured == nil && isPaid ? JSONValue(created + 2 * 86_400) : .null,
                "cardholder_name": .null, "country": .null, "description": .null, "emv_auth_data": .null,
                "exp_month": .null, "exp_year": .null, "fingerprint": .null, "funding": "unknown",
                "generated_card": .null, "incremental_authorization_supported": false, "issuer": .null,
                "last4": JSONValue(card?.lastFour), "location": JSONValue(location), "network": brand,
                "network_transaction_id": JSONValue(card?.hostReference),
                "offline": ["stored_at": .null, "type": .null], "overcapture_supported": false,
                "preferred_locales": .list((card?.languages ?? []).map { .text($0) }),
                "read_method": JSONValue(readMethod), "reader": .text(reader), "receipt": receipt, "wallet": .null,
            ],
            "type": "card_present",
        ]
    }

    private var readMethod: String? {
        switch card?.entryMode {
        case .chip: "contact_emv"
        case .contactless: "contactless_emv"
        case .swipe: "magnetic_stripe_track2"
        case .fallback: "magnetic_stripe_fallback"
        case .other, nil: nil
        }
    }

    /// The data that a receipt of a chip card has to show.
    private var receipt: JSONValue {
        guard let card, card.aid != nil else { return .null }
        let responseCode = card.authorizationResponseCode.map { $0.utf8.hexadecimal }
        return [
            "account_type": "unknown", "application_cryptogram": JSONValue(card.applicationCryptogram),
            "application_preferred_name": JSONValue(card.applicationName),
            "authorization_code": JSONValue(card.authorizationCode),
            "authorization_response_code": JSONValue(responseCode),
            "cardholder_verification_method": .text(Self.word(for: card.cardholderVerification)),
            "dedicated_file_name": JSONValue(card.aid),
            "terminal_verification_results": JSONValue(card.terminalVerificationResults),
            "transaction_status_information": JSONValue(card.transactionStatusInformation),
        ]
    }

    private static func word(for method: CardDetails.CardholderVerification) -> String {
        switch method.family {
        case .offlinePIN, .offlinePINAndSignature: "offline_pin"
        case .onlinePIN: "online_pin"
        case .signature: "signature"
        case .failed: "failure"
        default: "none"
        }
    }

    /// The protocol's word for a brand.
    static func brand(_ brand: String?) -> String? {
        switch brand {
        case nil: nil
        case "visa", "mastercard", "discover", "jcb", "interac": brand
        case "americanExpress": "amex"
        case "unionPay": "unionpay"
        case "eftposAustralia": "eftpos_au"
        default: "unknown"
        }
    }
}
