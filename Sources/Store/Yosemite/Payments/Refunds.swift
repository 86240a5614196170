internal import Determinism
internal import Hardware
internal import Money
internal import Networking
internal import Payments
internal import Storage

extension PaymentCollection {
    /// Refunds `amount` of a payment, or the whole remaining amount when it is nil, and records the result.
    func refund(_ id: PaymentID, amount: Money?) async throws(CardPresentPaymentsError) -> Payment {
        do throws(JournalError) {
            let payment = try journal.payment(id)
            let sale = try journal.attempts(of: id).last { $0.kind == .sale && $0.state == .captured }
            guard let sale else { throw JournalError.notRefundable(id, payment.state) }
            let part = if let amount { amount } else { try remaining(payment) }
            let entry = try journal.beginRefund(of: id, amount: part, hostName: host.name, at: time.now())
            return try await send(entry, original: sale.key)
        } catch {
            throw .journal(error)
        }
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

    private func send(_ entry: JournalEntry, original: IdempotencyKey) async throws(JournalError) -> Payment {
        let attempt = entry.attempt
        let key = attempt.key
        host.open(attempt)
        let request = HostRefundRequest(key: key, original: original, stan: attempt.stan, amount: attempt.amount)
        let result: Result<RefundResult, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            result = .success(try await service.refundPayment(request))
        } catch {
            result = .failure(error)
        }
        let phase = host.close(key)
        switch result {
        case .success(let refund):
            let recorded = try journal.finish(
                attempt.id, as: .captured, hostReference: refund.reference,
                receipt: receipt(.approved, of: entry, refund: refund),
                at: time.now())
            return try journal.addNotification(to: recorded.payment)
        case .failure(let error):
            return try recordRefund(PaymentFailure(error), of: entry, phase: phase)
        }
    }

    private func recordRefund(
        _ failure: PaymentFailure, of entry: JournalEntry, phase: JournalingPaymentHost.Phase
    ) throws(JournalError) -> Payment {
        let details = failure.details
        if failure.isUnknown || phase == .moved {
            return try journal.addNotification(
                to: try journal.markUnknown(
                    entry.attempt.id, reason: failure.message, details: details,
                    receipt: receipt(.unknown, of: entry, reason: failure.message), at: time.now()
                ).payment)
        }
        let state: AttemptState = failure.isDecline ? .declined : failure.isCancellation ? .canceled : .failed
        return try journal.addNotification(
            to: try journal.finish(
                entry.attempt.id, as: state, details: details,
                receipt: failure.isDecline ? receipt(.declined, of: entry, reason: failure.message) : nil,
                detail: failure.message, at: time.now()
            ).payment)
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of entry: JournalEntry, reason: String? = nil, refund: RefundResult? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            receipts.refund(outcome, of: entry.payment, amount: entry.attempt.amount, reason: reason, answer: refund))
    }
}

/// Adds a note about a refund at the till to the order. The store's own accounting does not change: a refund there
/// would be a second one. An error has no effect on the refund.
struct RefundNote: Sendable {
    let site: PaymentSite?
    let journal: PaymentJournal

    /// `before` is the amount refunded before, in minor units.
    func write(_ payment: Payment, before: Int64) async {
        guard let site, let orderID = payment.orderID, payment.refundedAmount.minorUnits > before,
            let stored = try? journal.payment(payment.id),
            let capture = try? journal.notification(of: stored.id), capture.state == .confirmed,
            site.covers(capture, of: stored),
            let part = try? Money(
                minorUnits: payment.refundedAmount.minorUnits - before, currency: payment.amount.currency)
        else { return }
        let note = try? await site.orders.addOrderNote(
            siteID: payment.siteID, orderID: orderID, isCustomerNote: false,
            note: "\(part) given back to the card at the till (\(payment.name)).")
        guard let note else { return }
        _ = try? site.context.storage.performAndSave { try $0.save(note) }
    }
}
