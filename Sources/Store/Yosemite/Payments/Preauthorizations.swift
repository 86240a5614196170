import Determinism
import Money
import Payments
import Storage

/// Captures, raises, and cancels pre-authorizations, and records the results.
///
/// The journal knows of each step before anything is sent. A capture is an advice: the payment counts as captured when
/// the host has it, and recovery sends it again until then. A cancellation is a reversal, which recovery repeats, too.
/// An increment without an answer is reversed, and what is held stays as it was.
struct Preauthorizations: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost
    let receipts: ReceiptWriter
    let time: any TimeSource

    /// Captures all or a part of a pre-authorization. `amount` is nil for all.
    ///
    /// - Returns: the payment. It is `authorized` still when the host has not taken the capture yet.
    /// - Throws: ``CardPresentPaymentsError/journal(_:)`` when nothing was sent and never will be, and
    ///   ``CardPresentPaymentsError/unrecorded(_:_:)`` when the host has the capture, or recovery will send it, and the
    ///   result could not be recorded or read.
    func capture(_ id: PaymentID, amount: Money?) async throws(CardPresentPaymentsError) -> Payment {
        try await checkCardData(of: id, for: .capture)
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
        guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { return try begun(id) }
        do throws(PaymentHostError) {
            try await host.forward(advice.request(for: attempt), of: attempt.id)
        } catch {
            let text: String? = if case .outcomeUnknown = error { advice.afterTry } else { nil }
            try? journal.noteFailure("\(error)", advice: text, for: attempt.id)
            return try begun(id)
        }
        return try result(of: id) { () throws(JournalError) in
            try journal.finish(attempt.id, as: .captured, at: time.now()).payment
        }
    }

    /// Gives back what a pre-authorization holds.
    ///
    /// - Returns: the payment. Its outcome is unknown when the host has not confirmed it.
    /// - Throws: As ``capture(_:amount:)``.
    func cancel(_ id: PaymentID) async throws(CardPresentPaymentsError) -> Payment {
        try await checkCardData(of: id, for: .reversal)
        let begun = try recording { () throws(JournalError) in
            try checkHost(of: id)
            return try journal.beginCancellation(of: id, at: time.now())
        }
        let attempt = begun.attempt
        var reversal = ReversalRequest(
            key: attempt.key, stan: attempt.stan, amount: attempt.amount, reason: .canceled,
            identity: attempt.identity)
        if begun.payment.preauthorization?.increments.isEmpty == false { reversal.heldTotal = attempt.amount }
        do throws(PaymentHostError) {
            try await host.forward(reversal)
        } catch {
            return try result(of: id) { () throws(JournalError) in
                try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now()).payment
            }
        }
        return try result(of: id) { () throws(JournalError) in
            try journal.finish(
                attempt.id, as: .reversed, receipt: receipt(.void, of: begun.payment, amount: begun.payment.amount),
                detail: PaymentJournal.canceledWords, at: time.now()
            ).payment
        }
    }

    /// Adds an amount to what a pre-authorization holds.
    ///
    /// - Parameters:
    ///   - id: the payment.
    ///   - amount: what is added.
    ///   - holdDuration: how long the issuer holds the sum from now; nil when the expiry stays as it was.
    /// - Returns: the payment. Its amount is the sum if the host has approved. The last attempt of kind `increment` is
    ///   `declined`, `failed`, `reversed`, or `unknown` otherwise.
    /// - Throws: As ``capture(_:amount:)``.
    func increment(
        _ id: PaymentID, by amount: Money, holdDuration: Duration?
    ) async throws(CardPresentPaymentsError) -> Payment {
        let (entry, held) = try recording { () throws(JournalError) in
            try checkHost(of: id)
            return try journal.beginIncrement(of: id, amount: amount, hostName: host.name, at: time.now())
        }
        let attempt = entry.attempt
        host.open(attempt)
        defer { _ = host.close(attempt.key) }
        let request = HostIncrementRequest(
            key: attempt.key, original: held.key, stan: attempt.stan, amount: amount,
            originalIdentity: held.identity)
        let response: AuthorizationResponse
        do throws(PaymentHostError) { response = try await host.increment(request) } catch {
            return try await end(attempt, after: error)
        }
        guard response.isApproved else {
            let reason = DeclineReason(responseCode: response.responseCode)
            return try recording { () throws(JournalError) in
                try journal.finish(
                    attempt.id, as: .declined,
                    detail: reason.description + (response.declineWords.map { ", \($0)" } ?? ""), at: time.now()
                ).payment
            }
        }
        guard response.responseCode != "10", response.approvedAmount == nil else {
            return try await end(attempt, after: .outcomeUnknown("the host approved a part only"))
        }
        return try result(of: id) { () throws(JournalError) in
            let now = time.now()
            return try journal.finish(
                attempt.id, as: .authorizedOnly, hostReference: response.reference,
                receipt: receipt(raising: entry.payment, by: amount),
                heldUntil: holdDuration.map { now.advanced(by: $0) }, at: now
            ).payment
        }
    }

    /// Ends an increment without an answer. What may have arrived is reversed, and only that: what is held stays.
    private func end(
        _ attempt: PaymentAttempt, after error: PaymentHostError
    ) async throws(CardPresentPaymentsError) -> Payment {
        guard case .outcomeUnknown = error else {
            return try recording { () throws(JournalError) in
                try journal.finish(attempt.id, as: .failed, detail: "\(error)", at: time.now()).payment
            }
        }
        let reversal = ReversalRequest(
            key: attempt.key, stan: attempt.stan, amount: attempt.amount, reason: .timeout)
        do throws(PaymentHostError) { try await host.reverse(reversal) } catch let failure {
            return try result(of: attempt.paymentID) { () throws(JournalError) in
                try journal.markUnknown(attempt.id, reason: "\(error); \(failure)", at: time.now()).payment
            }
        }
        return try result(of: attempt.paymentID) { () throws(JournalError) in
            try journal.finish(attempt.id, as: .reversed, detail: "\(error)", at: time.now()).payment
        }
    }

    /// Creates the receipt of an increment: a pre-authorization of the sum. The items of the first one do not add up to
    /// it.
    private func receipt(raising payment: Payment, by amount: Money) -> ReceiptDraft? {
        guard let total = try? payment.amount.adding(amount) else { return nil }
        let held = receipts.sale(of: payment.id)
        return ReceiptWriter.draft(
            receipts.content(
                kind: .preauthorization, outcome: .approved, payment: payment.id, orderID: payment.orderID,
                amount: total, reason: nil, reasonCode: nil, card: held?.card ?? payment.card,
                language: held?.language))
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

    /// Only the host that holds the amount can capture it, raise it, or give it free. One that knows no keys might
    /// capture it twice.
    private func checkHost(of id: PaymentID) throws(JournalError) {
        let attempt = try journal.attempts(of: id).last { $0.kind == .sale }
        guard let attempt, attempt.state == .authorizedOnly else { return }
        guard attempt.hostName == host.name else { throw .otherHost(id, attempt.hostName) }
        let isOutdated = attempt.id <= (try journal.restoredThrough())
        guard !isOutdated || host.knowsKeys else { throw .notCapturable(id, .outdated) }
    }

    /// Fails, before anything is recorded, when the message demands card data that can't be opened.
    private func checkCardData(
        of id: PaymentID, for message: MessageOfOriginal
    ) async throws(CardPresentPaymentsError) {
        let attempt = try recording { () throws(JournalError) in
            try journal.attempts(of: id).last { $0.kind == .sale }
        }
        guard let attempt, attempt.state == .authorizedOnly, attempt.hostName == host.name,
            let identity = attempt.identity
        else { return }
        do throws(PaymentHostError) {
            try await host.checkCardData(for: message, of: identity, key: attempt.key)
        } catch { throw .cardData(id, "\(error)") }
    }

    /// Returns a payment whose capture is recorded as begun.
    private func begun(_ id: PaymentID) throws(CardPresentPaymentsError) -> Payment {
        try result(of: id) { () throws(JournalError) in try journal.payment(id) }
    }

    /// Records or reads what came of a message. An error leaves the attempt open, and recovery goes on with it.
    private func result(
        of id: PaymentID, _ body: () throws(JournalError) -> Payment
    ) throws(CardPresentPaymentsError) -> Payment {
        do throws(JournalError) { return try body() } catch { throw .unrecorded(id, error) }
    }
}

/// Reads or writes the journal, and converts its errors.
private func recording<Value>(_ body: () throws(JournalError) -> Value) throws(CardPresentPaymentsError) -> Value {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
}
