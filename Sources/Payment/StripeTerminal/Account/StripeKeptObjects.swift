public import Terminal
import Text

// The objects that a terminal keeps beside its requests: payment intents, also those that no reader has processed,
// locations, and webhook endpoints.
extension StripeTerminal {
    /// The kind of payment intents among kept objects. Of the others, tills make few.
    public static let intentKind = "payment_intent"
    private static let locationKind = "terminal.location"
    private static let endpointKind = "webhook_endpoint"

    /// The most payment intents that are kept, as in memory.
    public static var mostKeptIntents: Int { StripeBooks.mostPayments }

    /// Takes the objects that changed since the last call, as they are to be kept before answers are sent. Empty unless
    /// ``takeUp(_:objects:offset:reader:)`` was called.
    public mutating func takeObjectChanges() -> [KeptObject] {
        var changes: [KeptObject] = []
        for id in books.locations.takeChanged() {
            changes.append(KeptObject(id, Self.locationKind, books.locations[id]?.kept))
        }
        for id in books.endpoints.takeChanged() {
            changes.append(KeptObject(id, Self.endpointKind, books.endpoints[id]?.kept))
        }
        // What is forgotten in memory stays on disk until the next start.
        for id in books.intents.takeChanged() {
            guard let intent = books.intents[id] else { continue }
            changes.append(KeptObject(id, Self.intentKind, intent.keptWhole))
        }
        return changes
    }

    /// Puts kept objects onto their shelves. Payments that readers have processed get their state from the requests
    /// later.
    mutating func takeUp(_ objects: [KeptObject]) {
        for object in objects {
            guard let json = object.contents.flatMap({ JSONReader.node(Array($0.utf8)) }) else { continue }
            switch object.kind {
            case Self.locationKind: StripeLocation(kept: json).map { books.locations[$0.id] = $0 }
            case Self.endpointKind: StripeWebhookEndpoint(kept: json).map { books.endpoints[$0.id] = $0 }
            case Self.intentKind: StripeIntent(keptWhole: json).map { books.intents[$0.id] = $0 }
            default: break
            }
        }
        // A payment that ran is open until its request says otherwise.
        for intent in books.intents.all where intent.state == .processing {
            books.intents[intent.id]?.state = .requiresPaymentMethod
        }
    }

    /// Gives payment intents back what tills have changed after a reader processed them.
    mutating func restore(_ intents: [StripeIntent]) {
        for kept in intents {
            guard var intent = books.intents[kept.id] else { continue }
            (intent.words, intent.metadata, intent.customer) = (kept.words, kept.metadata, kept.customer)
            if intent.state == .requiresPaymentMethod { intent.amount = kept.amount }
            if kept.state == .canceled { intent.state = .canceled }
            if intent.state == .canceled {
                intent.canceled = kept.canceled ?? intent.canceled
                intent.cancellationReason = kept.cancellationReason
            }
            books.intents[kept.id] = intent
        }
    }

    /// From now on, changes of the objects that are kept are noted; also what the requests say of the payment intents
    /// that were kept, because a later start does not read old requests any more.
    mutating func noteObjectChanges(since kept: [StripeIntent]) {
        books.locations.notesChanges = true
        books.endpoints.notesChanges = true
        books.intents.notesChanges = true
        for earlier in kept {
            guard let intent = books.intents[earlier.id], intent.keptWhole != earlier.keptWhole else { continue }
            books.intents[intent.id] = intent
        }
    }
}

extension KeptObject {
    fileprivate init(_ id: String, _ kind: String, _ contents: JSONValue?) {
        self.init(name: id, kind: kind, contents: contents?.jsonText)
    }
}

extension StripeIntent {
    /// What is kept of an intent: what a request keeps, and its state.
    fileprivate var keptWhole: JSONValue {
        let more = JSONValue.members([
            "state": .text(state.rawValue), "received": JSONValue(received), "charge": charge.map { .text($0) },
            "method": paymentMethod.map { .text($0) }, "canceled": canceled.map { JSONValue($0) },
            "reason": cancellationReason.map { .text($0) },
        ])
        return .object(kept.kept + more.kept)
    }

    fileprivate init?(keptWhole json: JSONValue) {
        self.init(kept: json)
        guard let state = json["state"]?.textValue.flatMap(State.init) else { return nil }
        (self.state, received) = (state, json.number("received") ?? 0)
        (charge, paymentMethod) = (json["charge"]?.textValue, json["method"]?.textValue)
        (canceled, cancellationReason) = (json.number("canceled"), json["reason"]?.textValue)
    }
}

extension StripeLocation {
    fileprivate var kept: JSONValue {
        .members([
            "id": .text(id), "name": .text(name), "address": .list(address.map { JSONValue($0) }),
            "phone": phone.map { .text($0) }, "metadata": .object(metadata),
        ])
    }

    fileprivate init?(kept json: JSONValue) {
        guard let id = json["id"]?.textValue, let name = json["name"]?.textValue,
            case .list(let address)? = json["address"], address.count == Self.addressParts.count
        else { return nil }
        self.init(
            id: id, name: name, address: address.map(\.textValue), phone: json["phone"]?.textValue,
            metadata: json["metadata"]?.kept ?? [])
    }
}

extension StripeWebhookEndpoint {
    fileprivate var kept: JSONValue {
        .members([
            "id": .text(id), "secret": .text(secret), "created": JSONValue(created), "address": .text(address),
            "events": .list(events.map { .text($0) }), "description": description.map { .text($0) },
            "version": apiVersion.map { .text($0) }, "metadata": .object(metadata), "enabled": .bool(isEnabled),
        ])
    }

    fileprivate init?(kept json: JSONValue) {
        guard let id = json["id"]?.textValue, let secret = json["secret"]?.textValue,
            let created = json.number("created"), let address = json["address"]?.textValue,
            case .list(let events)? = json["events"]
        else { return nil }
        self.init(
            id: id, secret: secret, created: created, address: address, events: events.compactMap(\.textValue),
            description: json["description"]?.textValue, apiVersion: json["version"]?.textValue,
            metadata: json["metadata"]?.kept ?? [], isEnabled: json["enabled"] != .bool(false))
    }
}
