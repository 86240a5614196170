import Payments
import Terminal
import Text

/// Why a payment was not taken, in the words of the protocol.
struct StripeDecline: Hashable, Sendable {
    let code: String
    let declineCode: String?
    let message: String
    /// The response code of the issuer (ISO 8583, DE 39); nil where it was not asked.
    let networkCode: String?

    /// Takes the decline of the issuer or the card.
    init(_ decline: TerminalDecline) {
        networkCode = decline.responseCode
        (code, declineCode, message) = Self.words(for: decline.responseCode)
    }

    private static func words(for responseCode: String?) -> (String, String, String) {
        let declined = "card_declined"
        return switch responseCode {
        case "01", "02": (declined, "call_issuer", "Your card was declined: the issuer asks for a call.")
        case "12", "57": (declined, "transaction_not_allowed", "Your card does not support this type of purchase.")
        case "13": (declined, "invalid_amount", "Your card was declined for this amount.")
        case "14": ("incorrect_number", "incorrect_number", "Your card number is incorrect.")
        case "41": (declined, "lost_card", "Your card was declined.")
        case "43": (declined, "stolen_card", "Your card was declined.")
        case "51": (declined, "insufficient_funds", "Your card has insufficient funds.")
        case "54": ("expired_card", "expired_card", "Your card has expired.")
        case "55": (declined, "incorrect_pin", "The PIN is incorrect.")
        case "61": (declined, "card_velocity_exceeded", "Your card has reached its limit.")
        case "62": (declined, "restricted_card", "Your card was declined.")
        case "65": (declined, "withdrawal_count_limit_exceeded", "Your card has reached its limit.")
        case "75": (declined, "pin_try_exceeded", "The PIN was entered incorrectly too often.")
        case "91": (declined, "issuer_not_available", "The issuer of your card could not be reached.")
        case "96": ("processing_error", "processing_error", "An error occurred while processing your card.")
        default: (declined, "generic_decline", "Your card was declined.")
        }
    }

    /// The error of the payment.
    func error(charge: StripeCharge) -> JSONValue {
        [
            "charge": .text(charge.id), "code": .text(code), "decline_code": JSONValue(declineCode),
            "doc_url": .text(StripeError.address(of: code)), "message": .text(message),
            "payment_method": [
                "id": .text(charge.paymentMethod), "object": "payment_method",
                "card_present": [
                    "brand": JSONValue(StripeCharge.brand(charge.card?.brand)),
                    "last4": JSONValue(charge.card?.lastFour),
                ],
                "type": "card_present",
            ],
            "type": "card_error",
        ]
    }
}

/// A card of the protocol's test helper.
public struct StripeTestCard: Hashable, Sendable {
    /// A test number that the protocol publishes, and what it does.
    public let number: String

    /// The card that is presented when a till names none.
    public static let standard = StripeTestCard("4242424242424242")

    private init(_ number: String) { self.number = number }

    /// The numbers, with the effect of each.
    public static let all: [StripeTestCard] = [
        "4242424242424242", "4000056655665556", "5555555555554444", "5200828282828210", "5105105105105100",
        "378282246310005", "371449635398431", "6011111111111117", "6011000990139424", "3056930009020004",
        "36227206271667", "3566002020360505", "6200000000000005", "4001007020000002", "4001000360000005",
        "4000000000000002", "4000000000009995", "4000000000009987", "4000000000009979", "4000000000000069",
        "4000000000000119",
    ].map { StripeTestCard($0) }

    /// Finds a test card by its number; nil for every other number.
    static func numbered(_ number: String) -> StripeTestCard? { all.first { $0.number == number } }
}
