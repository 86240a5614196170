internal import Determinism
internal import Hardware
internal import Storage

/// Takes the money of one journalled attempt, and records how it ended.
///
/// The journal is written by ``JournallingPaymentHost`` before anything leaves, and here when the end is
/// known: state, card data, and receipt in one transaction.
struct PaymentCollection: Sendable {
    let journal: PaymentJournal
    let host: JournallingPaymentHost
    let service: any CardReaderService
    let receipts: ReceiptWriter
    let history: StoredCardHistory?
    /// Tells the store site of a payment of its order.
    let captures: SiteCaptures
    let time: any TimeSource

    func run(
        _ entry: JournalEntry, request: PaymentRequest, bill: ReceiptBill,
        onMessage: @escaping @Sendable (CardReaderEvent) -> Void,
        onProcessed: @Sendable (PaymentIntent) -> Void
    ) async throws(CardPresentPaymentsError) -> Payment {
        let attempt = entry.attempt
        let key = IdempotencyKey(rawValue: attempt.idempotencyKey)
        host.open(attempt)
        history?.begin()
        let result: Result<PaymentIntent, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            let parameters = PaymentIntentParameters(
                key: key, stan: attempt.stan, amount: attempt.amount, cardTimeout: request.cardTimeout,
                accountType: request.accountType, forcedOnline: request.forcedOnline, metadata: request.metadata)
            result = .success(try await service.capturePayment(parameters, onEvent: onMessage))
        } catch {
            result = .failure(error)
        }
        let phase = host.close(key)
        do throws(JournalError) {
            switch result {
            case .success(let intent):
                var recorded = try recordApproval(intent, of: entry, bill)
                onProcessed(intent)
                if let advice = intent.advice { recorded = await advise(advice, of: entry) ?? recorded }
                await NoticeDelivery(journal: journal, host: host).run()
                // The card need not wait for the store.
                async let told: Void = tellSite(of: recorded)
                await waitForRemoval(onMessage)
                await told
                // What cannot be read back is recorded all the same.
                return (try? Payment(entry.payment.id, in: journal)) ?? recorded
            case .failure(let error):
                let recorded = try record(PaymentFailure(error), of: entry, bill, phase: phase)
                await NoticeDelivery(journal: journal, host: host).run()
                return recorded
            }
        } catch {
            throw .journal(error)
        }
    }

    /// The payment is recorded: a card that stays in the reader does not change it.
    private func waitForRemoval(_ onMessage: @Sendable (CardReaderEvent) -> Void) async {
        do throws(CardReaderServiceError) {
            try await service.waitForInsertedCardToBeRemoved()
            onMessage(.cardRemovedAfterClientSidePaymentCapture)
        } catch {
            onMessage(.displayMessage(String(describing: error)))
        }
    }

    /// The payment is recorded, and that the site is to be told, too: what goes wrong here is mended later.
    private func tellSite(of payment: Payment) async {
        guard payment.capture?.state == .due else { return }
        _ = try? await captures.settle(PaymentID(rawValue: payment.id))
    }

    private func recordApproval(
        _ intent: PaymentIntent, of entry: JournalEntry, _ bill: ReceiptBill
    ) throws(JournalError) -> Payment {
        // A card that approved offline has the host's promise only once the host has been told.
        let finished = try journal.finish(
            entry.attempt.id, as: intent.advice == nil ? .captured : .authorized,
            details: PaymentDetails(intent.details), receipt: receipt(.approved, of: entry, bill, card: intent.details),
            advice: intent.advice.map(StoredAdvice.init)?.text,
            offlineCard: intent.advice == nil ? nil : history?.offlineCard, at: time.now())
        return try Payment(finished.payment, in: journal)
    }

    /// Tells the host of an offline approval. One that cannot be told now is told again by recovery.
    /// What goes wrong here does not change that the payment is approved and recorded.
    private func advise(_ advice: AdviceRequest, of entry: JournalEntry) async -> Payment? {
        do {
            try await host.advise(advice)
            return try Payment(
                try journal.finish(entry.attempt.id, as: .captured, at: time.now()).payment, in: journal)
        } catch {
            return nil
        }
    }

    private func record(
        _ failure: PaymentFailure, of entry: JournalEntry, _ bill: ReceiptBill, phase: JournallingPaymentHost.Phase
    ) throws(JournalError) -> Payment {
        let details = PaymentDetails(failure.card, failure: failure)
        let id = entry.attempt.id
        let recorded: JournalEntry
        // Whatever the failure says: what the host approved, or may have, and did not take back is not over.
        if phase == .moved || phase == .reversing || failure.isUnknown {
            recorded = try journal.markUnknown(
                id, reason: failure.message, details: details,
                receipt: receipt(.unknown, of: entry, bill, card: failure.card, failure: failure), at: time.now())
        } else {
            // What was approved and taken back by the till is void. A card that declined has declined, whatever the host
            // said before.
            let isVoid = phase == .voided && !failure.isDecline
            let outcome: ReceiptContent.Outcome = isVoid ? .approved : failure.isDecline ? .declined : .cancelled
            let state: AttemptState =
                switch phase {
                case .reversed, .voided: .reversed
                case .nothingSent where failure.isCancellation: .cancelled
                case .nothingSent, .undelivered, .refused, .moved, .reversing: failure.isDecline ? .declined : .failed
                }
            recorded = try journal.finish(
                id, as: state, details: details,
                receipt: failure.card == nil
                    ? nil
                    : receipt(
                        outcome, of: entry, bill, isVoid: isVoid, card: failure.card, failure: failure),
                detail: failure.message, at: time.now())
        }
        return try Payment(recorded.payment, in: journal)
    }

    private func receipt(
        _ outcome: ReceiptContent.Outcome, of entry: JournalEntry, _ bill: ReceiptBill, isVoid: Bool = false,
        card: CardPresentTransactionDetails?, failure: PaymentFailure? = nil
    ) -> ReceiptDraft {
        ReceiptWriter.draft(
            receipts.content(
                kind: isVoid ? .void : .sale, outcome: outcome, payment: entry.payment.id,
                orderID: entry.payment.orderID, amount: entry.attempt.amount, reason: failure?.message, bill: bill,
                card: card))
    }
}
