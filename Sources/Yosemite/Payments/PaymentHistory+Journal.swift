internal import Storage

extension PaymentHistory {
    /// Reads a payment and the story of its attempts.
    init(_ id: PaymentID, in journal: PaymentJournal) throws(JournalError) {
        let payment = try Payment(id, in: journal)
        var attempts: [Attempt] = []
        for attempt in try journal.attempts(of: id) {
            let steps = try journal.transitions(of: attempt.id).map {
                Step(state: $0.state.rawValue, at: $0.at, detail: $0.detail)
            }
            attempts.append(
                Attempt(
                    key: attempt.idempotencyKey, kind: attempt.kind.rawValue, amount: attempt.amount,
                    state: attempt.state.rawValue,
                    stan: attempt.stan, host: attempt.hostName, hostReference: attempt.hostReference, steps: steps))
        }
        self.init(payment: payment, attempts: attempts)
    }
}
