internal import Hardware
internal import Simulator
internal import Yosemite

extension Till {
    /// Every attempt that went to the simulated issuer, in the order of the payments.
    ///
    /// - Throws: `CommandFailure`
    func attemptsAtIssuer() async throws(CommandFailure) -> [TillAttempt] {
        var attempts: [TillAttempt] = []
        for payment in try await payments(limit: nil).reversed() {
            let history = try await self.payment(payment.id)
            let sale = history.attempts.last { $0.kind == "sale" && $0.state == "captured" }
            for attempt in history.attempts where attempt.host == HostFactory.simulatedName {
                let kind = TillAttempt.Kind(rawValue: attempt.kind) ?? .sale
                attempts.append(
                    TillAttempt(
                        key: IdempotencyKey(rawValue: attempt.key), payment: payment.name, kind: kind,
                        original: kind == .refund ? sale.map { IdempotencyKey(rawValue: $0.key) } : nil,
                        amount: attempt.amount, outcome: TillAttempt.Outcome(state: attempt.state)))
            }
        }
        return attempts
    }
}

extension TillAttempt.Outcome {
    fileprivate init(state: String) {
        self =
            switch state {
            case "captured": .moved
            case "authorized": .untold
            case "declined", "cancelled", "failed": .notMoved
            case "reversed": .takenBack
            default: .open
            }
    }
}
