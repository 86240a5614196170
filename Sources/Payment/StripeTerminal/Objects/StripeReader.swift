import Payments
import Text

extension JSONValue {
    /// A text, or null.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// A number, or null.
    init(_ number: Int64?) { self = number.map { .number(String($0)) } ?? .null }
}

/// A place of readers.
struct StripeLocation: Hashable, Sendable {
    static let addressParts = ["city", "country", "line1", "line2", "postal_code", "state"]

    let id: String
    var name: String
    /// The parts of the address in the order of ``addressParts``.
    var address: [String?]
    var phone: String?
    var metadata: [JSONValue.Member] = []

    var json: JSONValue {
        [
            "id": .text(id), "object": "terminal.location",
            "address": .object(zip(Self.addressParts, address).map { JSONValue.Member($0, JSONValue($1)) }),
            "configuration_overrides": .null, "display_name": .text(name), "livemode": false,
            "metadata": .object(metadata), "phone": JSONValue(phone),
        ]
    }
}

/// The action of a reader that runs, or the last one.
struct StripeAction: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        case inProgress = "in_progress"
        case succeeded, failed
    }

    let type: String
    /// The fields of the action, as the call had them.
    var details: [JSONValue.Member]
    /// The request of the terminal that carries it out.
    var key: IdempotencyKey
    /// The payment that it is for; nil for a display.
    var intent: String?
    /// The questions of `collect_inputs`; nil for other actions.
    var form: StripeInputForm?
    var state = State.inProgress
    var failureCode: String?
    var failureMessage: String?

    var json: JSONValue {
        [
            "failure_code": JSONValue(failureCode), "failure_message": JSONValue(failureMessage),
            type: .object(details), "status": .text(state.rawValue), "type": .text(type),
        ]
    }
}

/// A reader of the account.
struct StripeReader: Hashable, Sendable {
    /// The codes with which simulated readers are registered, with their types and the names in their serial numbers.
    static let models: [(code: String, type: String, serial: String)] = [
        ("simulated-wpe", "simulated_wisepos_e", "wpe"), ("simulated-s700", "simulated_stripe_s700", "s700"),
        ("simulated-s710", "simulated_stripe_s710", "s710"), ("simulated-t600", "simulated_stripe_t600", "t600"),
        ("simulated-m425", "simulated_verifone_m425", "m425"), ("simulated-p630", "simulated_verifone_p630", "p630"),
        ("simulated-ux700", "simulated_verifone_ux700", "ux700"),
        ("simulated-v660p", "simulated_verifone_v660p", "v660p"),
    ]

    let id: String
    let type: String
    let serialNumber: String
    var label: String
    var location: String?
    var metadata: [JSONValue.Member] = []
    var action: StripeAction?
    var isOnline = true
    var isDeleted = false
    /// When it was seen last, in milliseconds since 1970.
    var seen: Int64

    var isSimulated: Bool { type.hasPrefix("simulated_") }

    var json: JSONValue {
        guard !isDeleted else { return ["id": .text(id), "object": "terminal.reader", "deleted": true] }
        return [
            "id": .text(id), "object": "terminal.reader", "action": action?.json ?? .null, "device_sw_version": "",
            "device_type": .text(type), "ip_address": "0.0.0.0", "label": .text(label),
            "last_seen_at": JSONValue(seen), "livemode": false, "location": JSONValue(location),
            "metadata": .object(metadata), "serial_number": .text(serialNumber),
            "status": isOnline ? "online" : "offline",
        ]
    }
}
