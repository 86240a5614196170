import Determinism
import Hardware
import Money
import Payments
import Storage

/// Takes the payments of recorded attempts, refunds payments, and records the results.
///
/// ``JournalingPaymentHost`` writes the journal before anything is sent. This type records the end: state, card data,
/// and receipt in one transaction.
struct PaymentCollection: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost
    let service: any CardReaderService
    let receipts: ReceiptWriter
    let history: StoredCardHistory?
    /// Notifies the store site of the payment of its order.
    let captures: OrderPaymentNotifications
    let time: any TimeSource

    /// Takes the payment of an attempt.
    func run(
        _ entry: JournalEntry, request: PaymentRequest, bill: ReceiptBill,
        onMessage: @escaping @Sendable (CardReaderEvent) -> Void,
        onProcessed: @Sendable (PaymentIntent) -> Void
    ) async throws(CardPresentPaymentsError) -> Payment {
        let attempt = entry.attempt
        let key = attempt.key
        let obstacle: OfflineObstacle?
        do throws(JournalError) { obstacle = try offlineObstacle(for: attempt) } catch { throw .journal(error) }
        host.open(attempt)
        history?.begin()
        let result: Result<PaymentIntent, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            let parameters = PaymentIntentParameters(
                key: key, stan: attempt.stan, amount: attempt.amount, cardTimeout: request.cardTimeout,
                accountType: request.accountType, forcedOnline: request.forcedOnline,
                authorizesOnly: entry.payment.preauthorization != nil, allowsPartial: request.allowsPartial,
                offlineObstacle: obstacle, metadata: request.metadata)
            result = .success(try await service.capturePayment(parameters, onEvent: onMessage))
        } catch {
            result = .failure(error)
        }
        let refusal = host.refusal(of: key)
        let identity = await host.sealedIdentity(of: (try? result.get())?.advice)
        let phase = host.close(key)
        var mayHaveMoved = true
        do throws(JournalError) {
            switch result {
            case .success(let intent):
                var recorded = try recordApproval(intent, of: entry, bill, identity: identity)
                onProcessed(intent)
                if let advice = intent.advice { recorded = await advise(advice, of: entry) ?? recorded }
                await AdviceDelivery(journal: journal, host: host).run()
                // The removal of the card does not wait for the store.
                async let told: Void = tellSite(of: recorded)
                await waitForRemoval(onMessage)
                await told
                // A payment that cannot be read back is recorded nevertheless.
                return (try? journal.paymentWithNotification(entry.payment.id)) ?? recorded
            case .failure(let error):
                let failure = PaymentFailure(error, hostWords: refusal)
                mayHaveMoved = failure.mayHaveMovedMoney(phase)
                let recorded = try record(failure, of: entry, bill, phase: phase)
                await AdviceDelivery(journal: journal, host: host).run()
                return recorded
            }
        } catch {
            throw mayHaveMoved ? .unrecorded(entry.payment.id, error) : .journal(error)
        }
    }

    /// Why no card may approve an attempt offline: too many advices wait for the host, or for too long, or may be added
    /// by payments of other tills. Nil when one may.
    private func offlineObstacle(for attempt: PaymentAttempt) throws(JournalError) -> OfflineObstacle? {
        guard let limits = host.adviceLimits else { return nil }
        let (waiting, running) = try journal.offlineQueue(before: attempt)
        let now = time.now().milliseconds
        let oldest = waiting.map { now - $0.updatedAt.milliseconds }.max()
        return limits.obstacle(
            waiting: waiting.count, oldest: oldest.map { .milliseconds($0) }, running: running)
    }

    /// Waits for the removal of the card. The payment is already recorded, so an error does not change it.
    private func waitForRemoval(_ onMessage: @Sendable (CardReaderEvent) -> Void) async {
        do throws(CardReaderServiceError) {
            try await service.waitForInsertedCardToBeRemoved()
            onMessage(.cardRemovedAfterClientSidePaymentCapture)
        } catch {
            onMessage(.displayMessage(String(describing: error)))
        }
    }

    /// Notifies the store site. The payment and the notification are already recorded, so recovery handles an error.
    private func tellSite(of payment: Payment) async {
        guard payment.notification?.state == .due else { return }
        _ = try? await captures.sync(payment.id)
    }

    private func recordApproval(
        _ intent: PaymentIntent, of entry: JournalEntry, _ bill: ReceiptBill, identity: MessageIdentity?
    ) throws(JournalError) -> Payment {
        // The advice of an offline approval must reach the host before the payment counts as captured.
        let state: AttemptState =
            entry.payment.preauthorization != nil ? .authorizedOnly : intent.advice == nil ? .captured : .authorized
        let finished = try journal.finish(
            entry.attempt.id, as: state, amount: intent.amount, details: PaymentDetails(card: intent.details.stored),
            receipt: receipt(.approved, of: entry, bill, amount: intent.amount, card: intent.details),
            advice: intent.advice.map { host.stored($0).text },
            offlineCard: intent.advice == nil ? nil : history?.offlineCard, identity: identity, at: time.now())
        return try journal.addNotification(to: finished.payment)
    }

    /// Sends the host the advice of an offline approval. Recovery sends it again after an error, which does not change
    /// that the payment is approved and recorded.
    private func advise(_ advice: AdviceRequest, of entry: JournalEntry) async -> Payment? {
        do {
            try await host.forward(advice, of: entry.attempt.id)
            return try journal.addNotification(
                to: try journal.finish(entry.attempt.id, as: .captured, at: time.now()).payment)
        } catch {
            if case PaymentHostError.outcomeUnknown = error {
                try? journal.noteFailure(
                    "\(error)", advice: host.stored(advice).afterTry, for: entry.attempt.id)
            }
            return nil
        }
    }

    private func record(
        _ failure: PaymentFailure, of entry: JournalEntry, _ bill: ReceiptBill, phase: JournalingPaymentHost.Phase
    ) throws(JournalError) -> Payment {
        let details = failure.details
        let id = entry.attempt.id
        let recorded: JournalEntry
        if failure.mayHaveMovedMoney(phase) {
            recorded = try journal.markUnknown(
                id, reason: failure.message, details: details,
                receipt: receipt(.unknown, of: entry, bill, card: failure.card, failure: failure), at: time.now())
        } else {
            // An approval that the till reversed is void. If the card declined, the payment is declined, whatever the
            // host answered before.
            let isVoid = phase == .voided && !failure.isDecline
            let outcome: ReceiptContent.Outcome = isVoid ? .approved : failure.isDecline ? .declined : .canceled
            let state: AttemptState =
                switch phase {
                case .reversed, .voided: .reversed
                case .nothingSent where failure.isCancellation: .canceled
                case .nothingSent, .undelivered, .refused, .moved, .reversing: failure.isDecline ? .declined : .failed
                }
            recorded = try journal.finish(
                id, as: state, details: details,
                receipt: failure.card == nil
                    ? nil
                    : receipt(
                        outcome, of: entry, bill, isVoid: isVoid, card: failure.card, failure: failure),
                detail: failure.words, at: time.now())
        }
        return try journal.addNotification(to: recorded.payment)
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of entry: JournalEntry, _ bill: ReceiptBill, isVoid: Bool = false,
        amount: Money? = nil, card: CardDetails?, failure: PaymentFailure? = nil
    ) -> ReceiptDraft {
        // The items of the bill do not add up to a part of it.
        let bill = amount ?? entry.attempt.amount == entry.attempt.amount ? bill : .none
        let kind: ReceiptContent.Kind = entry.payment.preauthorization == nil ? .sale : .preauthorization
        return ReceiptWriter.draft(
            receipts.content(
                kind: isVoid ? .void : kind, outcome: outcome, payment: entry.payment.id,
                orderID: entry.payment.orderID, amount: entry.attempt.amount, approved: amount,
                reason: failure?.message, reasonCode: failure?.receiptReason, bill: bill, card: card))
    }
}
