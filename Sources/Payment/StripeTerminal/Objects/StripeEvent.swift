import Text

/// Something that happened, with the object as it was then.
struct StripeEvent: Hashable, Sendable {
    let id: String
    let type: String
    let created: Int64
    let apiVersion: String
    let object: JSONValue
    /// The request that caused it, and its idempotency key; nil for what happened at a reader.
    let request: String?
    let idempotencyKey: String?

    /// The object with the number of endpoints that have not taken it.
    func json(pending: Int) -> JSONValue {
        [
            "id": .text(id), "object": "event", "api_version": .text(apiVersion), "created": JSONValue(created),
            "data": ["object": object], "livemode": false, "pending_webhooks": JSONValue(Int64(pending)),
            "request": ["id": JSONValue(request), "idempotency_key": JSONValue(idempotencyKey)], "type": .text(type),
        ]
    }
}
