import Cryptography
import Determinism
import Text

/// A message to a webhook endpoint, ready to be sent with POST.
public struct StripeDelivery: Hashable, Sendable {
    /// Names the delivery for ``StripeTerminal/record(_:of:at:)``.
    public let number: Int
    public let address: String
    public let headers: [StripeRequest.Header]
    /// The event as JSON; the same bytes in every try.
    public let body: [UInt8]
}

/// What goes wrong with the messages to webhook endpoints.
public enum StripeDeliveryFault: String, Hashable, Sendable, CaseIterable {
    /// A message is never sent.
    case lost = "webhook_lost"
    /// A message is sent two times.
    case twice = "webhook_twice"
    /// The signature is that of another secret.
    case badSignature = "webhook_bad_signature"
}

/// The messages to webhook endpoints that are not delivered yet. A message is sent at once, and again after growing
/// delays until the endpoint answers with a status of 2xx.
struct StripeOutbox: Sendable {
    private struct Message: Sendable {
        let number: Int
        let event: String
        let endpoint: StripeWebhookEndpoint
        let body: [UInt8]
        var tries = 0
        /// When it is sent again, on the wall clock; nil for at once.
        var due: Timestamp?
        var isBeingSent = false
        var hasBadSignature = false
    }

    /// The delays after the first, second, and later tries. After the last one, a message is given up.
    static let delays: [Duration] = [
        .seconds(5), .seconds(60), .seconds(600), .seconds(3600), .seconds(6 * 3600), .seconds(24 * 3600),
        .seconds(24 * 3600),
    ]
    /// The most messages that wait. Those beyond are given up.
    static let most = 10_000

    private var messages: [Message] = []
    private var count = 0
    private var faults: [(fault: StripeDeliveryFault, endpoint: String?)] = []

    /// Plans faults of the next messages to an endpoint, or to any one, in their order.
    mutating func plan(_ fault: StripeDeliveryFault, endpoint: String? = nil, times: Int) {
        faults += Array(repeating: (fault, endpoint), count: times)
    }

    private mutating func takeFault(of endpoint: String) -> StripeDeliveryFault? {
        let place = faults.firstIndex { $0.endpoint == nil || $0.endpoint == endpoint }
        return place.map { faults.remove(at: $0).fault }
    }

    /// The number of messages about an event that are not delivered.
    func pending(_ event: String) -> Int { messages.count { $0.event == event } }

    mutating func add(_ event: String, _ endpoint: StripeWebhookEndpoint, body: [UInt8]) {
        guard messages.count < Self.most else { return }
        let fault = takeFault(of: endpoint.id)
        guard fault != .lost else { return }
        for _ in 0..<(fault == .twice ? 2 : 1) {
            count += 1
            messages.append(
                Message(
                    number: count, event: event, endpoint: endpoint, body: body,
                    hasBadSignature: fault == .badSignature))
        }
    }

    /// Gives up what is for an endpoint that was deleted or disabled.
    mutating func remove(endpoint id: String) { messages.removeAll { $0.endpoint.id == id } }

    /// Takes the messages that are due on the wall clock, each signed for this moment.
    mutating func take(at wall: Timestamp) -> [StripeDelivery] {
        var deliveries: [StripeDelivery] = []
        for index in messages.indices where !messages[index].isBeingSent {
            if let due = messages[index].due, wall < due { continue }
            let message = messages[index]
            let secret = message.endpoint.secret + (message.hasBadSignature ? "_other" : "")
            guard
                let signature = try? StripeSignature.header(
                    message.body, secret: secret, seconds: wall.milliseconds / 1000)
            else { continue }
            messages[index].isBeingSent = true
            deliveries.append(
                StripeDelivery(
                    number: message.number, address: message.endpoint.address,
                    headers: [
                        .init("Content-Type", "application/json; charset=utf-8"),
                        .init("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)"),
                        .init("Stripe-Signature", signature),
                    ], body: message.body))
        }
        return deliveries
    }

    /// Takes the status that an endpoint answered with; 0 without an answer.
    mutating func record(_ status: Int, of number: Int, at wall: Timestamp) {
        guard let index = messages.firstIndex(where: { $0.number == number }) else { return }
        let tries = messages[index].tries
        guard !(200...299).contains(status), tries < Self.delays.count else {
            messages.remove(at: index)
            return
        }
        messages[index].tries = tries + 1
        messages[index].due = wall.advanced(by: Self.delays[tries])
        messages[index].isBeingSent = false
    }

    /// When the next message is due on the wall clock; nil when none waits for its time.
    var nextDue: Timestamp? { messages.lazy.filter { !$0.isBeingSent }.compactMap(\.due).min() }
}

/// An address that gets events.
struct StripeWebhookEndpoint: Hashable, Sendable {
    let id: String
    let secret: String
    let created: Int64
    var address: String
    /// The types of events, or `*` for all.
    var events: [String]
    var description: String?
    var apiVersion: String?
    var metadata: [JSONValue.Member] = []
    var isEnabled = true

    func takes(_ type: String) -> Bool { isEnabled && (events.contains("*") || events.contains(type)) }

    /// The object. Only the answer to its creation has the secret.
    func json(withSecret: Bool = false) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .text(id)), .init("object", "webhook_endpoint"), .init("api_version", JSONValue(apiVersion)),
            .init("application", .null), .init("created", JSONValue(created)),
            .init("description", JSONValue(description)), .init("enabled_events", .list(events.map { .text($0) })),
            .init("livemode", false), .init("metadata", .object(metadata)),
        ]
        if withSecret { members.append(.init("secret", .text(secret))) }
        members += [.init("status", isEnabled ? "enabled" : "disabled"), .init("url", .text(address))]
        return .object(members)
    }
}

/// Signs what is sent to webhook endpoints: `t=SECONDS,v1=CODE`, where the code is HMAC-SHA256 of the time, a full
/// stop, and the body, with the endpoint's whole secret as the key.
enum StripeSignature {
    /// Makes the value of the header field `Stripe-Signature`.
    ///
    /// - Parameters:
    ///   - body: the bytes that are sent.
    ///   - secret: the endpoint's secret with its prefix `whsec_`.
    ///   - seconds: the wall clock's seconds since 1970. Receivers refuse times that are minutes away from theirs.
    /// - Returns: the value, in ASCII.
    /// - Throws: a failure of libcrypto.
    static func header(_ body: [UInt8], secret: String, seconds: Int64) throws(CryptographyError) -> String {
        let code = try HMAC.code(Array("\(seconds).".utf8) + body, key: Array(secret.utf8))
        return "t=\(seconds),v1=\(code.lowercaseHexadecimal)"
    }
}
