import HTTPInterface
import Money
import Payments
import Receipts
import Sessions
import Yosemite

/// A payment as recorded in the till's journal, and its progress.
struct ServedPayment: Sendable {
    let payment: SessionPayment
    let isRunning: Bool
    /// The action that the session is waiting for.
    let need: SessionNeed?
}

extension Views {
    static let payment = View<ServedPayment>(
        .key("id", .text, "The payment's name, for example `P000001`.") { $0.payment.name },
        .key("outcome", .word(outcomes), "The payment's outcome.") { $0.payment.outcome.rawValue },
        .key("state", .text, "The payment's state in the journal.") { $0.payment.state },
        .key("amount", .text) { $0.payment.amount.decimalText },
        .key("currency", .text) { $0.payment.amount.currency.code },
        .key("refunded", .text, "The amount refunded so far.") { refunded($0.payment) },
        .key("order", .integer(1...Int.max), "The store's order.") { $0.payment.orderID },
        .key("card", card.schema, "The card data.") { $0.payment.card.map(card.json) },
        .key("authorizationCode", .text) { $0.payment.authorizationCode },
        .key("verification", .text, "The method of cardholder verification.") { $0.payment.cardholderVerification },
        .key("terminalVerificationResults", .text, "Tag 95 in hexadecimal.") {
            $0.payment.terminalVerificationResults
        },
        .key("transactionStatusInformation", .text, "Tag 9B in hexadecimal.") {
            $0.payment.transactionStatusInformation
        },
        .key("errorCode", .text, "The error code of an unsuccessful payment.") { $0.payment.errorCode },
        .key("errorMessage", .text) { $0.payment.errorMessage },
        .key("attempts", .list(attempt.schema), "Oldest first.") { $0.payment.attempts.map(attempt.json) },
        .key("running", .boolean, "Whether the payment is running.") { $0.isRunning },
        .key("waitingFor", .named("Need"), "The action that a person must take now.") {
            $0.isRunning ? $0.need.map(need.json) : nil
        })

    private static let outcomes = ["approved", "declined", "cancelled", "failed", "unknown", "pending"]

    private static let card = View<SessionPayment.Card>(
        .key("brand", .text) { $0.brand }, .key("lastFour", .text) { $0.lastFour },
        .key("entryMode", .text) { $0.entryMode }, .key("application", .text) { $0.application })

    private static let attempt = View<SessionPayment.Attempt>(
        .key("kind", .word(["sale", "refund", "increment"])) { $0.kind },
        .key("amount", .text) { $0.amount.decimalText },
        .key("states", .list(.text), "The states of the attempt, in order.") { $0.states },
        .key("lastError", .text) { $0.lastError })

    private static func refunded(_ payment: SessionPayment) -> String {
        let refunded = try? Money(minorUnits: payment.refundedMinorUnits, currency: payment.amount.currency)
        return refunded?.decimalText ?? "0"
    }

    static let print = View<ReceiptPrint>(
        .key("name", .text, "The print's name, for example J000001.") { $0.name },
        .key("printer", .text) { $0.printer },
        .key("state", .text, "The state: queued, accepted, sent, completed, failed, or unknown.") { $0.state.rawValue })
}
