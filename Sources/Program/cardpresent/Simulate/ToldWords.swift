import Explorer
import Payments
import Sessions
import Yosemite

extension CommandWords {
    /// Makes what the command of a telling shows, as the command itself does; nil for a command without an outcome, and
    /// for an error that no command has.
    init?(_ telling: SessionTelling) {
        switch telling.answer {
        case .payment(let payment, let history): self.init(telling.command, payment, history)
        case .failure(.payments(let error)):
            let failure = CommandFailure(error)
            let told = telling.command == .pay && telling.wasSent ? failure.withUnknownOutcome : failure
            self.init(told, outcome: OutcomeView(failure: told).outcome, text: "")
        case .recovery, .failure: return nil
        }
    }

    private init?(_ command: SessionTelling.Command, _ payment: Payment, _ history: PaymentHistory?) {
        let failure: CommandFailure?
        let text: String
        var outcome: String?
        switch command {
        case .pay: (failure, text) = (CommandFailure(payment), PayCommand.word(payment))
        case .refund:
            failure = RefundFailure.of(history?.attempts.last { $0.attempt.kind == .refund }, payment: payment)
            text = RefundFailure.word(failure)
        case .increment:
            failure = IncrementFailure.of(history?.attempts.last { $0.attempt.kind == .increment }, payment: payment)
            text = IncrementFailure.word(failure)
        case .capture:
            failure = CommandFailure(capture: payment, history?.sale?.lastError)
            text = CapturePayment.word(failure)
        case .cancelPayment:
            failure = CommandFailure(cancellation: payment, history?.sale?.lastError)
            text = CancelPayment.word(failure)
            outcome = CancelPayment.outcome(failure)
        case .recover: return nil
        }
        self.init(
            failure, outcome: outcome ?? OutcomeView(payment: payment, failure: failure).outcome, text: text)
    }

    private init(_ failure: CommandFailure?, outcome: String, text: String) {
        self.init(exitCode: (failure?.status ?? .ok).rawValue, outcome: outcome, text: text)
    }
}
