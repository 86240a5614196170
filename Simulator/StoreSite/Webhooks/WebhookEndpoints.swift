import Determinism
import Text

/// `webhooks`
enum WebhookEndpoints {
    static let routes: [Route] = Route.collection(
        "/wc/v3/webhooks", list: list, get: get, create: create, update: update, delete: delete)

    private static func node(_ webhook: Webhook, _ store: SiteStore) -> JSONValue {
        let offset = store.identity.offsetSeconds
        let parts = webhook.topic.split(separator: ".", maxSplits: 1).map(String.init)
        // The secret is never shown.
        return [
            "id": .integer(webhook.id), "name": .text(webhook.name), "status": .text(webhook.status.rawValue),
            "topic": .text(webhook.topic), "resource": .text(parts.first ?? ""), "event": .text(parts.last ?? ""),
            "hooks": .list(webhook.hooks.map(JSONValue.text)), "delivery_url": .text(webhook.address),
            "date_created": .text(WordPressDate.text(webhook.created, offsetSeconds: offset)),
            "date_created_gmt": .text(WordPressDate.text(webhook.created)),
            "date_modified": .text(WordPressDate.text(webhook.modified, offsetSeconds: offset)),
            "date_modified_gmt": .text(WordPressDate.text(webhook.modified)),
            "_links": store.identity.links("wc/v3/webhooks/\(webhook.id)", collection: "wc/v3/webhooks"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let status = try call.parameters.choice(
            "status", ["all"] + Webhook.Status.allCases.map(\.rawValue), default: "all")
        let found = store.webhooks.filter { status == "all" || $0.status.rawValue == status }
        return Reply(page: page, of: found.reversed()) { node($0, store) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "woocommerce_rest_shop_webhook_invalid_id", "Invalid ID.")
        return try call.index(in: store.webhooks, or: refusal) { $0.id }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.webhooks[try index(store, call)], store))
    }

    private static func topic(_ parameters: SiteParameters) throws(SiteError) -> String {
        let topic = parameters.text("topic")?.lowercased() ?? ""
        guard Webhook.isTopic(topic) else {
            throw SiteError(
                400, "woocommerce_rest_shop_webhook_invalid_topic", "A webhook needs a valid topic.")
        }
        return topic
    }

    private static func address(_ parameters: SiteParameters) throws(SiteError) -> String {
        let address = parameters.text("delivery_url") ?? ""
        let isWeb = address.hasPrefix("http://") || address.hasPrefix("https://")
        let isClean = address.utf8.count <= 2048 && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isWeb, isClean else {
            throw SiteError(
                400, "woocommerce_rest_shop_webhook_invalid_delivery_url",
                "The delivery URL of a webhook starts with http:// or https://.")
        }
        return address
    }

    private static func status(_ parameters: SiteParameters) throws(SiteError) -> Webhook.Status? {
        guard let word = parameters.text("status") else { return nil }
        guard let status = Webhook.Status(rawValue: word) else {
            throw .invalidParameter("status", "status is not one of active, paused, disabled.")
        }
        return status
    }

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let parameters = call.parameters
        let (topic, address) = (try topic(parameters), try address(parameters))
        let status = try status(parameters) ?? .active
        let secret = parameters.text("secret").flatMap { $0.isEmpty ? nil : $0 } ?? store.generator.letters(50)
        let id = (store.webhooks.last?.id ?? 0) + 1
        let version = call.route.split(separator: "/").prefix(2).joined(separator: "/")
        let webhook = Webhook(
            id: id, name: parameters.text("name") ?? "Webhook created", status: status, topic: topic, address: address,
            secret: SitePassword(secret), created: call.now, modified: call.now, namespace: version)
        store.webhooks.append(webhook)
        if status == .active { store.newWebhooks.append(id) }
        return Reply(node(webhook, store), status: 201)
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        let parameters = call.parameters
        var webhook = store.webhooks[index]
        if parameters["topic"] != nil { webhook.topic = try topic(parameters) }
        if parameters["delivery_url"] != nil { webhook.address = try address(parameters) }
        if let status = try status(parameters) { (webhook.status, webhook.failures) = (status, 0) }
        if let name = parameters.text("name") { webhook.name = name }
        if let secret = parameters.text("secret"), !secret.isEmpty { webhook.secret = SitePassword(secret) }
        webhook.modified = call.now
        store.webhooks[index] = webhook
        return Reply(node(webhook, store))
    }

    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        guard try call.parameters.flag("force") ?? false else {
            throw SiteError(501, "woocommerce_rest_trash_not_supported", "Webhooks do not support trashing.")
        }
        return Reply(node(store.webhooks.remove(at: index), store))
    }
}
