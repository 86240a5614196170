internal import Amounts
internal import Determinism
internal import Hardware
internal import Storage

/// Gives money back, and records how that ended.
struct RefundCollection: Sendable {
    let journal: PaymentJournal
    let host: JournallingPaymentHost
    let service: any CardReaderService
    let receipts: ReceiptWriter
    let time: any TimeSource

    /// Gives back `amount`, or everything that is left when it is nil.
    func run(_ id: PaymentID, amount: Money?) async throws(CardPresentPaymentsError) -> Payment {
        do throws(JournalError) {
            let payment = try journal.payment(id)
            let sale = try journal.attempts(of: id).last { $0.kind == .sale && $0.state == .captured }
            guard let sale else { throw JournalError.notRefundable(id, payment.state) }
            let part = if let amount { amount } else { try remaining(payment) }
            let entry = try journal.beginRefund(of: id, amount: part, hostName: host.name, at: time.now())
            return try await send(entry, original: IdempotencyKey(rawValue: sale.idempotencyKey))
        } catch {
            throw .journal(error)
        }
    }

    private func remaining(_ payment: Storage.Payment) throws(JournalError) -> Money {
        do throws(MoneyError) {
            return try Money(
                minorUnits: payment.amount.minorUnits - payment.refundedAmount.minorUnits,
                currency: payment.amount.currency)
        } catch {
            throw .money(error)
        }
    }

    private func send(_ entry: JournalEntry, original: IdempotencyKey) async throws(JournalError) -> Payment {
        let attempt = entry.attempt
        let key = IdempotencyKey(rawValue: attempt.idempotencyKey)
        host.open(attempt)
        let parameters = RefundParameters(key: key, original: original, stan: attempt.stan, amount: attempt.amount)
        let result: Result<RefundResult, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            result = .success(try await service.refundPayment(parameters))
        } catch {
            result = .failure(error)
        }
        let phase = host.close(key)
        switch result {
        case .success(let refund):
            var details = PaymentDetails()
            details.hostReference = refund.reference
            let recorded = try journal.finish(
                attempt.id, as: .captured, details: details, receipt: receipt(.approved, of: entry, refund: refund),
                at: time.now())
            return try Payment(recorded.payment, in: journal)
        case .failure(let error):
            return try record(PaymentFailure(error), of: entry, phase: phase)
        }
    }

    private func record(
        _ failure: PaymentFailure, of entry: JournalEntry, phase: JournallingPaymentHost.Phase
    ) throws(JournalError) -> Payment {
        let details = PaymentDetails(nil, failure: failure)
        if failure.isUnknown || phase == .moved {
            return try Payment(
                try journal.markUnknown(
                    entry.attempt.id, reason: failure.message, details: details,
                    receipt: receipt(.unknown, of: entry, reason: failure.message), at: time.now()
                ).payment, in: journal)
        }
        let state: AttemptState = failure.isDecline ? .declined : failure.isCancellation ? .cancelled : .failed
        return try Payment(
            try journal.finish(
                entry.attempt.id, as: state, details: details,
                receipt: failure.isDecline ? receipt(.declined, of: entry, reason: failure.message) : nil,
                detail: failure.message, at: time.now()
            ).payment, in: journal)
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of entry: JournalEntry, reason: String? = nil, refund: RefundResult? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            receipts.refund(outcome, of: entry.payment, amount: entry.attempt.amount, reason: reason, answer: refund))
    }
}
