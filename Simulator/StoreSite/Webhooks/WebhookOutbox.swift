import Determinism
import Text

/// The deliveries of a store that are not sent yet, and those that were.
struct WebhookOutbox: Sendable {
    private(set) var waiting: [WebhookDelivery] = []
    /// Oldest first; of very many, only the latest.
    private(set) var seen: [SeenDelivery] = []
    private var count = 0

    /// The names of deliveries, which are random.
    private let names: SeededGenerator

    /// More than a till or a test causes; the deliveries after them fail.
    private static let most = 1000

    init(names: SeededGenerator) { self.names = names }

    mutating func take() -> [WebhookDelivery] {
        defer { waiting = [] }
        return waiting
    }

    /// Adds the message that shows the address of a new webhook to be right.
    mutating func ping(_ webhook: Webhook) {
        add(
            webhook, topic: nil, body: Array("webhook_id=\(webhook.id)".utf8),
            headers: [.init(name: "Content-Type", value: "application/x-www-form-urlencoded")])
    }

    /// Adds the message about a change, signed with the webhook's secret.
    ///
    /// - Parameters:
    ///   - changed: what happened.
    ///   - webhook: who hears of it.
    ///   - site: the sender.
    ///   - body: the resource as JSON.
    mutating func tell(_ changed: ChangedResource, _ webhook: Webhook, _ site: StoreIdentity, body: [UInt8]) {
        let fields = [
            ("Content-Type", "application/json"), ("X-WC-Webhook-Source", site.address + "/"),
            ("X-WC-Webhook-Topic", changed.topic), ("X-WC-Webhook-Resource", changed.resource.name),
            ("X-WC-Webhook-Event", changed.change.rawValue),
            ("X-WC-Webhook-Signature", webhook.secret.signature(of: body) ?? ""),
            ("X-WC-Webhook-ID", String(webhook.id)), ("X-WC-Webhook-Delivery-ID", names.hexadecimal(32)),
        ]
        add(
            webhook, topic: changed.topic, body: body,
            headers: fields.map { WebhookDelivery.Header(name: $0.0, value: $0.1) })
    }

    private mutating func add(
        _ webhook: Webhook, topic: String?, body: [UInt8], headers: [WebhookDelivery.Header]
    ) {
        count += 1
        let hasPlace = waiting.count < Self.most
        if seen.count >= 2 * Self.most { seen.removeFirst(Self.most) }
        seen.append(
            SeenDelivery(
                number: count, webhookID: webhook.id, topic: topic ?? "ping", status: hasPlace ? nil : 0))
        guard hasPlace else { return }
        let agent = "WooCommerce/\(StoreIdentity.wooVersion) Hookshot (WordPress/6.6.2)"
        waiting.append(
            WebhookDelivery(
                number: count, webhookID: webhook.id, address: webhook.address,
                headers: [.init(name: "User-Agent", value: agent)] + headers, body: body, topic: topic))
    }

    /// Records the status of the response to a delivery; 0 without a response.
    mutating func record(_ status: Int, of delivery: WebhookDelivery) {
        guard let index = seen.firstIndex(where: { $0.number == delivery.number }) else { return }
        seen[index].status = status
    }
}

extension SiteState {
    /// Writes the messages about what a request changed.
    mutating func tellWebhooks(at now: Timestamp) {
        for site in stores.indices {
            for changed in stores[site].takeChanges() {
                for webhook in stores[site].webhooks
                where webhook.status == .active && webhook.topic == changed.topic {
                    guard let body = body(changed, webhook, site, now) else { continue }
                    outbox.tell(changed, webhook, stores[site].identity, body: body)
                }
            }
            for webhook in stores[site].webhooks where stores[site].newWebhooks.contains(webhook.id) {
                outbox.ping(webhook)
            }
            stores[site].newWebhooks = []
        }
    }

    /// Returns the resource as the REST API shows it; of a deleted one, only its ID is left.
    private mutating func body(
        _ changed: ChangedResource, _ webhook: Webhook, _ site: Int, _ now: Timestamp
    ) -> [UInt8]? {
        guard changed.change != .deleted else { return (["id": .integer(changed.resource.id)] as JSONValue).bytes }
        let route = "/\(webhook.namespace)/\(changed.resource.name)s/\(changed.resource.id)"
        let reply = try? rest(site, "GET", route, SiteParameters(), Visitor(user: user), now)
        switch reply?.content {
        case .node(let node): return node.bytes
        case .bytes(let bytes): return bytes
        case nil: return nil
        }
    }

    /// Records the response to a delivery. A webhook whose deliveries keep failing is disabled.
    mutating func record(_ status: Int, of delivery: WebhookDelivery) {
        outbox.record(status, of: delivery)
        // The first message to a webhook counts for nothing.
        guard delivery.topic != nil else { return }
        let hasSucceeded = (200...302).contains(status)
        for site in stores.indices {
            guard let index = stores[site].webhooks.firstIndex(where: { $0.id == delivery.webhookID }) else { continue }
            stores[site].webhooks[index].failures = hasSucceeded ? 0 : stores[site].webhooks[index].failures + 1
            if stores[site].webhooks[index].failures > Webhook.mostFailures {
                stores[site].webhooks[index].status = .disabled
            }
        }
    }
}
