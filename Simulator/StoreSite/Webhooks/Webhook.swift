import Determinism
import Text

/// A kind of resource that webhooks report.
enum StoreResource: Hashable, Sendable {
    case order(Int64)
    case product(Int64)
    case customer(Int64)
    case coupon(Int64)

    /// The first part of a topic.
    var name: String {
        switch self {
        case .order: "order"
        case .product: "product"
        case .customer: "customer"
        case .coupon: "coupon"
        }
    }

    var id: Int64 {
        switch self {
        case .order(let id), .product(let id), .customer(let id), .coupon(let id): id
        }
    }
}

/// The second part of a topic.
enum StoreChange: String, Hashable, Sendable, CaseIterable {
    case created, updated, deleted, restored
}

struct ChangedResource: Hashable, Sendable {
    var resource: StoreResource
    var change: StoreChange

    var topic: String { "\(resource.name).\(change.rawValue)" }
}

/// A program's wish to hear of changes.
struct Webhook: Hashable, Sendable {
    enum Status: String, Hashable, Sendable, CaseIterable {
        case active, paused, disabled
    }

    var id: Int64
    var name: String
    var status = Status.active
    /// For example `order.created`.
    var topic: String
    var address: String
    var secret: SitePassword
    var created, modified: Timestamp
    /// The interface whose format the bodies have: `wc/v3`.
    var namespace: String
    /// The deliveries in a row that failed.
    var failures = 0

    /// With more failures in a row, a webhook is disabled.
    static let mostFailures = 5

    /// The actions of WooCommerce that a topic stands for.
    var hooks: [String] {
        let known: [String: [String]] = [
            "order.created": ["woocommerce_new_order"], "order.updated": ["woocommerce_update_order"],
            "order.deleted": ["woocommerce_trash_order", "woocommerce_delete_order"],
            "order.restored": ["woocommerce_untrash_order"], "product.created": ["woocommerce_new_product"],
            "product.updated": ["woocommerce_update_product"], "product.deleted": ["wp_trash_post"],
            "product.restored": ["untrashed_post"], "customer.created": ["user_register"],
            "customer.updated": ["profile_update"], "customer.deleted": ["delete_user"],
            "coupon.created": ["woocommerce_new_coupon"], "coupon.updated": ["woocommerce_update_coupon"],
            "coupon.deleted": ["wp_trash_post"], "coupon.restored": ["untrashed_post"],
        ]
        return known[topic] ?? [String(topic.dropFirst("action.".count))]
    }

    /// Whether WooCommerce knows a topic. Those of actions are accepted, but a simulated store has no actions.
    static func isTopic(_ text: String) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        if parts[0] == "action" { return !parts[1].isEmpty }
        return ["order", "product", "customer", "coupon"].contains(parts[0])
            && StoreChange(rawValue: String(parts[1])) != nil
    }
}

/// A request that a store sends to the address of a webhook.
public struct WebhookDelivery: Hashable, Sendable {
    /// A header field of the request.
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// The number of the delivery, from 1.
    public let number: Int
    public let webhookID: Int64
    /// Where to send it, by POST.
    public let address: String
    /// All header fields, with the signature of the body.
    public let headers: [Header]
    public let body: [UInt8]
    /// `order.created`; nil for the first message to a new webhook, which only shows that its address works.
    let topic: String?
}

/// A delivery as recorded: without its body and its address.
struct SeenDelivery: Hashable, Sendable {
    var number: Int
    var webhookID: Int64
    var topic: String
    /// The status of the response; nil before it, 0 without one.
    var status: Int?

    var node: JSONValue {
        [
            "number": .integer(number), "webhook": .integer(webhookID), "topic": .text(topic),
            "status": status.map { .integer($0) } ?? .null,
        ]
    }
}
