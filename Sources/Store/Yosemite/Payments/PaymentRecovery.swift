internal import Determinism
public import Payments
public import Storage

/// Finishes attempts that were left open by a killed process or by a host without an answer.
///
/// A sale without an answer is reversed: the till has not shown it as approved. For a refund an inquiry is sent,
/// because it was promised to the customer. An attempt that the host does not confirm stays open until the next
/// recovery.
struct PaymentRecovery: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost
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
                // A payment that cannot be recorded must not stop the recovery of the others.
                report.failed.append(RecoveryReport.Failure(payment: "\(attempt.paymentID)", error: error))
            }
        }
        await AdviceDelivery(journal: journal, host: host).run()
        return report
    }

    private typealias Recovered = (value: Payment, attemptIsOpen: Bool)

    private func recover(_ attempt: PaymentAttempt) async throws(JournalError) -> Recovered {
        guard attempt.hostName == host.name else {
            return (try journal.paymentWithNotification(attempt.paymentID), true)
        }
        host.open(attempt)
        defer { _ = host.close(attempt.key) }
        let entry: JournalEntry? =
            switch (attempt.state, attempt.kind) {
            case (.created, _): try abandon(attempt)
            case (.authorized, _): try await adviseAgain(attempt)
            case (_, .refund): try await inquire(attempt)
            default: try await reverse(attempt)
            }
        guard let entry else { return (try journal.paymentWithNotification(attempt.paymentID), true) }
        return (try journal.addNotification(to: entry.payment), !entry.attempt.state.isFinal)
    }

    /// Nothing was sent: no money moved.
    private func abandon(_ attempt: PaymentAttempt) throws(JournalError) -> JournalEntry {
        let failure = PaymentFailure(
            code: PaymentErrorCode.interrupted, message: "interrupted before anything was sent")
        return try journal.finish(
            attempt.id, as: .failed, details: failure.details, detail: failure.message,
            at: time.now())
    }

    /// - Returns: Nil when the advice cannot be sent yet, or cannot be read: a payment must not count as captured
    ///   before the host was advised.
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
            key: attempt.key, stan: attempt.stan, amount: attempt.amount,
            reason: attempt.state == .authorizing ? .interrupted : .timeout)
        do throws(PaymentHostError) {
            try await host.reverse(reversal)
        } catch {
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        let failure = PaymentFailure(
            code: PaymentErrorCode.interrupted,
            message: attempt.kind == .sale
                ? "interrupted, and taken back: nothing was charged"
                : "interrupted, and taken back: nothing was refunded")
        let payment = try journal.payment(attempt.paymentID)
        return try journal.finish(
            attempt.id, as: .reversed, details: failure.details,
            receipt: receipt(.canceled, of: attempt, payment: payment, reason: failure.message),
            detail: failure.message, at: time.now())
    }

    private func inquire(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry {
        let key = attempt.key
        let answer: InquiryResult
        do throws(PaymentHostError) {
            answer = try await host.inquire(key)
        } catch {
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        let payment = try journal.payment(attempt.paymentID)
        switch answer {
        case .approved(let response):
            return try journal.finish(
                attempt.id, as: .captured, hostReference: response.reference,
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
            // The host must reject the key, so that a delayed message moves nothing.
            return try await reverse(attempt)
        }
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of attempt: PaymentAttempt, payment: Payment, reason: String?,
        answer: RefundResult? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            attempt.kind == .refund
                ? receipts.refund(outcome, of: payment, amount: attempt.amount, reason: reason, answer: answer)
                : receipts.content(
                    kind: .sale, outcome: outcome, payment: payment.id, orderID: payment.orderID,
                    amount: attempt.amount, reason: reason, bill: receipts.bill(of: payment.id),
                    card: receipts.sale(of: payment.id)?.card ?? payment.card))
    }
}

/// The result of recovering the open attempts.
public struct RecoveryReport: Hashable, Sendable {
    /// A payment that recovery could not handle because its records could not be read or written. Messages to the host
    /// are repeated the next time, with the same key.
    public struct Failure: Hashable, Sendable {
        /// The payment's name, for example `P000001`.
        public let payment: String
        public let error: JournalError
    }

    /// Payments that recovery has finished.
    public var finished: [Payment] = []
    /// Payments whose host did not answer: they stay open until the next recovery.
    public var open: [Payment] = []
    /// Payments that stay open because of their records.
    public var failed: [Failure] = []

    public init() {}
}
