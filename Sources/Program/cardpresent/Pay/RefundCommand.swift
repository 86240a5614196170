internal import ArgumentParser
internal import Money
internal import Payments
internal import Yosemite

/// `refund`
struct RefundCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a captured payment.",
        discussion: """
            EXAMPLES:
              cardpresent refund P000001
              cardpresent refund P000001 --amount 5.00

            Without --amount, refunds the rest of the payment. The refund of an order's payment becomes a refund of the \
            order at the store; a store that cannot be reached is notified later, by 'cardpresent payments sync'.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Amount to refund, as a decimal in the payment's currency.", valueName: "decimal"))
    var amount: String?
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    static let hasOutcome = true

    func execute() async throws {
        let settings = try options.till.settings()
        let rules = try issuer.rules()
        let (after, attempt) = try await determinism.play {
            let till = try await options.till.open(
                for: Self.databaseUse, settings, determinism.repeatability, rules: rules)
            try till.stopIfRestored()
            let before = try await till.payment(payment.id).payment
            let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
            let after = try await till.refund(payment.id, amount: part)
            return (after, try await till.payment(payment.id).attempts.last { $0.attempt.kind == .refund })
        }
        let failure = RefundFailure.of(attempt, payment: after)
        Outcome.tell { () throws(CommandFailure) in
            let word = failure == nil ? "REFUNDED" : "NOT REFUNDED"
            try output.write(
                OutcomeView(payment: after, failure: failure).json,
                text: "\(word)  \(attempt?.attempt.amount.description ?? "")  \(after.name)\n")
        }
        CaptureWarning.reportRefunds(of: after)
        try Outcome.end(failure)
    }
}

/// Maps the result of a payment's last refund to a command failure.
enum RefundFailure {
    static func of(_ attempt: PaymentHistory.Attempt?, payment: Payment) -> CommandFailure? {
        let reason = attempt?.steps.last?.detail ?? "the refund failed"
        return switch attempt?.attempt.state {
        case .captured: nil
        case .declined: CommandFailure(.declined, code: "declined", message: reason)
        case .canceled: CommandFailure(.canceled, code: "cancelled", message: reason)
        case .failed: CommandFailure(.unavailable, code: "failed", message: reason, fix: "try again later")
        default:
            CommandFailure(
                .outcomeUnknown, code: "unknown", message: reason,
                fix: "do not refund again; run 'cardpresent payments recover' to get the result from the host")
        }
    }
}
