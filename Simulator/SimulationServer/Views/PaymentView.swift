internal import Amounts
internal import Sessions
internal import Yosemite

/// A payment, as the till's journal has it.
struct PaymentView: Encodable, Sendable {
    struct Card: Encodable, Sendable {
        var brand: String?
        var lastFour: String?
        var entryMode: String?
        var application: String?
    }

    struct Attempt: Encodable, Sendable {
        var kind: String
        var amount: String
        var states: [String]
        var lastError: String?
    }

    /// `P000001`
    var id: String
    var outcome: String
    var state: String
    var amount: String
    var currency: String
    var refunded: String
    var order: Int64?
    var card: Card?
    var authorizationCode: String?
    var verification: String?
    var terminalVerificationResults: String?
    var transactionStatusInformation: String?
    var errorCode: String?
    var errorMessage: String?
    var attempts: [Attempt]
    var running: Bool
    var waitingFor: NeedView?

    /// - Parameters:
    ///   - payment: what the journal has.
    ///   - isRunning: whether it runs now.
    ///   - need: what a person has to do in the session.
    init(_ payment: SessionPayment, isRunning: Bool, need: SessionNeed?) {
        (id, outcome, state) = (payment.name, payment.outcome.rawValue, payment.state)
        (amount, currency) = (payment.amount.decimalText, payment.amount.currency.code)
        refunded =
            (try? Money(minorUnits: payment.refundedMinorUnits, currency: payment.amount.currency))?.decimalText ?? "0"
        (order, authorizationCode) = (payment.orderID, payment.authorizationCode)
        card = payment.card.map {
            Card(brand: $0.brand, lastFour: $0.lastFour, entryMode: $0.entryMode, application: $0.application)
        }
        verification = payment.cardholderVerification
        terminalVerificationResults = payment.terminalVerificationResults
        transactionStatusInformation = payment.transactionStatusInformation
        (errorCode, errorMessage) = (payment.errorCode, payment.errorMessage)
        attempts = payment.attempts.map {
            Attempt(kind: $0.kind, amount: $0.amount.decimalText, states: $0.states, lastError: $0.lastError)
        }
        running = isRunning
        waitingFor = isRunning ? need.map { NeedView($0) } : nil
    }

    static let outcomes = ["approved", "declined", "cancelled", "failed", "unknown", "pending"]

    static let schema = Schema.object([
        Field("id", .text, "The payment's name: `P000001`."),
        Field("outcome", .word(outcomes), "How it ended, as a clerk needs to know it."),
        Field("state", .text, "How it stands in the journal."), Field("amount", .text), Field("currency", .text),
        Field("refunded", .text, "What was given back so far."),
        Field("order", .integer(1...Int.max), "The store's order.", optional: true),
        Field(
            "card",
            .object([
                Field("brand", .text, optional: true), Field("lastFour", .text, optional: true),
                Field("entryMode", .text, optional: true), Field("application", .text, optional: true),
            ]), "What was read of the card.", optional: true),
        Field("authorizationCode", .text, optional: true),
        Field("verification", .text, "How the cardholder was verified.", optional: true),
        Field("terminalVerificationResults", .text, "Tag 95, hexadecimal.", optional: true),
        Field("transactionStatusInformation", .text, "Tag 9B, hexadecimal.", optional: true),
        Field("errorCode", .text, "Why it did not succeed, as a word.", optional: true),
        Field("errorMessage", .text, optional: true),
        Field(
            "attempts",
            .list(
                .object([
                    Field("kind", .word(["sale", "refund"])), Field("amount", .text),
                    Field("states", .list(.text), "Which it entered, in order."),
                    Field("lastError", .text, optional: true),
                ])), "Oldest first."),
        Field("running", .boolean, "It has not ended."),
        Field("waitingFor", .named("Need"), "What a person has to do now.", optional: true),
    ])
}
