public import Determinism
public import Payments
public import Terminal
import Text

/// Terminals behind a protocol that is compatible with the nexo Sale to POI messages of Adyen's Terminal API: requests
/// of tills in, responses, work for readers, and notifications out. It has no sockets, and reads no clock.
///
/// Its owner calls ``receive(_:call:at:)`` for each request, carries out ``nextWork()``, calls ``report(_:of:at:)`` and
/// ``finish(_:_:on:at:)``, and sends what ``nextAnswer()`` and ``takeDeliveries(at:)`` give. Each terminal has a
/// ``Terminal/TerminalModel``; its requests are named by SaleID and ServiceID.
///
/// The same requests at the same times with the same random source give the same IDs and bytes.
public struct NexoTerminal: Sendable {
    let options: NexoTerminalOptions
    var desks: [String: NexoDesk] = [:]
    var outbox = NexoOutbox()
    var faults = NexoFaults()
    /// Whether simulated cardholders wait for a call of the simulation.
    var isByHand = false
    /// Whether the terminals have their card readers.
    private(set) var hasReader = true
    /// How many display notifications were made.
    var notifications = 0
    let names: NexoNames
    /// The moment of the current call.
    private(set) var now: Timestamp
    private let random: any RandomSource
    private(set) var nonces: NexoNonces
    /// The terminal of each request of a model.
    private var places: [IdempotencyKey: String] = [:]
    private var work: [NexoWork] = []
    private var answers: [NexoAnswer] = []
    private var changes: [TerminalChange] = []

    /// Makes terminals.
    ///
    /// - Parameters:
    ///   - options: their names and keys.
    ///   - random: makes the IDs, and the nonces of encrypted answers.
    ///   - now: the time.
    public init(_ options: NexoTerminalOptions, random: any RandomSource, now: Timestamp) {
        (self.options, self.now) = (options, now)
        names = NexoNames(random)
        self.random = random.stream("nonces")
        nonces = NexoNonces(most: options.mostNonces)
        for poi in options.terminals { desks[poi] = NexoDesk(poi: poi) }
        isByHand = options.isByHand
    }

    // MARK: Calls of the owner

    /// Takes a request. Its answer comes from ``nextAnswer()``, at once or when the terminal has ended its work. No
    /// other call has had the same `number`.
    public mutating func receive(_ request: NexoRequest, call number: Int, at now: Timestamp) {
        self.now = max(self.now, now)
        switch NexoRoute(request) {
        case .message(let way, let poi) where options.isSimulated || way == .local:
            take(request.body, way, poi, number)
        case _ where !options.isSimulated: answer(number, .problem(404, "There is no such path."))
        case .devices: answer(number, NexoResponse(["uniqueDeviceIds": .list(options.terminals.map { .text($0) })]))
        case .deviceStatus(let poi):
            guard desks[poi] != nil else { return answer(number, .problem(404, "There is no device \(poi).")) }
            let status: JSONValue = faults.isOffline ? "OFFLINE" : "ONLINE"
            answer(number, NexoResponse(["deviceId": .text(poi), "status": status]))
        case .control(let name): answer(number, control(name, request))
        case .wrongMethod: answer(number, .problem(405, "The path takes another method."))
        case .message, .unknown: answer(number, .problem(404, "There is no such path."))
        }
    }

    /// Takes the next answer; nil when there is none.
    public mutating func nextAnswer() -> NexoAnswer? { answers.isEmpty ? nil : answers.removeFirst() }

    /// Takes what is to be kept before work begins and answers are sent: `TerminalModel.takeChanges()`, with notes.
    /// Empty unless ``takeUp(_:objects:offset:reader:)`` was called.
    public mutating func takeChanges() -> [TerminalChange] {
        defer { changes = [] }
        return changes
    }

    /// Takes the nonces of encrypted messages that came since the last call, as they are to be kept before work begins
    /// and answers are sent. Empty unless ``takeUp(_:objects:offset:reader:)`` was called.
    public mutating func takeObjectChanges() -> [KeptObject] { nonces.takeChanges() }

    /// From now on, nonces are noted; those of an earlier start came before.
    mutating func takeUpNonces(_ objects: [KeptObject]) {
        nonces.takeUp(objects)
        nonces.notesChanges = true
    }

    /// Whether the card reader of this machine is there. Diagnosis and Login say so.
    public mutating func setReader(isOnline: Bool) { hasReader = isOnline }

    /// Takes the next work for what drives the readers; nil when there is none.
    public mutating func nextWork() -> NexoWork? { work.isEmpty ? nil : work.removeFirst() }

    /// Says where the request of a terminal is.
    ///
    /// - Throws: `TerminalRefusal`; nothing changed then.
    public mutating func report(
        _ progress: TerminalProgress, of key: IdempotencyKey, at now: Timestamp
    ) throws(TerminalRefusal) {
        self.now = max(self.now, now)
        guard let poi = places[key], var desk = desks[poi] else { throw .unknownRequest(key) }
        try desk.report(progress, of: key)
        desks[poi] = desk
        if let dialog = desk.dialog { notify(progress, dialog) }
    }

    /// Says how the request of a terminal ended, at a local time of the terminal.
    ///
    /// - Throws: `TerminalRefusal`; nothing changed then.
    public mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome, on date: CivilDate, at now: Timestamp
    ) throws(TerminalRefusal) {
        self.now = max(self.now, now)
        guard let poi = places[key], var desk = desks[poi] else { throw .unknownRequest(key) }
        let dialog = try desk.finish(key, outcome, at: date)
        places[key] = nil
        let (reference, reconciliation) = (names.reference(), desk.reconciliation)
        let answer = end(dialog, outcome, reference: reference, &desk)
        keep(desk.takeChanges(), NexoMemory(dialog, reference: reference, reconciliation: reconciliation))
        desk.keep(answer, of: dialog)
        desks[poi] = desk
        reply(answer, to: dialog.call, isLate: true)
        notify(outcome, dialog)
        takeWork(of: poi)
    }

    /// Returns the state or the answer of a terminal's request.
    public func status(of key: IdempotencyKey) -> TerminalStatus {
        for desk in desks.values {
            let status = desk.model.status(of: key)
            if status != .unknown { return status }
        }
        return .unknown
    }

    /// Takes the notifications that are due on the wall clock.
    public mutating func takeDeliveries(at wall: Timestamp) -> [NexoDelivery] { outbox.take(at: wall) }

    /// Says with which status of HTTP the event address answered; 0 without an answer.
    public mutating func record(_ status: Int, of delivery: NexoDelivery, at wall: Timestamp) {
        outbox.record(status, of: delivery.number, at: wall)
    }

    /// When a notification is to be sent again, on the wall clock; nil when none is.
    public var nextDelivery: Timestamp? { outbox.nextDue }

    // MARK: Messages

    private mutating func take(_ body: [UInt8], _ way: NexoRoute.Way, _ path: String?, _ number: Int) {
        let envelope: NexoEnvelope
        do throws(NexoEnvelope.Rejection) { envelope = try NexoEnvelope(body) } catch {
            return answer(number, rejection(error, body))
        }
        let header = envelope.header
        guard !faults.isOffline else { return refuseAsUnreachable(header, way, body, number) }
        let isSealed = envelope.content["NexoBlob"] != nil
        guard isSealed || way == .local && options.key != nil && !options.takesClearText else {
            return take(envelope, path, NexoCall(number: number, way: way, header: header, key: nil), body)
        }
        // The header outside is compared with the one inside before anything is done with it.
        guard let key = options.key, let (inner, nonce) = open(envelope, key) else {
            return answer(number, .cryptoError(serviceID: header.id.serviceID))
        }
        let call = NexoCall(number: number, way: way, header: inner.header, key: key)
        switch nonces.take(nonce, at: now) {
        case .new: take(inner, path, call, body)
        case .known: answer(number, .cryptoError(serviceID: header.id.serviceID))
        case .noRoom: refuse(NexoFailure(.busy, "Too many encrypted messages in 48 hours"), .null, call, body)
        }
    }

    /// Decrypts a message. Returns it with its nonce; nil when its key, its code, or its header is another one.
    private func open(_ envelope: NexoEnvelope, _ key: NexoKey) -> (NexoEnvelope, nonce: [UInt8])? {
        guard case .object(let members) = envelope.content, members.count == 3,
            let blob = envelope.content["NexoBlob"]?.string,
            let trailer = envelope.content["SecurityTrailer"].flatMap({ NexoTrailer($0) }),
            let text = key.open(blob, trailer), let inner = try? NexoEnvelope(text),
            envelope.header.isSame(as: inner.header.json)
        else { return nil }
        return (inner, trailer.nonce)
    }

    /// The cloud says so; a terminal itself does not answer.
    private mutating func refuseAsUnreachable(
        _ header: NexoHeader, _ way: NexoRoute.Way, _ body: [UInt8], _ number: Int
    ) {
        guard way != .local || desks[header.poi] == nil else {
            return answers.append(NexoAnswer(call: number, response: .empty, isLost: true))
        }
        let rejection = NexoEnvelope.Rejection(
            message: "Did not receive a response from the POI.", poi: header.poi, saleID: header.id.saleID)
        answer(number, self.rejection(rejection, body))
    }

    private mutating func take(_ envelope: NexoEnvelope, _ path: String?, _ call: NexoCall, _ body: [UInt8]) {
        let header = call.header
        guard desks[header.poi] != nil, path == nil || path == header.poi else {
            return refuseAsUnreachable(header, call.way, body, call.number)
        }
        var request: JSONValue = .null
        do throws(NexoFailure) {
            try header.check()
            request = try envelope.request()
            guard let shape = NexoShape.request(header.category) else {
                throw NexoFailure(.unavailableService, "\(header.category.rawValue) is not supported")
            }
            try shape.check(request, at: "SaleToPOIRequest.\(header.category.rawValue)Request")
            if let member = try carryOut(call, request) {
                reply(member, to: call)
            } else if call.way == .async, header.category != .abort {
                answer(call.number, .taken)
            }
        } catch { return refuse(error, request, call, body) }
        takeWork(of: header.poi)
    }

    private mutating func refuse(_ error: NexoFailure, _ request: JSONValue, _ call: NexoCall, _ body: [UInt8]) {
        let header = call.header
        // An Abort has no response to say it in.
        guard header.category != .abort else {
            let details = error.details.first?.value ?? error.condition.rawValue
            return answer(
                call.number, rejection(.init(message: details, poi: header.poi, saleID: header.id.saleID), body))
        }
        reply(failure(error, header.category, request), to: call)
        takeWork(of: header.poi)
    }

    // MARK: Work

    /// Begins the work of a message.
    ///
    /// - Throws: why it can't begin; nothing changed then.
    mutating func begin(
        _ call: NexoCall, _ purpose: NexoDialog.Purpose, _ operation: TerminalOperation,
        card: NexoDesk.Acquisition? = nil, _ onBegin: (inout NexoDesk) -> Void = { _ in }
    ) throws(NexoFailure) {
        guard var desk = desks[call.header.poi] else { throw NexoFailure(.deviceOut) }
        let id = call.header.id
        try desk.checkNew(id, at: now)
        // A ServiceID has letters and digits only, so that no two messages share a key. It may come again after 48
        // hours, with another tender.
        let tender = names.tender(at: now)
        let key = IdempotencyKey(rawValue: "\(desk.poi)/\(id.serviceID)/\(tender)/\(id.saleID)")
        let dialog = NexoDialog(call: call, key: key, purpose: purpose, tender: tender, started: now)
        try desk.begin(dialog, operation, card: card)
        onBegin(&desk)
        keep(desk.takeChanges(), NexoMemory(dialog, reference: nil, reconciliation: desk.reconciliation))
        desks[desk.poi] = desk
        places[key] = desk.poi
        takeWork(of: desk.poi)
        guard !isByHand, options.isSimulated else { return }
        if operation.needsCard {
            work.append(.present(card: nil, key, terminal: desk.poi))
        } else if case .input(let input) = operation, input.kind == .confirmation {
            work.append(.answer("yes", key, terminal: desk.poi))
        }
    }

    /// Notes what is to be kept of a message.
    private mutating func keep(_ changed: [TerminalChange], _ memory: NexoMemory) {
        for var change in changed {
            if change.request.key == memory.dialog.key { change.note = memory.text }
            changes.append(change)
        }
    }

    mutating func add(_ change: TerminalChange) { changes.append(change) }

    mutating func place(_ key: IdempotencyKey, at poi: String) { places[key] = poi }

    /// Does something as if it were another time.
    mutating func at<Result>(_ moment: Timestamp, _ body: (inout NexoTerminal) -> Result) -> Result {
        let present = now
        now = moment
        defer { now = present }
        return body(&self)
    }

    mutating func takeWork(of poi: String) {
        while let next = desks[poi]?.nextWork() { work.append(.terminal(poi, next)) }
    }

    /// Adds work of a simulated cardholder.
    mutating func add(_ next: NexoWork) { work.append(next) }

    // MARK: Answers

    mutating func answer(_ call: Int, _ response: NexoResponse) {
        answers.append(NexoAnswer(call: call, response: response, isLost: false))
    }

    /// Answers a message, over HTTP or at the event address, encrypted if it was.
    ///
    /// - Parameters:
    ///   - member: the object of the response.
    ///   - call: the message.
    ///   - isLate: whether it began work; the cloud has taken such a message when it began.
    private mutating func reply(_ member: JSONValue.Member, to call: NexoCall, isLate: Bool = false) {
        let message = sealed(member, call)
        if call.way == .async {
            if let message { notify(message) }
            if !isLate { answer(call.number, .taken) }
            return
        }
        guard let message else { return answer(call.number, .cryptoError(serviceID: call.header.id.serviceID)) }
        let isLost = faults.take(.responseLost)
        answers.append(NexoAnswer(call: call.number, response: NexoResponse(message), isLost: isLost))
    }

    private func sealed(_ member: JSONValue.Member, _ call: NexoCall) -> JSONValue? {
        let header = JSONValue.Member("MessageHeader", call.header.response)
        let clear: JSONValue = ["SaleToPOIResponse": .object([header, member])]
        guard let key = call.key else { return clear }
        guard let members = try? key.seal(Array(clear.jsonText.utf8), nonce: random.bytes(16)) else { return nil }
        return ["SaleToPOIResponse": .object([header] + members)]
    }

    private func rejection(_ rejection: NexoEnvelope.Rejection, _ body: [UInt8]) -> NexoResponse {
        NexoResponse(NexoEvents.reject(rejection, body, at: now))
    }
}

/// Work for what drives the readers.
public enum NexoWork: Hashable, Sendable {
    /// Work of a terminal. A simulated reader waits for ``present(card:_:terminal:)`` where a card is needed, and for
    /// ``answer(_:_:terminal:)`` where the customer is asked.
    case terminal(String, TerminalWork)
    /// Present a card at a simulated reader for this request; nil for the standard card, or the acquired one.
    case present(card: String?, IdempotencyKey, terminal: String)
    /// The simulated cardholder answers a question.
    case answer(String, IdempotencyKey, terminal: String)
    /// The simulated cardholder presses the cancel key.
    case cancel(IdempotencyKey, terminal: String)
}

/// The names and keys of terminals.
public struct NexoTerminalOptions: Sendable {
    /// The POIID of each terminal: the model, a hyphen, and the serial number.
    public var terminals: [String]
    /// The key of encrypted messages; nil to take none.
    public var key: NexoKey?
    /// Whether cardholders are simulated. Otherwise there are neither calls of the simulation nor those of the cloud.
    public var isSimulated = true
    /// Whether the terminal's own address takes messages that are not encrypted although there is a key.
    public var takesClearText = true
    /// Whether simulated cardholders wait from the start for a call of the simulation.
    public var isByHand = false
    /// The most nonces of encrypted messages that are remembered.
    var mostNonces = NexoNonces.most
    /// The names of the cards that a simulated cardholder has.
    public var cards: [String] = []
    /// The merchant's number in responses and on receipts.
    public var merchantID = "CARDPRESENT"
    /// The version of the terminal's software in responses to Login.
    public var version = "1.0"

    /// Takes the POIIDs, and the key.
    public init(terminals: [String], key: NexoKey? = nil) { (self.terminals, self.key) = (terminals, key) }
}
