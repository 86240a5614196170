import HTTPInterface
import Money
import Sessions
import Simulator
import Text

/// The body of a request for a payment.
struct PaymentBody: Sendable {
    enum Subject: Sendable {
        case amount(Money)
        case order(Int64, expected: Money?)
    }

    let subject: Subject
    let options: PaymentOptions

    static let schema = Schema.needing(
        .exactlyOne(["amount", "order"]),
        .object(
            [
                Field("amount", .decimal, "The amount. Required unless there is an order.", optional: true),
                Field(
                    "currency", .phrase(3...3), "The currency code (ISO 4217), in any case. Default: USD.",
                    optional: true),
                Field("order", .integer(1...Int(Int32.max)), "The number of a store order to pay.", optional: true),
                Field(
                    "expected", .decimal,
                    "The total that was shown to the customer. The payment fails if the order has another total.",
                    optional: true),
            ] + conductFields))

    static let conductSchema = Schema.object(conductFields)
    static let refundSchema = Schema.object([
        Field("amount", .decimal, "The amount to refund. Default: the remaining amount.", optional: true)
    ])

    private static let conductFields = [
        Field(
            "card", .phrase(1...200), "The name of one of the session's cards. Default: the first card.", optional: true
        ),
        Field(
            "reader", .phrase(1...200), "The reader of the cardholder. Default: the connected reader.", optional: true),
        Field(
            "cardholder", .word(["automatic", "by_hand"]),
            "`automatic` (default): a simulated cardholder inserts the card and enters the PIN. `by_hand`: requests do this.",
            optional: true),
        Field(
            "cardTimeoutSeconds", .integer(1...3600), "The time limit for presenting a card. Default: 60.",
            optional: true),
        Field("forcedOnline", .boolean, "Whether to force online authorization.", optional: true),
    ]

    /// - Throws: ``APIError``
    init(_ body: BodyNode) throws(APIError) {
        try body.object(Self.schema.fields)
        options = try Self.conduct(body)
        let currency = try Self.currency(body["currency"])
        switch (body["amount"], body["order"]) {
        case (let amount?, nil): subject = .amount(try Self.money(amount, currency))
        case (nil, let order?):
            let expected = try body["expected"].map { node throws(APIError) in try Self.money(node, currency) }
            subject = .order(Int64(try order.int(1...Int(Int32.max))), expected: expected)
        default:
            throw .body("a payment has either an 'amount' or an 'order'", at: "amount")
        }
    }

    static func conduct(_ body: BodyNode) throws(APIError) -> PaymentOptions {
        var options = PaymentOptions(card: try body["card"]?.text(), reader: try body["reader"]?.text())
        options.isByHand =
            try body["cardholder"]?.word(["automatic", "by_hand"], called: "way to hold a card") == "by_hand"
        if let seconds = body["cardTimeoutSeconds"] { options.cardTimeout = .seconds(try seconds.int(1...3600)) }
        options.isForcedOnline = try body["forcedOnline"]?.bool() ?? false
        return options
    }

    private static func currency(_ node: BodyNode?) throws(APIError) -> Currency {
        guard let node else { return .usDollar }
        do throws(MoneyError) { return try Currency(code: node.textOrEmpty()) } catch {
            throw .body(
                error.description, at: node.path,
                fix: BodyNode.suggestion(node.textOrEmpty(), Currency.all.map(\.code)))
        }
    }

    static func money(_ node: BodyNode, _ currency: Currency) throws(APIError) -> Money {
        let text = try node.decimal()
        do throws(MoneyError) { return try Money(text, currency: currency) } catch {
            throw .body(error.description, at: node.path)
        }
    }
}

extension BodyNode {
    /// The text; empty for a value that is not text.
    fileprivate func textOrEmpty() -> String { if case .text(let text) = value { text } else { "" } }
}

/// The body of a reader: the name of a model, or an object.
enum ReaderBody {
    static let schema = Schema.object([
        Field("name", .phrase(1...60), "The name of the reader in the session.", optional: true),
        Field("model", .word(models), "The model. Default: short-apdu.", optional: true),
        Field("pluggedIn", .boolean, "Whether the reader is plugged in. Default: true.", optional: true),
        Field("batteryPercent", .integer(0...100), optional: true),
        Field(
            "faults", .list(.named("ReaderFault"), 0...100), "The faults of the reader at the start.", optional: true),
    ])

    private static let readers = SimulatedReader.all + SimulatedReaderModel.faulty.map { .chip($0) }
    static let models = readers.map(\.name)

    /// - Parameters:
    ///   - node: the value in the body.
    ///   - number: the reader's number, from 1, for its default name.
    /// - Returns: the reader.
    /// - Throws: ``APIError``
    static func planned(_ node: BodyNode, number: Int) throws(APIError) -> PlannedReader {
        let standardName = number == 1 ? "reader" : "reader-\(number)"
        if case .text = node.value { return PlannedReader(name: standardName, model: try model(node)) }
        try node.object(schema.fields)
        var reader = PlannedReader(name: try node["name"]?.text(1...60) ?? standardName)
        guard !reader.name.contains("/") else { throw .body("a name can't contain a slash", at: node.path + ".name") }
        if let name = node["model"] { reader.model = try model(name) }
        reader.isPluggedIn = try node["pluggedIn"]?.bool() ?? true
        if let percent = node["batteryPercent"] { reader.batteryPercent = UInt8(try percent.int(0...100)) }
        for fault in try node["faults"]?.list(0...100) ?? [] { reader.faults.append(try FaultBodies.reader(fault)) }
        return reader
    }

    private static func model(_ node: BodyNode) throws(APIError) -> SimulatedReader {
        let name = try node.word(models, called: "reader model")
        return readers.first { $0.name == name } ?? .chip(.shortAPDU)
    }
}
