import ArgumentParser
import Money
import Payments
import TillConfiguration
import Yosemite

/// `payments increment`
struct IncrementPayment: PaymentChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "increment", abstract: "Raise what a pre-authorization holds.",
        discussion: """
            EXAMPLES:
              cardpresent payments increment P000001 --amount 20.00
              cardpresent payments increment P000001 --amount 20.00 --json
              cardpresent payments increment P000001 --amount 20.00 --host-trace host.jsonl

            Asks the host to hold more than 'cardpresent pay --authorize-only' has: --amount is what is added, so that \
            150.00 and an increment of 20.00 hold 170.00. Needs no card. It can be repeated, also in several steps; \
            'cardpresent payments capture' then takes up to the sum, and 'cardpresent payments cancel' gives all of it \
            back.

            The amount is raised when the host has approved. Exit code 2 means that it declined, and what is held stays \
            as it was. Without an answer, the increment alone is taken back: exit code 69 means that the host has \
            confirmed that, and 4 that it has not yet, and 'cardpresent payments recover' sends it again. A hold that has \
            expired is not raised.

            With 'host.incrementRenewsHold' in the configuration, an increment begins the days of the hold again.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Amount to add, as a decimal in the payment's currency.", valueName: "decimal"))
    var amount: String
    @OptionGroup var change: PaymentChangeOptions

    static let hasOutcome = true

    func execute() async throws {
        let (after, attempt) = try await play { till, settings in
            let before = try await till.payment(payment.id).payment
            let more = try settings.amount(amount, currency: before.amount.currency.code)
            try settings.accept(sum: before, and: more)
            let after = try await till.increment(
                payment.id, by: more, holdDuration: settings.incrementRenewsHold ? settings.preauthorizationTime : nil)
            // A result that can't be read now is unknown, and never a failure: more may be held.
            return (after, try? await till.payment(payment.id).attempts.last { $0.attempt.kind == .increment })
        }
        let failure = IncrementFailure.of(attempt, payment: after)
        Outcome.tell { () throws(CommandFailure) in
            let word = IncrementFailure.word(failure)
            let object = JSONObject(
                known: [
                    "increment": attempt.map { attempt -> JSONObject in
                        let object: JSONObject = [
                            "amount": attempt.attempt.amount.minorUnits, "state": attempt.attempt.state.rawValue,
                        ]
                        return object.amounts(in: attempt.attempt.amount.currency)
                    }
                ])
            try output.write(
                JSONObject(
                    extending: OutcomeView(payment: after, failure: failure, host: attempt?.attempt.hostName).json,
                    with: object),
                text: "\(word)  \(after.amount)  \(after.name)\n")
        }
        try Outcome.end(failure)
    }
}

/// Maps the result of a payment's last increment to a command failure.
enum IncrementFailure {
    /// Returns the first word of the text.
    static func word(_ failure: CommandFailure?) -> String {
        failure == nil ? "RAISED" : failure?.status == .outcomeUnknown ? "INCREMENT OPEN" : "NOT RAISED"
    }

    /// `attempt` is nil when it can't be read.
    static func of(_ attempt: PaymentHistory.Attempt?, payment: Payment) -> CommandFailure? {
        guard let attempt else {
            return CommandFailure(
                .outcomeUnknown, code: "unknown", message: "the increment can't be read now",
                fix: "look at what is held with 'cardpresent payments show \(payment.name)'")
        }
        let reason = attempt.steps.last?.detail ?? "the increment failed"
        let held = "\(payment.amount) is held as before"
        return switch attempt.attempt.state {
        case .authorizedOnly: nil
        case .declined:
            CommandFailure(
                .declined, code: "declined", message: "the increment was declined: \(reason)",
                fix: "\(held); take the rest in another way")
        case .failed:
            CommandFailure(
                .unavailable, code: "failed", message: reason,
                fix: PaymentHostError.tellsOfTheImpossible(reason)
                    ? "\(held); take the rest in another way" : "\(held); try again later")
        case .reversed:
            CommandFailure(
                .unavailable, code: "taken_back",
                message: "the increment was taken back: \(reason)", fix: "\(held); try again later")
        default:
            CommandFailure(
                .outcomeUnknown, code: "unknown", message: "the increment is not taken back yet: \(reason)",
                fix: "\(held); run 'cardpresent payments recover' to send the reversal again")
        }
    }
}

extension TillConfiguration {
    /// Rejects an increment whose sum with what is held is above the configured maximum.
    ///
    /// - Throws: `CommandFailure`
    fileprivate func accept(sum payment: Payment, and more: Money) throws(CommandFailure) {
        let sum: Money
        do throws(MoneyError) { sum = try payment.amount.adding(more) } catch { throw CommandFailure(error) }
        try accept(sum)
    }
}

extension Till {
    fileprivate func increment(
        _ id: PaymentID, by amount: Money, holdDuration: Duration?
    ) async throws(CommandFailure) -> Payment {
        try await stores.value {
            CardPresentPaymentsAction.incrementPreauthorization(
                paymentID: id, amount: amount, holdDuration: holdDuration, onCompletion: $0)
        }
    }
}
