import Determinism
import Money
import Payments
import Terminal
import Testing
import Text

@testable import StripeTerminal

/// An account with a till, and readers that do what a test says.
struct StripeBench {
    var terminal: StripeTerminal
    private(set) var now = VirtualTimeSource.standardStart
    private var calls = 0
    private let noon = CivilDate(year: 2026, month: 1, day: 2, hour: 12)

    init(seed: UInt64 = 1, setup: StripeSetup = .simulated) {
        terminal = StripeTerminal(
            random: SeededRandomSource(seed: seed), now: VirtualTimeSource.standardStart, setup: setup)
    }

    /// Sends a request. Returns its number; the answer is in ``answers()``.
    @discardableResult
    mutating func start(
        _ method: String, _ target: String, _ form: String = "", key: String? = nil, authorization: String? = nil
    ) -> Int {
        calls += 1
        now = now.advanced(by: .seconds(1))
        var headers = [
            StripeRequest.Header("Authorization", authorization ?? "Bearer sk_test_1"),
            StripeRequest.Header("Content-Type", "application/x-www-form-urlencoded"),
        ]
        if let key { headers.append(.init("Idempotency-Key", key)) }
        terminal.receive(
            StripeRequest(method: method, target: target, headers: headers, body: Array(form.utf8)), call: calls,
            at: now)
        return calls
    }

    /// The answers that have come.
    mutating func answers() -> [StripeAnswer] {
        var answers: [StripeAnswer] = []
        while let answer = terminal.nextAnswer() { answers.append(answer) }
        return answers
    }

    /// Sends a request that is answered at once.
    mutating func send(
        _ method: String, _ target: String, _ form: String = "", key: String? = nil, authorization: String? = nil
    ) throws -> StripeAnswer {
        let call = start(method, target, form, key: key, authorization: authorization)
        return try #require(answers().first { $0.call == call })
    }

    mutating func post(_ target: String, _ form: String = "", key: String? = nil) throws -> StripeAnswer {
        try send("POST", target, form, key: key)
    }

    mutating func work() -> [StripeWork] {
        var work: [StripeWork] = []
        while let next = terminal.nextWork() { work.append(next) }
        return work
    }

    /// Registers a reader, and returns its ID.
    mutating func reader() throws -> String {
        _ = try post("/v1/terminal/readers", "registration_code=simulated-wpe&label=counter")
        return try #require(terminal.books.readers.all.last?.id)
    }

    mutating func intent(_ amount: Int = 1250, manual: Bool = false) throws -> String {
        _ = try post(
            "/v1/payment_intents",
            "amount=\(amount)&currency=usd&payment_method_types[]=card_present&capture_method="
                + (manual ? "manual" : "automatic"))
        return try #require(terminal.books.intents.all.last?.id)
    }

    /// Sends an intent to a reader, and returns the request of its terminal.
    mutating func process(_ intent: String, at reader: String) throws -> IdempotencyKey {
        let answer = try post("/v1/terminal/readers/\(reader)/process_payment_intent", "payment_intent=\(intent)")
        try #require(answer.response.status == 200)
        let requests = work().compactMap { work -> TerminalRequest? in
            if case .terminal(_, .begin(let request)) = work { request } else { nil }
        }
        let key = try #require(requests.last?.key)
        try report(key, .waitingForCard)
        return key
    }

    mutating func report(_ key: IdempotencyKey, _ steps: TerminalProgress...) throws {
        for step in steps { try terminal.report(step, of: key, at: now) }
    }

    mutating func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) throws {
        try terminal.finish(key, outcome, on: noon, at: now)
    }

    /// Lets a card be read, and the host answer.
    mutating func finishWithCard(_ key: IdempotencyKey, _ outcome: TerminalOutcome) throws {
        try report(key, .cardPresented, .authorizing)
        try finish(key, outcome)
    }

    func approval(_ amount: Int64 = 1250) throws -> TerminalOutcome {
        let money = try Money(minorUnits: amount, currency: try Currency(code: "USD"))
        return .approved(TerminalTransaction(receiptNumber: 1, trace: 1, amount: money, date: noon))
    }

    func decline(_ code: String) -> TerminalOutcome { .declined(TerminalDecline(responseCode: code, date: noon)) }

    /// Takes a payment, and returns its intent.
    mutating func sell(_ amount: Int = 1250, at reader: String, manual: Bool = false) throws -> String {
        let intent = try intent(amount, manual: manual)
        try finishWithCard(try process(intent, at: reader), try approval(Int64(amount)))
        return intent
    }

    /// Carries out the work that needs no reader.
    mutating func finishOffice(_ outcome: TerminalOutcome) throws {
        for case .terminal(_, .begin(let request)) in work() {
            try report(request.key, .working)
            try finish(request.key, outcome)
        }
    }

    var eventTypes: [String] { terminal.books.events.all.map(\.type) }
}

extension StripeAnswer {
    var text: String { String(decoding: response.body, as: UTF8.self) }

    func header(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }
}
