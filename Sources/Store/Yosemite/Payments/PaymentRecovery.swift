import Determinism
public import Payments
public import Storage

/// Finishes attempts that were left open by a killed process or by a host without an answer.
///
/// A sale without an answer is reversed: the till has not shown it as approved. For a refund an inquiry is sent,
/// because it was promised to the customer; at a host that can't be asked, it is reversed as well, and can then be made
/// again. A host that knows no keys is asked once: when it does not say, the refund is reversed. Once a refund was
/// about to be taken back, no host is asked, and it is reversed. An increment of what is held is reversed, too:
/// recovery raises nothing. An attempt that the host does not confirm stays open until the next recovery.
///
/// Before anything else, the host is asked whether the database was restored from a backup. If it was, an attempt in it
/// may have been finished after the backup, and shown as approved: the host is asked for its result. While the host
/// does not say, nothing is sent about an attempt, and none counts as failed.
struct PaymentRecovery: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost
    let identity: TillIdentity
    let receipts: ReceiptWriter
    let time: any TimeSource

    func run() async throws(JournalError) -> RecoveryReport {
        var report = RecoveryReport()
        let silence = try await identity.confirm()
        let restoredThrough = try journal.restoredThrough()
        for attempt in try journal.openAttempts() {
            do throws(JournalError) {
                let payment = try await recover(attempt, silence: silence, isOutdated: attempt.id <= restoredThrough)
                if payment.attemptIsOpen {
                    report.open.append(payment.value)
                    report.reasons[attempt.paymentID] = (try? journal.attempt(attempt.id))?.lastError
                    if silence == nil, attempt.id <= restoredThrough, !host.knowsKeys {
                        report.outdated.insert(attempt.paymentID)
                    }
                    if attempt.hostName != host.name { report.otherHosts[attempt.paymentID] = attempt.hostName }
                } else {
                    report.finished.append(payment.value)
                }
            } catch {
                // A payment that cannot be recorded must not stop the recovery of the others.
                report.failed.append(RecoveryReport.Failure(payment: "\(attempt.paymentID)", error: error))
            }
        }
        await AdviceDelivery(journal: journal, host: host).run()
        try? journal.wipeExpiredCardData(at: time.now())
        // Last: a recovery that fails has reported nothing, and payments stay refused.
        report.restored = identity.takeFound()
        return report
    }

    private typealias Recovered = (value: Payment, attemptIsOpen: Bool)

    /// `silence` is the error of a host that did not say whether the database was restored. `isOutdated`: the attempt
    /// was in the backup that the database was restored from.
    private func recover(
        _ attempt: PaymentAttempt, silence: PaymentHostError?, isOutdated: Bool
    ) async throws(JournalError) -> Recovered {
        guard attempt.hostName == host.name else {
            return (try journal.paymentWithNotification(attempt.paymentID), true)
        }
        host.open(attempt)
        defer { _ = host.close(attempt.key) }
        let entry: JournalEntry? =
            if let silence { try wait(attempt, silence) } else {
                switch (attempt.state, attempt.kind) {
                case (.authorized, _): try await adviseAgain(attempt)
                case (.created, _) where isOutdated: try await inquireUnsent(attempt)
                case (.created, _): try abandon(attempt)
                // A person has to look.
                case (.unknown, _) where isOutdated && !host.canBeAsked: nil
                case _ where isOutdated: try await finishOutdated(attempt)
                case (_, .refund) where host.canBeAsked: try await finishRefund(attempt)
                default: try await reverse(attempt)
                }
            }
        guard let entry else { return (try journal.paymentWithNotification(attempt.paymentID), true) }
        return (try journal.addNotification(to: entry.payment), entry.attempt.state.needsRecovery)
    }

    /// Nothing was sent: no money moved.
    private func abandon(_ attempt: PaymentAttempt) throws(JournalError) -> JournalEntry {
        let failure = PaymentFailure(
            code: PaymentErrorCode.interrupted, message: "interrupted before anything was sent",
            receiptReason: .interrupted)
        return try journal.finish(
            attempt.id, as: .failed, details: failure.details, detail: failure.message,
            at: time.now())
    }

    /// Nothing is sent before it is known whether the database was restored.
    ///
    /// - Returns: Nil when the state stays.
    private func wait(_ attempt: PaymentAttempt, _ silence: PaymentHostError) throws(JournalError) -> JournalEntry? {
        guard attempt.state != .created, attempt.state != .authorized else { return nil }
        return try journal.markUnknown(attempt.id, reason: String(describing: silence), at: time.now())
    }

    /// The backup was made before anything was sent, which may have happened since.
    private func inquireUnsent(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        try await inquire(try journal.markAuthorizing(attempt.id, at: time.now()).attempt, isOutdated: true)
    }

    /// What was about to be taken back, whatever the host answered, is taken back: its reversal may still be under way.
    /// Everything else may have been shown as approved since the backup.
    private func finishOutdated(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        guard try wasReversing(attempt) else { return try await inquire(attempt, isOutdated: true) }
        return try await reverse(attempt)
    }

    /// A refund that was about to be taken back is taken back, and the host is not asked again: its approval would be
    /// shown as final, and the reversal that is under way would still undo it.
    private func finishRefund(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        guard try wasReversing(attempt) else { return try await inquire(attempt) }
        return try await reverse(attempt)
    }

    private func wasHeld(_ attempt: PaymentAttempt) throws(JournalError) -> Bool {
        try journal.transitions(of: attempt.id).contains { $0.state == .authorizedOnly }
    }

    private func wasReversing(_ attempt: PaymentAttempt) throws(JournalError) -> Bool {
        try journal.transitions(of: attempt.id).contains { $0.state == .reversing }
    }

    /// - Returns: Nil when the advice cannot be sent yet, or cannot be read: a payment must not count as captured
    ///   before the host was advised.
    private func adviseAgain(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { return nil }
        do throws(PaymentHostError) {
            try await host.forward(advice.request(for: attempt, isRepeat: true), of: attempt.id)
        } catch {
            let text: String? = if case .outcomeUnknown = error { advice.afterTry } else { nil }
            try? journal.noteFailure("\(error)", advice: text, for: attempt.id)
            return nil
        }
        return try journal.finish(attempt.id, as: .captured, at: time.now())
    }

    /// Takes the attempt back, which then is reversed, or unknown while the host does not confirm it.
    ///
    /// When the reversal demands card data that can't be opened, as without the storage key, nothing is sent, and a
    /// person has to look: an attempt without an answer becomes unknown, so that a person can close it, and any other
    /// one keeps its state.
    ///
    /// - Returns: what was written; nil when the state stays.
    private func reverse(_ attempt: PaymentAttempt) async throws(JournalError) -> JournalEntry? {
        if let identity = attempt.identity {
            do throws(PaymentHostError) {
                try await host.checkCardData(for: .reversal, of: identity, key: attempt.key)
            } catch {
                // A person can close what is unknown.
                guard attempt.state == .authorizing else {
                    try journal.noteFailure("\(error)", for: attempt.id)
                    return nil
                }
                return try journal.markUnknown(attempt.id, reason: "\(error)", at: time.now())
            }
        }
        var reversal = ReversalRequest(
            key: attempt.key, stan: attempt.stan, amount: attempt.amount,
            reason: attempt.state == .authorizing ? .interrupted : .timeout, isRepeat: try wasReversing(attempt))
        if attempt.kind == .sale, try journal.isRaised(attempt.paymentID) { reversal.heldTotal = attempt.amount }
        do throws(PaymentHostError) {
            try await host.reverse(reversal)
        } catch {
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        let payment = try journal.payment(attempt.paymentID)
        // A person canceled what was held, so it is no interruption.
        if attempt.kind == .sale, payment.errorCode == PaymentErrorCode.canceled, try wasHeld(attempt) {
            let holds = Preauthorizations(journal: journal, host: host, receipts: receipts, time: time)
            return try journal.finish(
                attempt.id, as: .reversed, receipt: holds.receipt(.void, of: payment, amount: payment.amount),
                detail: PaymentJournal.canceledWords, at: time.now())
        }
        let failure = PaymentFailure(
            code: PaymentErrorCode.interrupted,
            message: "interrupted, and taken back: " + Self.unchanged(attempt.kind),
            receiptReason: .interrupted)
        return try journal.finish(
            attempt.id, as: .reversed, details: failure.details,
            receipt: receipt(
                .canceled, of: attempt, payment: payment, reason: failure.message, reasonCode: failure.receiptReason),
            detail: failure.message, at: time.now())
    }

    /// `isOutdated`: the attempt may have been finished after the backup that has it.
    private func inquire(
        _ attempt: PaymentAttempt, isOutdated: Bool = false
    ) async throws(JournalError) -> JournalEntry? {
        let answer: InquiryResult
        do throws(PaymentHostError) {
            answer = try await host.inquire(attempt.key, identity: attempt.identity)
        } catch {
            // An inquiry by fields is never a reason not to reverse.
            guard host.knowsKeys || isOutdated else { return try await reverse(attempt) }
            return try journal.markUnknown(attempt.id, reason: String(describing: error), at: time.now())
        }
        // Such a host may have forgotten what was finished long ago: a person has to look.
        if isOutdated, !host.knowsKeys, answer == .notFound || answer == .reversed {
            return try journal.markUnknown(
                attempt.id, reason: "the host does not know the message of the restored backup", at: time.now())
        }
        let payment = try journal.payment(attempt.paymentID)
        switch answer {
        case .approved(let response):
            let isHeld =
                attempt.kind == .increment
                || attempt.kind == .sale && payment.preauthorization != nil && attempt.completion == nil
            return try journal.finish(
                attempt.id, as: isHeld ? .authorizedOnly : .captured, hostReference: response.reference,
                receipt: receipt(
                    .approved, of: attempt, payment: payment, answer: RefundResult(response), isHeld: isHeld),
                detail: attempt.kind == .refund ? nil : "approved by the host before the database was restored",
                at: time.now())
        case .declined(let response):
            let reason = DeclineReason(responseCode: response.responseCode)
            return try journal.finish(
                attempt.id, as: .declined,
                receipt: receipt(
                    .declined, of: attempt, payment: payment, reason: reason.description,
                    reasonCode: ReceiptReason(reason)),
                detail: response.responseCode, at: time.now())
        case .notFound, .reversed:
            // The host must reject the key, so that a delayed message moves nothing.
            return try await reverse(attempt)
        }
    }

    /// What an attempt that was taken back leaves as it was.
    private static func unchanged(_ kind: PaymentAttempt.Kind) -> String {
        switch kind {
        case .sale: "nothing was charged"
        case .refund: "nothing was refunded"
        case .increment: "what is held stays as it was"
        }
    }

    /// - Returns: nil for an increment, which has a receipt only when the till itself heard the approval.
    private func receipt(
        _ outcome: ReceiptContent.Outcome, of attempt: PaymentAttempt, payment: Payment, reason: String? = nil,
        reasonCode: ReceiptReason? = nil, answer: RefundResult? = nil, isHeld: Bool = false
    ) -> ReceiptDraft? {
        guard attempt.kind != .increment else { return nil }
        return ReceiptWriter.draft(
            attempt.kind == .refund
                ? receipts.refund(
                    outcome, of: payment, amount: attempt.amount, reason: reason, reasonCode: reasonCode,
                    answer: answer)
                : receipts.content(
                    kind: isHeld ? .preauthorization : .sale, outcome: outcome, payment: payment.id,
                    orderID: payment.orderID, amount: attempt.amount, reason: reason, reasonCode: reasonCode,
                    bill: receipts.bill(of: payment.id),
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
    /// The hosts of those open payments that went to another host than the one of this recovery.
    public var otherHosts: [PaymentID: String] = [:]
    /// Why those payments stay open, as far as the journal has an error, in words.
    public var reasons: [PaymentID: String] = [:]
    /// Those open payments that were in a restored backup, at a host that knows only messages: they may have been
    /// finished since, so that a person has to look.
    public var outdated: Set<PaymentID> = []
    /// Payments that stay open because of their records.
    public var failed: [Failure] = []
    /// Former identities of the database about which the host knew later numbers: it was restored from a backup, and
    /// has a new identity now.
    ///
    /// Until a report has named them, payments and refunds fail with ``CardPresentPaymentsError/restored(_:)``.
    public var restored: [FormerIdentity] = []

    /// Creates an empty report, to which each recovered attempt adds its result.
    public init() {}

    /// Returns why an open payment stays open, if the host answered with a code that does not end it, if another host
    /// has to be asked, or if a person has to look; nil if the host did not answer.
    public func hostAnswer(about payment: PaymentID) -> String? {
        let answer = reasons[payment].flatMap {
            PaymentHostError.tellsOfRefusal($0) || PaymentHostError.tellsOfAnotherHost($0)
                || PaymentHostError.tellsOfClosedCardData($0) ? $0 : nil
        }
        guard outdated.contains(payment) else { return answer }
        return (answer.map { $0 + "; it" } ?? "it") + " may have ended since the backup was made; fix: ask the "
            + "acquirer, and record the answer with 'cardpresent payments close \(payment)'"
    }

    /// Why what was asked for before this report must not be done: it may be among the payments that a restored backup
    /// lost. Nil when no restored backup was found.
    public var refusal: CardPresentPaymentsError? { restored.isEmpty ? nil : .restored(restored) }
}
