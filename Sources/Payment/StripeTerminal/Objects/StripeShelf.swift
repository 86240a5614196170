import Determinism
import Text

/// An object of the protocol, found by its ID.
protocol StripeObject: Sendable {
    var id: String { get }
}

extension StripeLocation: StripeObject {}
extension StripeReader: StripeObject {}
extension StripeIntent: StripeObject {}
extension StripeCharge: StripeObject {}
extension StripeRefund: StripeObject {}
extension StripeEvent: StripeObject {}
extension StripeWebhookEndpoint: StripeObject {}

/// The objects of one kind, in the order of their creation.
struct StripeShelf<Object: StripeObject>: Sendable {
    private(set) var all: [Object] = []
    /// The place of each ID, counted from the first object that there ever was.
    private var places: [String: Int] = [:]
    private var removed = 0
    /// Whether ``takeChanged()`` has what changes.
    var notesChanges = false
    private var changed: [String] = []

    /// Takes the IDs of the objects that were set or removed since the last call.
    mutating func takeChanged() -> [String] {
        defer { changed = [] }
        return changed
    }

    /// The object with an ID. A new one goes to the end.
    subscript(id: String) -> Object? {
        get { places[id].map { all[$0 - removed] } }
        set {
            if notesChanges, !changed.contains(id) { changed.append(id) }
            switch (places[id], newValue) {
            case (let place?, let object?): all[place - removed] = object
            case (let place?, nil):
                all.remove(at: place - removed)
                places[id] = nil
                for later in all[(place - removed)...] { places[later.id]? -= 1 }
            case (nil, let object?):
                places[id] = removed + all.count
                all.append(object)
            case (nil, nil): break
            }
        }
    }

    /// Forgets the oldest objects beyond a number, unless they are needed still: these stay, and are the oldest.
    mutating func keep(atMost count: Int, unless isNeeded: (Object) -> Bool = { _ in false }) {
        // In one go now and then: each time moves all others.
        guard all.count >= count + count / 4 else { return }
        let old = all.prefix(all.count - count)
        let needed = old.filter(isNeeded)
        for object in old { places[object.id] = nil }
        removed += old.count - needed.count
        all.replaceSubrange(..<old.count, with: needed)
        for (place, object) in needed.enumerated() { places[object.id] = removed + place }
    }
}

/// Makes IDs: a prefix and letters and digits. The same source gives the same IDs in the same order.
struct StripeNames: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    private let random: any RandomSource

    /// Takes the names of one purpose: those of others do not change them.
    init(_ random: any RandomSource, for purpose: String) { self.random = random.stream(purpose) }

    /// Returns a new ID with a prefix such as `pi_`.
    func next(_ prefix: String, length: Int = 24) -> String {
        prefix
            + String(
                (0..<length).map { _ in Self.alphabet[Int(random.number(in: 0...UInt32(Self.alphabet.count - 1)))] })
    }
}

/// Something that happened, with the object as it was then.
struct StripeEvent: Hashable, Sendable {
    let id: String
    let type: String
    let created: Int64
    let apiVersion: String
    /// The object as JSON: bytes take a part of the room of values.
    let object: [UInt8]
    /// The request that caused it, and its idempotency key; nil for what happened at a reader.
    let request: String?
    let idempotencyKey: String?

    /// The object with the number of endpoints that have not taken it.
    func json(pending: Int) -> JSONValue {
        [
            "id": .text(id), "object": "event", "api_version": .text(apiVersion), "created": JSONValue(created),
            "data": ["object": JSONReader.node(object) ?? .null], "livemode": false,
            "pending_webhooks": JSONValue(Int64(pending)),
            "request": ["id": JSONValue(request), "idempotency_key": JSONValue(idempotencyKey)], "type": .text(type),
        ]
    }
}
