internal import Amounts
internal import ArgumentParser
internal import Yosemite

/// `refund`
struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Gives money back for a captured payment.",
        discussion: "Without --amount everything that is left is given back; never more than was paid.")

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The amount as a decimal, in the payment's currency.", valueName: "decimal"))
    var amount: String?
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting(withOutcome: true) {
            let settings = try configurationOptions.load()
            let till = try await Till.open(
                determinism.repeatability, settings: settings, data: data, rules: try issuer.rules())
            till.announceRecovery()
            let before = try await till.payment(payment.id).payment
            let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
            let after = try await till.refund(payment.id, amount: part)
            let attempt = try await till.payment(payment.id).attempts.last { $0.kind == "refund" }
            let failure = RefundFailure.of(attempt, payment: after)
            Outcome.tell { () throws(CommandFailure) in
                guard !output.json else {
                    return try StandardOutput.write(json: OutcomeView(after, failure: failure))
                }
                let word = failure == nil ? "REFUNDED" : "NOT REFUNDED"
                try StandardOutput.write("\(word)  \(attempt?.amount.description ?? "")  \(after.name)\n")
            }
            try Outcome.end(failure)
        }
    }
}

/// What the last refund of a payment makes of the command.
enum RefundFailure {
    static func of(_ attempt: PaymentHistory.Attempt?, payment: Payment) -> CommandFailure? {
        let reason = attempt?.steps.last?.detail ?? "the refund did not go through"
        return switch attempt?.state {
        case "captured": nil
        case "declined": CommandFailure(.declined, code: "declined", message: reason)
        case "cancelled": CommandFailure(.cancelled, code: "cancelled", message: reason)
        case "failed": CommandFailure(.unavailable, code: "failed", message: reason, fix: "try again later")
        default:
            CommandFailure(
                .outcomeUnknown, code: "unknown", message: reason,
                fix: "do not refund again: 'cardpresent payments recover' asks the host what became of it")
        }
    }
}
