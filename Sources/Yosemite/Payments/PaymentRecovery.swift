internal import Determinism
internal import Hardware
internal import Storage

/// Brings attempts to an end that were left in the middle: by a killed process, or by a host that did not
/// answer.
///
/// A sale whose answer never reached the till is taken back: nobody was told that it was approved. A refund is
/// asked about, since the customer was promised the money. What the host does not confirm stays open, and
/// is asked about again the next time.
struct PaymentRecovery: Sendable {
    let journal: PaymentJournal
    let host: JournallingPaymentHost
    let receipts: ReceiptWriter
    let time: any TimeSource

    func run() async throws(JournalError) -> RecoveryReport {
        var report = RecoveryReport()
        for attempt in try journal.openAttempts() {
            do throws(JournalError) {
                let payment = try await recover(attempt)
                if payment.attemptIsOpen {
                    report.open.append(payment.value)
                } else {
                    report.finished.append(payment.value)
                }
            } catch {
                // One payment that cannot be written must not leave the others as they are.
                report.failed.append(RecoveryReport.Failure(payment: "\(attempt.paymentID)", error: error))
            }
        }
        await NoticeDelivery(journal: journal, host: host).run()
        return report
    }

    private typealias Recovered = (value: Payment, attemptIsOpen: Bool)

    private func recover(_ attempt: PaymentAttempt) async throws(JournalError) -> Recovered {
        guard attempt.hostName == host.name else {
            return (try Payment(attempt.paymentID, in: journal), true)
        }
        host.open(attempt)
        defer { _ = host.close(IdempotencyKey(rawValue: attempt.idempotencyKey)) }
        let entry: JournalEntry? =
            switch (attempt.state, attempt.kind) {
            case (.created, _): try abandon(attempt)
            case (.authorized, _): try await adviseAgain(attempt)
            case (_, .refund): try await inquire(attempt)
            default: try await reverse(attempt)
            }
        guard let entry else { return (try Payment(attempt.paymentID, in: journal), true) }
        return (try Payment(entry.payment, in: journal), !entry.attempt.state.isFinal)
    }

    /// Nothing was sent: no money moved.
    private func abandon(_ attempt: PaymentAttempt) throws(JournalError) -> JournalEntry {
        let failure = PaymentFailure(
            code: PaymentFailure.interruptedCode, message: "interrupted before anything was sent")
        return try journal.finish(
            attempt.id, as: .failed, details: PaymentDetails(nil, failure: failure), detail: failure.message,
            at: time.now())
    }

    /// - Returns: nil when the host cannot be told yet, or what it is to be told cannot be read: nobody may
    ///   take a payment for captured that the host has not heard of.
    private func adviseAgain(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { return nil }
        do throws(PaymentHostError) {
            try await host.advise(advice.request(for: attempt))
        } catch {
            return nil
        }
        return try journal.finish(attempt.id, as: .captured, at: time.now())
    }

    private func reverse(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry {
        let reversal = ReversalRequest(
            key: IdempotencyKey(rawValue: attempt.idempotencyKey), stan: attempt.stan, amount: attempt.amount,
            reason: attempt.state == .authorizing ? .interrupted : .timeout)
        do throws(PaymentHostError) {
            try await host.reverse(reversal)
        } catch {
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        let failure = PaymentFailure(
            code: PaymentFailure.interruptedCode,
            message: attempt.kind == .sale
                ? "interrupted, and taken back: nothing was charged"
                : "interrupted, and taken back: nothing was refunded")
        let payment = try journal.payment(attempt.paymentID)
        return try journal.finish(
            attempt.id, as: .reversed, details: PaymentDetails(nil, failure: failure),
            receipt: receipt(.cancelled, of: attempt, payment: payment, reason: failure.message),
            detail: failure.message, at: time.now())
    }

    private func inquire(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry {
        let key = IdempotencyKey(rawValue: attempt.idempotencyKey)
        let answer: InquiryResult
        do throws(PaymentHostError) {
            answer = try await host.inquire(key)
        } catch {
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        let payment = try journal.payment(attempt.paymentID)
        switch answer {
        case .approved(let response):
            var details = PaymentDetails()
            details.hostReference = response.reference
            return try journal.finish(
                attempt.id, as: .captured, details: details,
                receipt: receipt(
                    .approved, of: attempt, payment: payment, reason: nil, answer: RefundResult(response)),
                at: time.now())
        case .declined(let response):
            return try journal.finish(
                attempt.id, as: .declined,
                receipt: receipt(
                    .declined, of: attempt, payment: payment,
                    reason: DeclineReason(responseCode: response.responseCode).description),
                detail: response.responseCode, at: time.now())
        case .notFound, .reversed:
            // The host is made to refuse the key, so that a message still on its way moves nothing.
            return try await reverse(attempt)
        }
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of attempt: PaymentAttempt, payment: Storage.Payment, reason: String?,
        answer: RefundResult? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            attempt.kind == .refund
                ? receipts.refund(outcome, of: payment, amount: attempt.amount, reason: reason, answer: answer)
                : receipts.content(
                    kind: .sale, outcome: outcome, payment: payment.id, orderID: payment.orderID,
                    amount: attempt.amount, reason: reason, bill: receipts.bill(of: payment.id),
                    card: receipts.sale(of: payment.id)?.card ?? CardPresentTransactionDetails(payment.details)))
    }
}
