import ArgumentParser
import Money
import Payments
import Yosemite

/// `refund`
struct RefundCommand: PaymentChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a captured payment.",
        discussion: """
            EXAMPLES:
              cardpresent refund P000001
              cardpresent refund P000001 --amount 5.00
              cardpresent refund P000001 --item 17 --item 18:2
              cardpresent refund P000001 --host-trace host.jsonl

            Without --amount and --item, refunds the rest of the payment. With --item, refunds pieces of an order's \
            lines, whose IDs 'cardpresent orders show' has: the amount is what the customer paid for them, taxes \
            included, and the store brings them back into stock. The refund of an order's payment becomes a refund of the \
            order at the store; a store that cannot be reached is notified later, by 'cardpresent payments sync'.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Amount to refund, as a decimal in the payment's currency.", valueName: "decimal"))
    var amount: String?
    @Option(
        name: .customLong("item"),
        help: ArgumentHelp(
            "Line of the order to refund, and how many pieces of it. Can be repeated. Default: all pieces that are left.",
            valueName: "line[:quantity]"))
    var items: [RefundItemOption] = []
    @OptionGroup var change: PaymentChangeOptions

    static let hasOutcome = true

    func execute() async throws {
        let (after, attempt) = try await play { till, settings in
            let before = try await till.payment(payment.id).payment
            let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
            let quote = items.isEmpty ? nil : try await till.quoteRefund(of: payment.id, items.map(\.item))
            let after = try await till.refund(payment.id, amount: part ?? quote?.amount, lines: quote?.lines ?? [])
            // The money may have moved: a result that can't be read now is unknown, and never a failure.
            return (after, try? await till.payment(payment.id).attempts.last { $0.attempt.kind == .refund })
        }
        let failure = RefundFailure.of(attempt, payment: after)
        Outcome.tell { () throws(CommandFailure) in
            try output.write(
                OutcomeView(
                    payment: after, failure: failure, host: attempt?.attempt.hostName,
                    hostName: attempt?.attempt.memberName
                ).json,
                text: "\(RefundFailure.word(failure))  \(attempt?.attempt.amount.description ?? "")  \(after.name)\n")
        }
        CaptureWarning.reportRefunds(of: after)
        try Outcome.end(failure)
    }
}

/// A line of an order to refund: `LINE` or `LINE:QUANTITY`.
struct RefundItemOption: ExpressibleByArgument, Hashable, Sendable {
    let item: RefundItem

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let line = Int64(parts[0]), line > 0 else { return nil }
        guard parts.count == 2 else {
            item = RefundItem(line: line)
            return
        }
        guard let quantity = Int64(parts[1]), quantity > 0 else { return nil }
        item = RefundItem(line: line, quantity: quantity)
    }
}

/// Maps the result of a payment's last refund to a command failure.
enum RefundFailure {
    /// Returns the first word of the text.
    static func word(_ failure: CommandFailure?) -> String {
        failure == nil ? "REFUNDED" : failure?.status == .outcomeUnknown ? "REFUND OPEN" : "NOT REFUNDED"
    }

    /// `attempt` is nil when it can't be read.
    static func of(_ attempt: PaymentHistory.Attempt?, payment: Payment) -> CommandFailure? {
        let reason = attempt.map { $0.steps.last?.detail ?? "the refund failed" } ?? "the refund can't be read now"
        return switch attempt?.attempt.state {
        case .captured: nil
        case .declined:
            CommandFailure(
                .declined, code: "declined", message: reason,
                fix: "give the money back in another way, or ask the acquirer why")
        case .canceled: CommandFailure(.canceled, code: "cancelled", message: reason)
        case .failed:
            CommandFailure(
                .unavailable, code: "failed", message: reason,
                fix: PaymentHostError.tellsOfTheImpossible(reason)
                    ? "refund the payment at the acquirer" : "try again later")
        default:
            CommandFailure(
                .outcomeUnknown, code: "unknown", message: reason, fix: recovery(at: attempt?.attempt.hostName))
        }
    }

    /// Says how recovery deals with a refund without an answer: not every host can be asked for its result.
    private static func recovery(at host: String?) -> String {
        host == HostFactory.simulatedName
            ? "do not refund again; run 'cardpresent payments recover' to get the result from the host"
            : "do not refund again now: 'cardpresent payments recover' takes it back, or completes it where the host "
                + "can be asked; refund again only when 'cardpresent payments show' says that it was taken back"
    }
}
