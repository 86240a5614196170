import Determinism
import Payments
public import Terminal
import Text

// What a terminal keeps of its requests, so that tills find their payments after a restart by the same IDs. The model
// keeps the operation.
extension StripeTerminal {
    /// Takes what is to be kept before work begins and answers are sent: `TerminalModel.takeChanges()`, with notes.
    /// Empty unless ``takeUp(_:objects:offset:reader:)`` was called.
    public mutating func takeChanges() -> [TerminalChange] {
        var changes: [TerminalChange] = []
        for id in desks.keys.sorted() {
            for var change in desks[id]?.takeChanges() ?? [] {
                change.note = tasks[change.request.key].flatMap { note($0, change.request.key)?.jsonText }
                changes.append(change)
            }
        }
        return changes
    }

    /// Takes up what the terminal of this machine kept before it stopped: payment intents, charges, refunds, locations,
    /// and webhook endpoints. A request that ran becomes work of the reader.
    ///
    /// - Parameters:
    ///   - kept: the requests in the order in which they began, each with how it ended.
    ///   - objects: the objects in the order of their creation.
    ///   - offset: the local time of the terminal, in seconds east of UTC.
    ///   - reader: the reader, where terminals of other protocols share it.
    public mutating func takeUp(
        _ kept: [KeptRequest], objects: [KeptObject] = [], offset: Int, reader: SharedReader?
    ) {
        guard let id = ownReader else { return }
        takeUp(objects)
        let intents = books.intents.all
        let known = kept.compactMap { request in
            JSONReader.node(Array(request.note.utf8)).flatMap { json in
                StripeMemory(json, reader: id).map { (request, $0) }
            }
        }
        desks[id] = StripeDesk(kept: known.map(\.0), offset: offset, reader: reader)
        isTakingUp = true
        let present = now
        for (request, memory) in known {
            now = request.changed
            takeUp(request, memory, at: id)
        }
        restore(intents)
        (now, isTakingUp) = (max(present, now), false)
        noteObjectChanges(since: intents)
        takeWork(of: id)
    }

    private mutating func takeUp(_ request: KeptRequest, _ memory: StripeMemory, at reader: String) {
        let (key, task) = (request.request.key, memory.task)
        tasks[key] = task
        if var intent = memory.intent {
            // An earlier try of it was declined.
            let earlier = books.intents[intent.id]
            (intent.charge, intent.lastError) = (earlier?.charge, earlier?.lastError)
            books.intents[intent.id] = intent
        }
        if let refund = memory.refund { books.refunds[refund.id] = refund }
        if case .process(let intent) = task.purpose {
            books.readers[reader]?.action = StripeAction(
                type: "process_payment_intent", details: [.init("payment_intent", .text(intent))], key: key,
                intent: intent)
            if request.outcome == nil { books.intents[intent]?.state = .processing }
        }
        guard let outcome = request.outcome else { return }
        keptNames = memory.names
        defer { keptNames = nil }
        end(task, key, outcome)
        if case .release(let intent) = task.purpose, outcome.transaction != nil {
            let moment = seconds
            books.intents[intent]?.state = .canceled
            books.intents[intent]?.canceled = moment
        }
    }

    private func note(_ task: StripeTask, _ key: IdempotencyKey) -> JSONValue? {
        switch task.purpose {
        case .process(let id):
            guard let intent = books.intents[id] else { return nil }
            let charge = intent.charge.flatMap { books.charges[$0] }.flatMap { $0.key == key ? $0 : nil }
            return .members([
                "purpose": "process", "intent": intent.kept, "tip": JSONValue(task.tip),
                "charge": charge.map { .text($0.id) }, "method": charge.map { .text($0.paymentMethod) },
            ])
        case .capture(let intent, let amount):
            return ["purpose": "capture", "id": .text(intent), "amount": JSONValue(amount)]
        case .release(let intent): return ["purpose": "release", "id": .text(intent)]
        case .refund(let id): return books.refunds[id].map { ["purpose": "refund", "refund": $0.kept] }
        case .display, .input: return nil
        }
    }
}

/// The data that was kept of one request.
private struct StripeMemory {
    let task: StripeTask
    var intent: StripeIntent?
    var refund: StripeRefund?
    /// The IDs of charge and payment method; nil while the till has not seen them.
    var names: StripeTerminal.KeptNames?

    init?(_ json: JSONValue, reader: String) {
        switch json["purpose"]?.textValue {
        case "process":
            guard let intent = json["intent"].flatMap(StripeIntent.init(kept:)) else { return nil }
            self.intent = intent
            var task = StripeTask(reader: reader, purpose: .process(intent.id))
            task.tip = json.number("tip") ?? 0
            self.task = task
            if let charge = json["charge"]?.textValue, let method = json["method"]?.textValue {
                names = StripeTerminal.KeptNames(charge: charge, paymentMethod: method)
            }
        case "capture":
            guard let id = json["id"]?.textValue, let amount = json.number("amount") else { return nil }
            task = StripeTask(reader: reader, purpose: .capture(id, amount: amount))
        case "release":
            guard let id = json["id"]?.textValue else { return nil }
            task = StripeTask(reader: reader, purpose: .release(id))
        case "refund":
            guard let refund = json["refund"].flatMap(StripeRefund.init(kept:)) else { return nil }
            self.refund = refund
            task = StripeTask(reader: reader, purpose: .refund(refund.id))
        default: return nil
        }
    }
}

extension StripeTerminal {
    /// The IDs that a till has seen.
    struct KeptNames: Hashable, Sendable {
        let charge: String
        let paymentMethod: String
    }
}

extension JSONValue {
    func number(_ name: String) -> Int64? { self[name]?.textValue.flatMap { Int64($0) } }

    var kept: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The members that have a value.
    static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }
}

extension StripeIntent {
    /// What is kept of an intent that a reader processes.
    var kept: JSONValue {
        .members([
            "id": .text(id), "secret": .text(clientSecret), "created": JSONValue(created), "currency": .text(currency),
            "amount": JSONValue(amount - (tip ?? 0)), "manual": .bool(isAlwaysManual),
            "cardCapture": cardCaptureMethod.map { .text($0) }, "customer": customer.map { .text($0) },
            "words": .object(words.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .text($0.value)) }),
            "metadata": .object(metadata),
        ])
    }

    init?(kept json: JSONValue) {
        guard let id = json["id"]?.textValue, let secret = json["secret"]?.textValue,
            let created = json.number("created"), let currency = json["currency"]?.textValue,
            let amount = json.number("amount")
        else { return nil }
        self.init(
            id: id, clientSecret: secret, created: created, currency: currency, amount: amount,
            isAlwaysManual: json["manual"] == .bool(true), cardCaptureMethod: json["cardCapture"]?.textValue,
            customer: json["customer"]?.textValue, metadata: json["metadata"]?.kept ?? [])
        for member in json["words"]?.kept ?? [] { words[member.name] = member.value.textValue }
    }
}

extension StripeRefund {
    fileprivate var kept: JSONValue {
        .members([
            "id": .text(id), "charge": .text(charge), "intent": .text(intent), "amount": JSONValue(amount),
            "currency": .text(currency), "created": JSONValue(created), "reason": reason.map { .text($0) },
            "metadata": .object(metadata),
        ])
    }

    fileprivate init?(kept json: JSONValue) {
        guard let id = json["id"]?.textValue, let charge = json["charge"]?.textValue,
            let intent = json["intent"]?.textValue, let amount = json.number("amount"),
            let currency = json["currency"]?.textValue, let created = json.number("created")
        else { return nil }
        self.init(
            id: id, charge: charge, intent: intent, amount: amount, currency: currency, created: created,
            reason: json["reason"]?.textValue, metadata: json["metadata"]?.kept ?? [])
    }
}
