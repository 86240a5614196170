import CardSecrets
import Determinism
import Money
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// A terminal with a till, and a reader that does what a test says.
struct NexoBench {
    static let poi = "P400Plus-000000001"
    var terminal: NexoTerminal
    private(set) var now = VirtualTimeSource.standardStart
    private var calls = 0
    private let noon = CivilDate(year: 2026, month: 1, day: 2, hour: 12)

    init(seed: UInt64 = 1, _ change: (inout NexoTerminalOptions) -> Void = { _ in }) throws {
        var options = NexoTerminalOptions(terminals: [Self.poi, "P400Plus-000000002"], key: try Self.key())
        options.cards = ["visa-credit"]
        change(&options)
        terminal = NexoTerminal(
            options, random: SeededRandomSource(seed: seed), now: VirtualTimeSource.standardStart)
        terminal.isByHand = true
    }

    static func key(
        _ passphrase: String = "correct horse battery", identifier: String = "till", version: Int = 1
    ) throws -> NexoKey {
        try NexoKey(
            passphrase: SensitiveBytes(Array(passphrase.utf8)), identifier: identifier, version: version)
    }

    // MARK: The till

    /// A message as JSON text.
    static func message(
        _ category: String, _ request: String, id: String, till: String = "TILL1", poi: String = NexoBench.poi,
        version: String = "3.0"
    ) -> String {
        let isDevice = ["Display", "Input", "Print"].contains(category)
        return """
            {"SaleToPOIRequest":{"MessageHeader":{"ProtocolVersion":"\(version)","MessageClass":"\
            \(isDevice ? "Device" : "Service")","MessageCategory":"\(category)","MessageType":"Request",\
            "SaleID":"\(till)","ServiceID":"\(id)","POIID":"\(poi)"},"\(category)Request":\(request)}}
            """
    }

    static func payment(_ amount: String = "12.5", currency: String = "EUR", data: String = "") -> String {
        """
        {"SaleData":{"SaleToAcquirerData":"tenderOption=ReceiptHandler",\
        "SaleTransactionID":{"TransactionID":"order-17","TimeStamp":"2026-01-02T12:00:00Z"}},\
        "PaymentTransaction":{"AmountsReq":{"Currency":"\(currency)","RequestedAmount":\(amount)}}\(data)}
        """
    }

    static func reversal(_ transaction: String, _ rest: String = "") -> String {
        """
        {"OriginalPOITransaction":{"POITransactionID":{"TransactionID":"\(transaction)","TimeStamp":"x"}},\
        "ReversalReason":"MerchantCancel"\(rest)}
        """
    }

    /// Sends a body. Returns the number of the call.
    @discardableResult
    mutating func start(_ body: String, to path: String = "/sync", method: String = "POST") -> Int {
        calls += 1
        now = now.advanced(by: .seconds(1))
        terminal.receive(
            NexoRequest(method: method, target: path, body: Array(body.utf8)), call: calls, at: now)
        return calls
    }

    mutating func advance(_ duration: Duration) { now = now.advanced(by: duration) }

    /// The answers that have come.
    mutating func answers() -> [NexoAnswer] {
        var answers: [NexoAnswer] = []
        while let answer = terminal.nextAnswer() { answers.append(answer) }
        return answers
    }

    /// Sends a body that is answered at once.
    mutating func answer(_ body: String, to path: String = "/sync", method: String = "POST") throws -> NexoResponse {
        let call = start(body, to: path, method: method)
        return try #require(answers().first { $0.call == call }).response
    }

    /// Sends a message that is answered at once, and returns the response's own object.
    mutating func send(
        _ category: String, _ request: String, id: String, till: String = "TILL1"
    ) throws -> JSONValue {
        let response = try answer(Self.message(category, request, id: id, till: till))
        return try #require(response.json["SaleToPOIResponse"]?[category + "Response"])
    }

    /// Asks what became of a message.
    mutating func status(of id: String, till: String = "TILL1", _ rest: String = "") throws -> JSONValue {
        let request = #"{"MessageReference":{"ServiceID":"\#(id)","SaleID":"\#(till)"}\#(rest)}"#
        return try send("TransactionStatus", request, id: "status")
    }

    // MARK: The reader

    mutating func work() -> [NexoWork] {
        var work: [NexoWork] = []
        while let next = terminal.nextWork() { work.append(next) }
        return work
    }

    /// The requests that the reader was asked to begin.
    mutating func begun() -> [TerminalRequest] {
        work().compactMap { if case .terminal(_, .begin(let request)) = $0 { request } else { nil } }
    }

    mutating func report(_ key: IdempotencyKey, _ steps: TerminalProgress...) throws {
        for step in steps { try terminal.report(step, of: key, at: now) }
    }

    mutating func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) throws {
        try terminal.finish(key, outcome, on: noon, at: now)
    }

    /// Lets the request that begins end with a card.
    mutating func finishWithCard(_ outcome: TerminalOutcome) throws {
        let key = try #require(begun().last?.key)
        try report(key, .waitingForCard, .cardPresented, .authorizing)
        try finish(key, outcome)
    }

    /// Takes a payment, and returns the response's object.
    mutating func pay(
        _ outcome: TerminalOutcome, id: String, request: String = NexoBench.payment()
    ) throws -> JSONValue {
        start(Self.message("Payment", request, id: id))
        try finishWithCard(outcome)
        let answer = try #require(answers().last)
        return try #require(answer.response.json["SaleToPOIResponse"]?["PaymentResponse"])
    }

    /// Gives back what the till asks for, and returns the response's object.
    mutating func reverse(_ request: String, id: String, _ outcome: TerminalOutcome) throws -> JSONValue {
        start(Self.message("Reversal", request, id: id))
        if let key = begun().last?.key {
            try report(key, .working)
            try finish(key, outcome)
        }
        let answer = try #require(answers().last)
        return try #require(answer.response.json["SaleToPOIResponse"]?["ReversalResponse"])
    }

    func approval(_ minorUnits: Int64 = 1250, currency: String = "EUR") throws -> TerminalOutcome {
        let money = try Money(minorUnits: minorUnits, currency: try Currency(code: currency))
        let card = CardDetails(
            brand: "mastercard", lastFour: "0119", entryMode: .chip, cardholderVerification: .onlinePIN,
            aid: "A0000000041010", applicationName: "Mastercard", authorizationCode: "123456")
        return .approved(
            TerminalTransaction(receiptNumber: 1, trace: 1, amount: money, date: noon, card: card))
    }

    func decline(_ code: String?) -> TerminalOutcome { .declined(TerminalDecline(responseCode: code, date: noon)) }
}

extension NexoResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { JSONReader.node(body) ?? .null }
}

extension JSONValue {
    /// `Success`, or the condition of the failure.
    var result: String? {
        let response = self["Response"]
        return response?["ErrorCondition"]?.string ?? response?["Result"]?.string
    }

    /// The pairs of AdditionalResponse.
    func detail(_ name: String) -> String? {
        at("Response", "AdditionalResponse")?.string.flatMap { NexoText.value(name, in: $0) }
    }

    /// The ID of the transaction that was made.
    var transactionID: String? { at("POIData", "POITransactionID", "TransactionID")?.string }
}
