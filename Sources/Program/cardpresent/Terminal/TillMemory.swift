import Determinism
import Money
import Payments
import Sessions
import Storage
import StripeTerminal
import Terminal
import TerminalServer

/// The requests of tills that the journal has: which payment each one made, and how it ended.
///
/// The journal says how money moved. The ending of a request only says why none did.
struct TillMemory: Sendable {
    private let journal: PaymentJournal
    private let time: any TimeSource
    /// The requests of each protocol, oldest first.
    private let kept: [String: [KeptRequest]]
    /// The objects of each protocol's tills, in the order of their creation.
    private let objects: [String: [KeptObject]]
    /// The payments by the requests that made them.
    let payments: [IdempotencyKey: PaymentID]
    /// When the open batch began; nil for the first one.
    let batchStart: Timestamp?

    /// A till asks for what happened lately: for so many requests, and for all of the 48 hours in which a ServiceID of
    /// nexo stays taken. Older ones stay in the journal.
    private static let (most, span) = (1000, Duration.seconds(48 * 3600))

    /// Reads what was kept.
    ///
    /// - Throws: `JournalError`
    init(_ journal: PaymentJournal, time: any TimeSource) throws(JournalError) {
        (self.journal, self.time) = (journal, time)
        var (kept, payments) = ([String: [KeptRequest]](), [IdempotencyKey: PaymentID]())
        let start = time.now().advanced(by: .zero - Self.span)
        for name in TillProtocol.allCases.map(\.rawValue) {
            for (stored, attempt) in try journal.tillRequests(of: name, newest: Self.most, since: start) {
                let key = IdempotencyKey(rawValue: stored.name)
                guard let request = TerminalRequest(key: key, kept: stored.request) else { continue }
                payments[key] = attempt?.paymentID
                let outcome =
                    try Self.outcome(of: request, stored, attempt, journal, time)
                    // Nothing was begun.
                    ?? (attempt == nil ? .failed(.internalError) : nil)
                kept[name, default: []].append(
                    KeptRequest(
                        request: request, outcome: outcome, started: stored.createdAt, changed: stored.updatedAt,
                        note: stored.note, isConfirmed: stored.isConfirmed, isTakenBack: stored.isTakenBack))
            }
        }
        for name in kept.keys { kept[name]?.markTakenBack() }
        let stripe = TillProtocol.stripe.rawValue
        try journal.forgetTillObjects(
            of: stripe, kind: StripeTerminal.intentKind, beyond: StripeTerminal.mostKeptIntents)
        var objects: [String: [KeptObject]] = [:]
        for name in TillProtocol.allCases.map(\.rawValue) {
            objects[name] = try journal.tillObjects(of: name).map {
                KeptObject(name: $0.name, kind: $0.kind, contents: $0.contents)
            }
        }
        self.objects = objects
        (self.kept, self.payments) = (kept, payments)
        batchStart = try journal.lastTillRequest(
            of: TerminalOperation.endOfDayKind, ending: TerminalOutcome.done(TerminalReport()).ending)
    }

    /// The requests of a protocol's tills, oldest first.
    func requests(of till: TillProtocol) -> [KeptRequest] { kept[till.rawValue] ?? [] }

    /// The objects of a protocol's tills, in the order of their creation: what stripe tills have planned, and the
    /// nonces of nexo.
    func objects(of till: TillProtocol) -> [KeptObject] { objects[till.rawValue] ?? [] }

    /// Returns the payment that a request made; nil while there is none.
    ///
    /// - Throws: `JournalError`
    func payment(of key: IdempotencyKey) throws(JournalError) -> PaymentID? {
        try journal.tillRequest(key.rawValue)?.attempt?.paymentID
    }

    /// Returns what has become of the payment that a request took; nil while that is open.
    ///
    /// - Throws: `JournalError`
    func standing(of key: IdempotencyKey) throws(JournalError) -> TerminalStanding? {
        guard let id = try payment(of: key) else { return nil }
        let payment = try journal.payment(id)
        switch payment.state {
        case .authorized: return .held
        case .captured, .partiallyRefunded, .refunded:
            return .charged(payment.amount.minorUnits, refunded: payment.refundedAmount.minorUnits)
        case .canceled, .reversed: return .released
        case .pending, .declined, .failed, .unknown: return nil
        }
    }

    /// Says which payment a request changes that makes no attempt of its own.
    ///
    /// - Throws: `CommandFailure`
    func bind(_ name: String, to payment: PaymentID) throws(CommandFailure) {
        do throws(JournalError) { try journal.bind(name, toSaleOf: payment) } catch {
            throw CommandFailure(.internalError, code: "journal", message: "\(error)")
        }
    }

    /// Says how a request ended by what the journal has now; nil while that is not known.
    ///
    /// - Throws: `JournalError`
    func outcome(of request: TerminalRequest) throws(JournalError) -> TerminalOutcome? {
        guard let (stored, attempt) = try journal.tillRequest(request.key.rawValue) else { return nil }
        return try Self.outcome(of: request, stored, attempt, journal, time)
    }

    private static func outcome(
        of request: TerminalRequest, _ stored: TillRequest, _ attempt: PaymentAttempt?, _ journal: PaymentJournal,
        _ time: any TimeSource
    ) throws(JournalError) -> TerminalOutcome? {
        let ending = stored.ending.flatMap { TerminalOutcome(ending: $0) }
        guard let attempt else { return ending }
        // The answer that the till got stays, also while a later request changes the hold. A change of a hold has the
        // attempt of the hold, so that only its ending says that it was refused. A reversal of the terminal's own comes
        // again under the same name.
        let wasApproved = stored.ending == "approved"
        if attempt.kind == .sale, !request.operation.needsCard, !request.isAutomatic, let ending { return ending }
        guard wasApproved || !attempt.state.needsRecovery else { return nil }
        let payment = try journal.payment(attempt.paymentID)
        let offset = time.offsetSeconds(at: payment.updatedAt)
        let sale = attempt.kind == .sale ? attempt : try journal.attempts(of: payment.id).last { $0.kind == .sale }
        switch request.operation {
        case .payment(let amount, _), .preauthorization(let amount):
            let number = Int(attempt.stan)
            let outcome = TerminalOutcome(payment, amount: amount, number: number, offset: offset)
            switch outcome {
            case .approved?, .declined?: return outcome
            // What was held, and released later, was approved all the same.
            case _ where wasApproved:
                return .approved(TerminalTransaction(payment, amount: amount, number: number, offset: offset))
            default: return ending ?? outcome
            }
        default: break
        }
        let date = payment.updatedAt.civil(offsetSeconds: offset)
        let isDone =
            switch (attempt.kind, request.operation) {
            case (.refund, _): attempt.state == .captured
            case (_, .release), (_, .reversal): payment.state == .reversed || payment.state == .canceled
            // All but everything releases.
            case (_, .capture(_, .allBut)):
                payment.state.isCaptured || payment.state == .reversed || payment.state == .canceled
            default: payment.state.isCaptured
            }
        guard isDone || wasApproved else {
            switch (attempt.kind, attempt.state) {
            case (.refund, .declined): return .declined(TerminalDecline(responseCode: nil, date: date))
            // It did not reach the host, or was taken back without an answer: it can be made again.
            case (.refund, .failed), (.refund, .reversed): return .failed(.hostUnreachable)
            default: return .failed(.notReversible)
            }
        }
        return .approved(
            TerminalTransaction(
                receiptNumber: payment.receiptNumber, trace: Int(attempt.stan),
                originalTrace: attempt.kind == .refund ? sale.map { Int($0.stan) } : nil,
                amount: attempt.kind == .refund ? attempt.amount : payment.amount, date: date, card: payment.card))
    }
}

/// Keeps the requests of one protocol's tills in the journal.
struct TillRequestKeeper: RequestKeeper {
    let journal: PaymentJournal
    let till: TillProtocol

    func keep(_ change: TerminalChange, at moment: Timestamp) throws(RequestNotKept) {
        guard let text = change.request.keptText else { return }
        let request = TillRequest(
            name: change.request.key.rawValue, protocolName: till.rawValue, request: text, note: change.note ?? "{}",
            ending: change.outcome?.ending, isConfirmed: change.isConfirmed, isTakenBack: change.isTakenBack,
            at: moment)
        do throws(JournalError) { try journal.keep(request, hasNewNote: change.note != nil) } catch {
            throw RequestNotKept("\(error)")
        }
    }

    func keep(_ objects: [KeptObject], at moment: Timestamp) throws(RequestNotKept) {
        let kept = objects.compactMap { object in
            object.contents.map {
                TillObject(
                    name: object.name, protocolName: till.rawValue, kind: object.kind, contents: $0, at: moment)
            }
        }
        let deleted = objects.filter { $0.contents == nil }.map(\.name)
        do throws(JournalError) { try journal.keep(kept, deleting: deleted) } catch {
            throw RequestNotKept("\(error)")
        }
    }
}

extension TerminalOutcome {
    /// The word that is kept of it.
    fileprivate var ending: String {
        switch self {
        case .approved: "approved"
        case .declined: "declined"
        case .canceled(let reason): "canceled \(reason)"
        case .failed(let reason): "failed \(reason)"
        case .done: "done"
        }
    }

    /// Reads the word of an end without money; nil for others.
    fileprivate init?(ending: String) {
        if ending == "done" {
            self = .done(TerminalReport())
        } else if let reason = TerminalCancellation.allCases.first(where: { ending == "canceled \($0)" }) {
            self = .canceled(reason)
        } else if let reason = TerminalFailure.allCases.first(where: { ending == "failed \($0)" }) {
            self = .failed(reason)
        } else {
            return nil
        }
    }
}
