import Cryptography
public import Determinism
public import Money
public import Payments
public import Terminal
import Text

/// Terminals behind a protocol that is compatible with server-driven Stripe Terminal: requests of tills in, responses,
/// work for readers, and messages to webhook endpoints out. It has no sockets, and reads no clock.
///
/// Its owner calls ``receive(_:call:at:)`` for each request, carries out ``nextWork()``, calls ``report(_:of:at:)`` and
/// ``finish(_:_:on:at:)``, and sends what ``nextAnswer()`` and ``takeDeliveries(at:)`` give. Each reader is a
/// ``Terminal/TerminalModel``; captures, cancellations, and refunds need no reader, and have a model of their own
/// beside it, so that they go on while a reader waits for a card.
///
/// The same requests at the same times with the same random source give the same IDs and bytes.
public struct StripeTerminal: Sendable {
    /// Of requests that have ended, what so many were for is known still.
    private static let mostEndedTasks = 1000
    /// The version of the API whose objects it has.
    public static let apiVersion = "2026-10-28.endive"

    var books = StripeBooks()
    var desks: [String: StripeDesk] = [:]
    /// The purpose of each request of a terminal.
    var tasks: [IdempotencyKey: StripeTask] = [:]
    /// The requests that have ended, oldest first.
    private var endedTasks: [IdempotencyKey] = []
    var outbox = StripeOutbox()
    var faults: [StripeFault] = []
    let setup: StripeSetup
    let names: StripeNames
    /// Names requests. A till that asks more often gets the same objects.
    private let requestNames: StripeNames
    /// The moment of the current call.
    var now: Timestamp
    /// The call that runs now; nil while a reader reports.
    private(set) var current: StripeCall?
    /// Whether the books are made again after a restart: no event tells it.
    var isTakingUp = false
    /// The IDs of the next charge, which tills have seen before a restart; nil for new ones.
    var keptNames: KeptNames?
    private var idempotency = StripeIdempotency()
    /// The calls that wait for a reader, in the order of their arrival.
    private var waiting: [StripeCall] = []
    private var work: [StripeWork] = []
    private var answers: [StripeAnswer] = []

    /// Makes an account with the reader of this machine, or without readers.
    ///
    /// - Parameters:
    ///   - random: makes the IDs and secrets.
    ///   - now: the time of the objects.
    ///   - setup: the readers, and the keys that tills may use.
    public init(random: any RandomSource, now: Timestamp, setup: StripeSetup = .simulated) {
        names = StripeNames(random, for: "objects")
        requestNames = StripeNames(random, for: "requests")
        (self.now, self.setup) = (now, setup)
        guard let own = setup.reader else { return }
        books.readers[own.id] = StripeReader(
            id: own.id, type: StripeOwnReader.type, serialNumber: own.serialNumber, label: own.label,
            seen: now.milliseconds)
        desks[own.id] = StripeDesk()
    }

    /// The ID of the reader of this machine; nil for an account of simulated readers.
    public var ownReader: String? { setup.reader?.id }

    /// Says whether the reader of this machine is there. Its object says so, and actions are refused while it is not.
    public mutating func setOwnReader(isOnline: Bool, at now: Timestamp) {
        guard let id = ownReader else { return }
        books.readers[id]?.isOnline = isOnline
        if isOnline { books.readers[id]?.seen = max(self.now, now).milliseconds }
    }

    /// Seconds since 1970, as objects have them.
    var seconds: Int64 { now.milliseconds / 1000 }

    // MARK: Calls of the owner

    /// Returns the idempotency key that a request with a right secret key will use up; nil when it uses none.
    public func spends(_ request: StripeRequest) -> String? {
        let call = StripeCall(number: 0, id: "", request: request)
        guard request.method == "POST", (try? call.authenticate(setup.access)) != nil else { return nil }
        return request.header("idempotency-key")
    }

    /// Takes a request. Its answer comes from ``nextAnswer()``, at once or when a reader has ended its work. No other
    /// call has had the same `number`.
    public mutating func receive(_ request: StripeRequest, call number: Int, at now: Timestamp) {
        self.now = max(self.now, now)
        var call = StripeCall(number: number, id: requestNames.next("req_", length: 14), request: request)
        do throws(StripeError) {
            try call.authenticate(setup.access)
            if request.method == "POST", let key = request.header("idempotency-key") {
                guard try begin(&call, key) else { return }
            }
            try call.readParameters()
            try StripeExpansion.check(try call.parameters.texts("expand") ?? [])
        } catch {
            answer(call, error)
            return
        }
        run(call)
    }

    /// Takes a key. Returns false when the call was answered by it.
    private mutating func begin(_ call: inout StripeCall, _ key: String) throws(StripeError) -> Bool {
        guard StripeIdempotency.lengths.contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw StripeError(
                type: "idempotency_error", code: nil, "Idempotency keys have 1 to 255 characters of ASCII.",
                isStored: false)
        }
        guard !setup.spentKeys.contains(StripeSetup.fingerprint(of: key)) else { throw .spentKey }
        let request = call.request
        let text = [request.header("authorization") ?? "", request.method, request.path, request.query, ""]
        let bytes = Array(text.joined(separator: "\n").utf8) + request.body
        switch idempotency.begin(key, (try? SHA256.hash(bytes)) ?? bytes, at: now) {
        case .new:
            call.key = key
            return true
        case .replay(var response):
            response.headers.removeAll { $0.name == "Request-Id" }
            response.headers += [.init("Request-Id", call.id), .init("Idempotent-Replayed", "true")]
            answers.append(StripeAnswer(call: call.number, response: response, isLost: false))
            return false
        case .inFlight:
            throw StripeError(
                status: 409, type: "idempotency_error", code: "idempotency_key_in_use",
                "There is currently another in-progress request using this Idempotency Key.", isStored: false)
        case .gone: throw .goneResponse
        case .mismatch:
            throw StripeError(
                type: "idempotency_error", code: nil,
                "Keys for idempotent requests can only be used with the same endpoint and the same parameters they "
                    + "were first used with. Try using a key other than '\(key)' if you meant to execute a different "
                    + "request.", isStored: false)
        }
    }

    /// Runs a call as far as it comes. It runs again from its start when a reader has ended its work.
    private mutating func run(_ call: StripeCall) {
        var call = call
        current = call
        defer { current = nil }
        do throws(StripeError) {
            guard let json = try StripeRoute.respond(&self, &call) else {
                waiting.append(call)
                return
            }
            answer(call, status: 200, try expanded(json, call))
        } catch {
            answer(call, error)
        }
        books.keepNewest()
    }

    /// Expands what a call asks for. A field that its object does not have is an error where nothing has changed, and
    /// otherwise left out: what was done can't be refused afterward.
    private func expanded(_ json: JSONValue, _ call: StripeCall) throws(StripeError) -> JSONValue {
        let expansion = StripeExpansion { [books] in books.json(of: $0) }
        var json = json
        for path in try call.parameters.texts("expand") ?? [] {
            do throws(StripeError) { json = try expansion.expand(json, [path]) } catch {
                guard call.request.method != "GET" else { throw error }
            }
        }
        return json
    }

    private mutating func answer(_ call: StripeCall, _ error: StripeError) {
        let intent = error.intent.flatMap { books.intents[$0]?.json }
        answer(call, status: error.status, error.json(intent: intent), isStored: error.isStored)
    }

    private mutating func answer(_ call: StripeCall, status: Int, _ json: JSONValue, isStored: Bool = true) {
        var headers: [StripeRequest.Header] = [
            .init("Content-Type", "application/json"), .init("Request-Id", call.id),
            .init("Stripe-Version", call.version),
        ]
        if let key = call.key {
            headers += [.init("Idempotency-Key", key), .init("Original-Request", call.id)]
        }
        let response = StripeResponse(status: status, headers: headers, json: json)
        if let key = call.key { idempotency.end(key, isStored ? response : nil) }
        let isLost = call.request.method == "POST" && !call.isControl && takeFault(.responseLost, nil)
        answers.append(StripeAnswer(call: call.number, response: response, isLost: isLost))
    }

    /// Takes the next answer; nil when there is none.
    public mutating func nextAnswer() -> StripeAnswer? { answers.isEmpty ? nil : answers.removeFirst() }

    /// Takes the next work for what drives the readers; nil when there is none.
    public mutating func nextWork() -> StripeWork? { work.isEmpty ? nil : work.removeFirst() }

    /// Says where the request of a terminal is.
    ///
    /// - Throws: `TerminalRefusal`; nothing changed then.
    public mutating func report(
        _ progress: TerminalProgress, of key: IdempotencyKey, at now: Timestamp
    ) throws(TerminalRefusal) {
        self.now = max(self.now, now)
        guard let task = tasks[key], var desk = desks[task.reader] else { throw .unknownRequest(key) }
        try desk.report(progress, of: key)
        desks[task.reader] = desk
        guard progress == .recovering else { return }
        if case .process(let intent) = task.purpose { books.intents[intent]?.state = .processing }
        runWaiting()
    }

    /// Says how the request of a terminal ended, at a local time of the terminal.
    ///
    /// - Throws: `TerminalRefusal`; nothing changed then.
    public mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome, on date: CivilDate, at now: Timestamp
    ) throws(TerminalRefusal) {
        self.now = max(self.now, now)
        guard let task = tasks[key], var desk = desks[task.reader] else { throw .unknownRequest(key) }
        guard case .running = desk.status(of: key) else { return }
        try desk.finish(key, outcome, at: date)
        desks[task.reader] = desk
        end(task, key, outcome)
        forgetTasks(and: key)
        takeWork(of: task.reader)
        runWaiting()
        books.keepNewest()
    }

    /// Notes that a request has ended, and forgets what the oldest ones were for.
    private mutating func forgetTasks(and key: IdempotencyKey) {
        endedTasks.append(key)
        guard endedTasks.count >= 2 * Self.mostEndedTasks else { return }
        for old in endedTasks.prefix(Self.mostEndedTasks) { tasks[old] = nil }
        endedTasks.removeFirst(Self.mostEndedTasks)
    }

    /// Returns the state or the answer of a terminal's request.
    public func status(of key: IdempotencyKey) -> TerminalStatus {
        tasks[key].flatMap { desks[$0.reader] }?.status(of: key) ?? .unknown
    }

    private mutating func runWaiting() {
        let calls = waiting
        waiting = []
        for call in calls { run(call) }
    }

    // MARK: Webhooks

    /// Takes the messages to webhook endpoints that are due, signed with this time of the wall clock.
    public mutating func takeDeliveries(at wall: Timestamp) -> [StripeDelivery] { outbox.take(at: wall) }

    /// Says with which status of HTTP an endpoint answered; 0 without an answer.
    public mutating func record(_ status: Int, of delivery: StripeDelivery, at wall: Timestamp) {
        outbox.record(status, of: delivery.number, at: wall)
    }

    /// When a message is to be sent again, on the wall clock; nil when none is.
    public var nextDelivery: Timestamp? { outbox.nextDue }

    /// Records an event, and its messages to the endpoints that want it.
    mutating func emit(_ type: String, _ object: JSONValue) {
        guard !isTakingUp else { return }
        let event = StripeEvent(
            id: names.next("evt_"), type: type, created: seconds, apiVersion: Self.apiVersion,
            object: Array(object.jsonText.utf8), request: current?.id, idempotencyKey: current?.key)
        books.events[event.id] = event
        let endpoints = books.endpoints.all.filter { $0.takes(type) }
        guard !endpoints.isEmpty else { return }
        let body = Array(event.json(pending: endpoints.count).jsonText.utf8)
        for endpoint in endpoints { outbox.add(event.id, endpoint, body: body) }
    }

    // MARK: Work

    /// Begins a request at a reader's desk.
    mutating func start(_ task: StripeTask, _ operation: TerminalOperation) throws(StripeError) -> IdempotencyKey {
        guard var desk = desks[task.reader] else { throw .noSuch("terminal.reader", task.reader) }
        let key = desk.nextKey(task.reader)
        do throws(TerminalRefusal) { try desk.start(key, operation) } catch { throw .busy(task.reader) }
        desks[task.reader] = desk
        tasks[key] = task
        takeWork(of: task.reader)
        return key
    }

    /// Asks for the end of what a reader does.
    ///
    /// - Returns: false when nothing runs; true when its end comes.
    mutating func clear(_ reader: String) throws(StripeError) -> Bool {
        guard var desk = desks[reader], let key = desk.running else { return false }
        // A payment that waits for a card can be replaced. A reader with a card is busy, even before the host is asked.
        if case .running(let progress) = desk.status(of: key), progress != .accepted, progress != .waitingForCard {
            throw .busy(reader)
        }
        defer {
            desks[reader] = desk
            takeWork(of: reader)
        }
        switch desk.counter.cancel(key, .byTill) {
        case .requested: return true
        case .tooLate: throw .busy(reader)
        case .finished, .unknown: return false
        }
    }

    mutating func takeWork(of reader: String) {
        while let next = desks[reader]?.nextWork() { work.append(.terminal(reader: reader, next)) }
    }

    /// Lets a person act at a simulated reader.
    mutating func work(_ act: StripeWork) { work.append(act) }
}

/// Work for what drives the readers.
public enum StripeWork: Hashable, Sendable {
    /// Work of a reader's terminal. A simulated reader waits for ``present(_:_:reader:)`` where a card is needed.
    case terminal(reader: String, TerminalWork)
    /// Present a card at a simulated reader for this request.
    case present(StripeTestCard, IdempotencyKey, reader: String)
    /// Add a tip to the payment of this request, which waits for a card: `Terminal.TerminalRequest.adding(tip:)`.
    case tip(Money, IdempotencyKey, reader: String)
    /// Answer the question of this request at a simulated reader, which has waited for it: the request ends with the
    /// answer's ``StripeInputAnswer/outcome``.
    case answer(StripeInputAnswer, IdempotencyKey, reader: String)
}
