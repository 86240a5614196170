internal import Amounts
internal import Sessions

/// A payment that a client asks for.
struct PaymentBody: Sendable {
    enum Subject: Sendable {
        case amount(Money)
        case order(Int64, expected: Money?)
    }

    let subject: Subject
    let options: PaymentOptions

    static let schema = Schema.object(
        [
            Field("amount", .decimal, "What is to be paid; or give an order.", optional: true),
            Field("currency", .text, "USD without.", optional: true),
            Field("order", .integer(1...Int(Int32.max)), "The number of an order of the store.", optional: true),
            Field("expected", .decimal, "What the customer was told that the order costs.", optional: true),
        ] + conductFields)

    static let conductSchema = Schema.object(conductFields)
    static let refundSchema = Schema.object([
        Field("amount", .decimal, "All that is left without.", optional: true)
    ])

    private static let conductFields = [
        Field("card", .text, "The name of one of the session's cards.", optional: true),
        Field("reader", .text, "Where the person stands; the connected reader without.", optional: true),
        Field(
            "cardholder", .word(["automatic", "by_hand"]),
            "`automatic` without: the card's holder inserts the card, types the PIN and takes the card out. `by_hand`: requests do.",
            optional: true),
        Field("cardTimeoutSeconds", .integer(1...3600), "How long to wait for a card; 60 without.", optional: true),
        Field("forcedOnline", .boolean, "Ask the issuer whatever the card says.", optional: true),
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
    /// The text, or none when it is something else, which no reader of text takes.
    fileprivate func textOrEmpty() -> String { if case .text(let text) = value { text } else { "" } }
}
