public import ArgumentParser
import Determinism
import Doctor
import FoundationEssentials
import Money
import Payments
public import Storage
import TillConfiguration

/// `payments close`
struct ClosePayment: TillCommand, ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Record what became of a payment that the host will never confirm.",
        discussion: """
            EXAMPLES:
              cardpresent payments close P000001 --outcome reversed --reason 'acquirer: gave it back on May 2'
              cardpresent payments close P000001 --outcome captured --amount 80.00 --reason 'in the report of May 2'
              cardpresent payments close P000001 --outcome failed --reason 'acquirer: never had it' --yes --json

            For what stays open in every 'cardpresent payments recover': a reversal or an advice that the host does not \
            know or keeps refusing; what is held, when it has expired or its card data is lost; and what a restored \
            backup has open or holds, because it may have been finished since. Ask the acquirer first. The decision is \
            yours: it ends the attempt here, nothing is sent about it any more, and the journal has it with your \
            account's name and the reason.

            'captured' means that the host has the money, that it gave the money back for a refund, or that it holds \
            more for an increment; 'reversed', that it has taken it back; 'failed', that it never had it, so that no \
            batch counts it.

            Asks before, on a terminal, or takes --yes. Exit code 3 means that the question was not answered with yes.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(help: "What became of it at the host.")
    var outcome: AttemptClosing
    @Option(help: ArgumentHelp("How you know it, up to 200 characters.", valueName: "text"))
    var reason: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What was captured of a pre-authorization, as a decimal, and at most what is held. Default: all.",
            valueName: "decimal"))
    var amount: String?
    @Option(
        help: ArgumentHelp(
            "Number of the attempt, of several open ones, as 'payments show' has it.", valueName: "number"))
    var attempt: Int64?
    @Flag(name: .shortAndLong, help: "Close it without asking.")
    var yes = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        try AcceptanceReason.check(reason)
        guard amount == nil || outcome == .captured else {
            throw ValidationError("--amount can be used only with --outcome captured")
        }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        // No till is opened: it would send what waits.
        let (_, journal) = try Self.databaseUse.openJournal(
            try options.till.data.path(), random: SystemRandomSource())
        let time = SystemTimeSource()
        let (before, open) = try Self.recording { () throws(JournalError) in
            let open = try journal.attemptToClose(of: payment.id, attempt: attempt, at: time.now())
            return (try journal.payment(payment.id), open)
        }
        let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
        guard part == nil || open.kind == .sale && before.preauthorization != nil else {
            throw CommandFailure(
                .usage, code: "invalid_amount",
                message: "--amount is for a pre-authorization, which attempt \(open.id) is not",
                fix: "leave out --amount: all of \(open.amount) is recorded")
        }
        if !yes {
            let question = Confirmation(
                question: "Close it as \(outcome.rawValue)? Nothing is sent, and it can't be undone.",
                otherwise: "nothing was closed", shortcut: "close it without asking", time: time)
            try question.ask(about: [
                "\(before.name)  \(open.kind.rawValue) of \(open.amount), attempt \(open.id), host \(open.hostText): "
                    + open.state.rawValue + (open.lastError.map { ": \($0)" } ?? "")
            ])
        }
        let user = LoginUser.current(environment: ProcessInfo.processInfo.environment).name
        let history = try Self.recording { () throws(JournalError) in
            _ = try journal.close(
                payment.id, attempt: open.id, as: outcome, amount: part, by: user, reason: reason, at: time.now())
            return try journal.history(of: payment.id)
        }
        try output.write(history)
    }

    private static func recording<Value>(
        _ body: () throws(JournalError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(JournalError) { return try body() } catch {
            guard case .captureTooLarge(let id, let part, let held) = error else { throw CommandFailure(error) }
            throw CommandFailure(
                .usage, code: "capture_too_large", message: "\(part) is more than the \(held) of payment \(id)",
                fix: "give \(held.decimalText) or less with --amount, or leave it out for all of it")
        }
    }
}

extension AttemptClosing: ExpressibleByArgument {}
