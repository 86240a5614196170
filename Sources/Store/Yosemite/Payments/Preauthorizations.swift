internal import Determinism
internal import Money
internal import Payments
internal import Storage

/// Captures and cancels pre-authorizations, and records the results.
///
/// The journal knows of each step before anything is sent. A capture is an advice: the payment counts as captured when
/// the host has it, and recovery sends it again until then. A cancellation is a reversal, which recovery repeats, too.
struct Preauthorizations: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost
    let receipts: ReceiptWriter
    let time: any TimeSource

    /// Captures all or a part of a pre-authorization. `amount` is nil for all.
    ///
    /// - Returns: the payment. It is `authorized` still when the host has not taken the capture yet.
    /// - Throws: ``CardPresentPaymentsError/journal(_:)`` when nothing was sent, and
    ///   ``CardPresentPaymentsError/unrecorded(_:_:)`` when the host has the capture and it could not be recorded.
    func capture(_ id: PaymentID, amount: Money?) async throws(CardPresentPaymentsError) -> Payment {
        let attempt = try recording { () throws(JournalError) in
            try checkHost(of: id)
            let payment = try journal.payment(id)
            let advice = AdviceRequest(
                key: IdempotencyKey(rawValue: ""), stan: 0, amount: payment.amount,
                lastFour: payment.card?.lastFour ?? "", iccData: [], purpose: .capture)
            return try journal.beginCapture(
                of: id, amount: amount, advice: StoredAdvice(advice).text,
                receipt: receipt(.sale, of: payment, amount: amount ?? payment.amount), at: time.now()
            ).attempt
        }
        guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { return try stored(id) }
        do throws(PaymentHostError) {
            try await host.forward(advice.request(for: attempt), of: attempt.id)
        } catch {
            if case .outcomeUnknown = error, let text = advice.sent { try? journal.keepAdvice(text, for: attempt.id) }
            return try stored(id)
        }
        do throws(JournalError) {
            return try journal.finish(attempt.id, as: .captured, at: time.now()).payment
        } catch {
            throw .unrecorded(id, error)
        }
    }

    /// Gives back what a pre-authorization holds.
    ///
    /// - Returns: the payment. Its outcome is unknown when the host has not confirmed it.
    /// - Throws: As ``capture(_:amount:)``.
    func cancel(_ id: PaymentID) async throws(CardPresentPaymentsError) -> Payment {
        let begun = try recording { () throws(JournalError) in
            try checkHost(of: id)
            return try journal.beginCancellation(of: id, at: time.now())
        }
        let attempt = begun.attempt
        let reversal = ReversalRequest(
            key: attempt.key, stan: attempt.stan, amount: attempt.amount, reason: .canceled,
            identity: attempt.identity)
        do throws(PaymentHostError) {
            try await host.forward(reversal)
        } catch {
            return try recording { () throws(JournalError) in
                try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now()).payment
            }
        }
        do throws(JournalError) {
            return try journal.finish(
                attempt.id, as: .reversed, receipt: receipt(.void, of: begun.payment, amount: begun.payment.amount),
                detail: PaymentJournal.canceledWords, at: time.now()
            ).payment
        } catch {
            throw .unrecorded(id, error)
        }
    }

    /// Creates the receipt of a capture or a cancellation, with the card and the items of the pre-authorization.
    func receipt(_ kind: ReceiptContent.Kind, of payment: Payment, amount: Money) -> ReceiptDraft {
        let held = receipts.sale(of: payment.id)
        let isWhole = amount == payment.amount
        return ReceiptWriter.draft(
            receipts.content(
                kind: kind, outcome: .approved, payment: payment.id, orderID: payment.orderID, amount: amount,
                reason: nil, reasonCode: nil,
                bill: isWhole ? ReceiptBill(breakdown: held?.breakdown, note: held?.breakdownNote) : .none,
                card: held?.card ?? payment.card, language: held?.language))
    }

    /// Only the host that holds the amount can capture it or give it free. One that knows no keys might capture it
    /// twice.
    private func checkHost(of id: PaymentID) throws(JournalError) {
        let attempt = try journal.attempts(of: id).last { $0.kind == .sale }
        guard let attempt, attempt.state == .authorizedOnly else { return }
        guard attempt.hostName == host.name else { throw .otherHost(id, attempt.hostName) }
        let isOutdated = attempt.id <= (try journal.restoredThrough())
        guard !isOutdated || host.knowsKeys else { throw .notCapturable(id, .outdated) }
    }

    private func stored(_ id: PaymentID) throws(CardPresentPaymentsError) -> Payment {
        try recording { () throws(JournalError) in try journal.payment(id) }
    }
}

/// Reads or writes the journal, and converts its errors.
private func recording<Value>(_ body: () throws(JournalError) -> Value) throws(CardPresentPaymentsError) -> Value {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
}
