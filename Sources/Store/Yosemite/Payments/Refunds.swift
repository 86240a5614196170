import Determinism
import Hardware
import Money
import Payments
import Storage

extension PaymentCollection {
    /// Refunds `amount` of a payment, or the whole remaining amount when it is nil, records the result, and notifies
    /// the store site. `lines` are those of the order that the refund names: the amount is what they cost.
    /// `tillRequest` is the name of the till's request that it is for.
    func refund(
        _ id: PaymentID, amount: Money?, lines: [RefundedLine] = [], tillRequest: String? = nil
    ) async throws(CardPresentPaymentsError) -> Payment {
        let cost = lines.isEmpty ? amount : try cost(of: lines, of: id)
        if let amount, let cost, amount != cost { throw .refund(.otherAmount(amount, lines: cost)) }
        let payment = try await record(id, amount: cost, lines: lines, tillRequest)
        guard payment.refundNotifications.contains(where: \.state.isOpen) else { return payment }
        // The refund and its notification are recorded, so a later run handles an error.
        _ = try? await captures.syncRefunds(of: id)
        return (try? journal.paymentWithNotification(id)) ?? payment
    }

    private func record(
        _ id: PaymentID, amount: Money?, lines: [RefundedLine], _ tillRequest: String?
    ) async throws(CardPresentPaymentsError) -> Payment {
        let begun: (entry: JournalEntry, original: PaymentAttempt)
        do throws(JournalError) {
            let payment = try journal.payment(id)
            let sale = try journal.attempts(of: id).last { $0.kind == .sale && $0.state == .captured }
            guard let sale else { throw JournalError.notRefundable(id, payment.state) }
            let part = if let amount { amount } else { try remaining(payment) }
            begun = (
                try journal.beginRefund(
                    of: id, amount: part, lines: lines, hostName: host.name, tillRequest: tillRequest, at: time.now()),
                sale
            )
        } catch {
            throw .journal(error)
        }
        return try await send(begun.entry, original: begun.original)
    }

    private func cost(of lines: [RefundedLine], of id: PaymentID) throws(CardPresentPaymentsError) -> Money {
        let payment: Payment
        do throws(JournalError) { payment = try journal.payment(id) } catch { throw .journal(error) }
        guard payment.orderID != nil else { throw .refund(.noOrder(id)) }
        return try RefundQuote(lines, currency: payment.amount.currency).amount
    }

    private func remaining(_ payment: Payment) throws(JournalError) -> Money {
        do throws(MoneyError) {
            return try Money(
                minorUnits: payment.amount.minorUnits - payment.refundedAmount.minorUnits,
                currency: payment.amount.currency)
        } catch {
            throw .money(error)
        }
    }

    private func send(
        _ entry: JournalEntry, original: PaymentAttempt
    ) async throws(CardPresentPaymentsError) -> Payment {
        let attempt = entry.attempt
        let key = attempt.key
        host.open(attempt)
        let request = HostRefundRequest(
            key: key, original: original.key, stan: attempt.stan, amount: attempt.amount,
            originalIdentity: original.identity?.answered(
                reference: original.hostReference, authorizationCode: entry.payment.card?.authorizationCode))
        let result: Result<RefundResult, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            result = .success(try await service.refundPayment(request))
        } catch {
            result = .failure(error)
        }
        let refusal = host.refusal(of: key)
        let phase = host.close(key)
        var mayHaveMoved = true
        do throws(JournalError) {
            switch result {
            case .success(let refund):
                let recorded = try journal.finish(
                    attempt.id, as: .captured, hostReference: refund.reference,
                    receipt: receipt(.approved, of: entry, refund: refund),
                    at: time.now())
                return try journal.addNotification(to: recorded.payment)
            case .failure(let error):
                let failure = PaymentFailure(error, hostWords: refusal)
                mayHaveMoved = failure.mayHaveMovedMoney(phase)
                return try recordRefund(failure, of: entry, phase: phase)
            }
        } catch {
            throw mayHaveMoved ? .unrecorded(entry.payment.id, error) : .journal(error)
        }
    }

    private func recordRefund(
        _ failure: PaymentFailure, of entry: JournalEntry, phase: JournalingPaymentHost.Phase
    ) throws(JournalError) -> Payment {
        let details = failure.details
        if failure.mayHaveMovedMoney(phase) {
            return try journal.addNotification(
                to: try journal.markUnknown(
                    entry.attempt.id, reason: failure.message, details: details,
                    receipt: receipt(.unknown, of: entry, failure), at: time.now()
                ).payment)
        }
        let state: AttemptState = failure.isDecline ? .declined : failure.isCancellation ? .canceled : .failed
        return try journal.addNotification(
            to: try journal.finish(
                entry.attempt.id, as: state, details: details,
                receipt: failure.isDecline ? receipt(.declined, of: entry, failure) : nil,
                detail: failure.words, at: time.now()
            ).payment)
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of entry: JournalEntry, _ failure: PaymentFailure? = nil,
        refund: RefundResult? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            receipts.refund(
                outcome, of: entry.payment, amount: entry.attempt.amount, reason: failure?.message,
                reasonCode: failure?.receiptReason, answer: refund))
    }
}
