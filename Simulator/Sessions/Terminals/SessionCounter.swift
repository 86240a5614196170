public import Determinism
public import Money
public import Payments
public import Terminal
import Yosemite

/// The transactions of one terminal in a session, and the work of its requests there: payments with a card of the
/// session, and captures, reversals, and refunds that name a transaction by the terminal's request or by the number on
/// its receipt.
///
/// A value without a session of its own: the owner calls it for one thing after another, in the session's turns.
public struct SessionCounter: Sendable {
    /// Whether transactions have receipts.
    private let givesReceipts: Bool
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    private var book = CounterBook()

    /// Makes a counter that has taken nothing; `givesReceipts` says whether transactions have receipts.
    public init(givesReceipts: Bool = false) { self.givesReceipts = givesReceipts }

    /// The number of payments that can be referred to.
    public var count: Int { payments.count }

    /// Whether an amount is held.
    public var hasHolds: Bool { book.hasHolds }

    /// Forgets all payments before another session begins. The numbers and the totals of the open batch go on.
    public mutating func forgetPayments() {
        payments = [:]
        book.forgetTransactions()
    }

    // MARK: With a card

    /// Takes a payment or a pre-authorization with the card of the options, or gives money back to that card.
    ///
    /// - Parameters:
    ///   - request: the terminal's request.
    ///   - options: the card, and what its cardholder does.
    ///   - session: the session.
    /// - Returns: the outcome, nil while it is not known; and the payment that was taken, nil for none.
    /// - Throws: ``SimulatedSessionError`` when the session failed.
    public mutating func take(
        _ request: TerminalRequest, _ options: PaymentOptions, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> (outcome: TerminalOutcome?, payment: Payment?) {
        var options = options
        let amount: Money
        switch request.operation {
        case .payment(let money, _): amount = money
        case .preauthorization(let money): (amount, options.isHeld) = (money, true)
        case .refund(let amount):
            return (try await giveBack(amount, request, to: options.card ?? "", in: session), nil)
        default: return (.failed(.notSupported), nil)
        }
        let payment = try await session.takePayment(amount, options)
        return (await outcome(of: payment, for: request, card: options.card ?? "", in: session), payment)
    }

    /// Enters a payment that was taken for a request.
    ///
    /// - Parameters:
    ///   - payment: the payment as the journal has it.
    ///   - request: the terminal's request.
    ///   - card: what tells its card from others.
    ///   - session: the session, which has the receipt.
    /// - Returns: the outcome; nil while it is not known.
    public mutating func outcome(
        of payment: Payment, for request: TerminalRequest, card: String, in session: SimulatedSession
    ) async -> TerminalOutcome? {
        let receipts = await receipts(of: payment, for: request, in: session)
        return enter(payment, for: request, card: card, offset: session.plan.utcOffsetSeconds, receipts: receipts)
    }

    /// Returns the copies of a payment's receipt; none where transactions have no receipts.
    public func receipts(
        of payment: Payment, for request: TerminalRequest, in session: SimulatedSession
    ) async -> [TerminalReceipt] {
        await paper(of: request).receipts(of: payment, session)
    }

    /// Enters a payment that was taken for a request.
    ///
    /// - Parameters:
    ///   - payment: the payment as the journal has it.
    ///   - request: the terminal's request.
    ///   - card: what tells its card from others.
    ///   - offset: the local time of the terminal, in seconds east of UTC.
    ///   - receipts: the copies of its receipt.
    /// - Returns: the outcome; nil while it is not known.
    public mutating func enter(
        _ payment: Payment, for request: TerminalRequest, card: String, offset: Int, receipts: [TerminalReceipt]
    ) -> TerminalOutcome? {
        payments[request.key] = payment.id
        switch payment.outcome {
        case .approved:
            let (amount, isHeld): (Money, Bool) =
                switch request.operation {
                case .preauthorization(let amount): (amount, true)
                case .payment(let amount, _): (amount, false)
                default: (payment.amount, false)
                }
            let entry = enter(isHeld ? .hold : .charge, request.key, payment, card, amount)
            return .approved(Self.transaction(entry, payment, offset, receipts: receipts))
        case .declined, .canceled, .failed, .unknown, .pending:
            return TerminalOutcome(payment, amount: payment.amount, number: 0, offset: offset)?.adding(receipts)
        }
    }

    /// Gives back a part of the newest payment of the card that has the amount left: nothing is credited that was not
    /// paid here.
    private mutating func giveBack(
        _ amount: Money, _ request: TerminalRequest, to card: String, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> TerminalOutcome {
        let known = try session.payments()
        let charge = book.charges(of: card).first { charge in
            known.contains { $0.id == charge.payment.rawValue && $0.rest >= amount.minorUnits }
        }
        guard let charge else { return .failed(.notReversible) }
        let (payment, isDone) = try await session.carryOut(.refund(amount), of: charge.payment)
        guard isDone else { return .failed(.notReversible) }
        let receipts = await paper(of: request).receipts(of: payment, session)
        let entry = enter(.givenBack, request.key, payment, card, amount)
        return .approved(Self.transaction(entry, payment, session.plan.utcOffsetSeconds, receipts: receipts))
    }

    // MARK: Without a card

    /// Captures, releases, takes back, or gives back what a request has taken.
    ///
    /// - Parameters:
    ///   - request: the terminal's request.
    ///   - session: the session.
    /// - Returns: the outcome.
    /// - Throws: ``SimulatedSessionError`` when the session did not do it.
    public mutating func change(
        _ request: TerminalRequest, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> TerminalOutcome {
        guard let reference = request.operation.reference else { return .failed(.notSupported) }
        let original = book.entry(reference)
        let change: CounterChange
        switch book.plan(for: request.operation, about: original) {
        case .refused(let failure): return .failed(failure)
        case .planned(let planned): change = planned
        }
        var id = original?.payment
        if case .request(let key) = reference { id = payments[key] ?? id }
        guard let id else { return .failed(.unknownTransaction) }
        let (payment, isDone) = try await session.carryOut(change, of: id)
        guard isDone else { return .failed(payment.outcome == .unknown ? .hostUnreachable : .notReversible) }
        let receipts = await paper(of: request).receipts(of: payment, session)
        if let original, request.operation.endsOriginal { book.end(original) }
        let amount = change.amount ?? original?.amount ?? payment.amount
        let entry = enter(change.kind, request.key, payment, original?.card ?? "", amount)
        return .approved(
            Self.transaction(
                entry, payment, session.plan.utcOffsetSeconds, original: original?.trace, receipts: receipts))
    }

    /// Reads or closes the batch, signs on, or tests the host, which is in this process.
    ///
    /// - Parameters:
    ///   - request: the terminal's request.
    ///   - currency: that of the totals.
    ///   - date: the local time of the terminal.
    /// - Returns: the outcome.
    public mutating func administer(
        _ request: TerminalRequest, in currency: Currency, at date: CivilDate
    ) -> TerminalOutcome {
        switch request.operation {
        case .totals, .endOfDay:
            let (first, last) = book.receipts
            let totals = TerminalTotals(
                firstReceipt: first, lastReceipt: last, trace: book.nextTrace(), date: date, currency: currency,
                lines: book.lines)
            if case .endOfDay = request.operation { book.closeBatch() }
            let receipts = givesReceipts ? [CounterPaper.receipt(of: totals)] : []
            return .done(TerminalReport(totals: totals, receipts: receipts))
        case .signOn, .diagnosis, .display: return .done(TerminalReport())
        default: return .failed(.notSupported)
        }
    }

    // MARK: Entries

    private mutating func enter(
        _ kind: CounterBook.Entry.Kind, _ key: IdempotencyKey, _ payment: Payment, _ card: String, _ amount: Money
    ) -> CounterBook.Entry {
        book.enter(
            CounterBook.Entry(
                kind: kind, key: key, payment: payment.id, card: card, brand: payment.card?.brand ?? "",
                amount: amount))
    }

    private static func transaction(
        _ entry: CounterBook.Entry, _ payment: Payment, _ offset: Int, original: Int? = nil,
        receipts: [TerminalReceipt]
    ) -> TerminalTransaction {
        TerminalTransaction(
            receiptNumber: entry.receipt, trace: entry.trace, originalTrace: original, amount: entry.amount,
            date: payment.updatedAt.civil(offsetSeconds: offset), card: payment.card,
            isOnline: payment.card?.authorizationResponseCode?.first != "Y", receipts: receipts)
    }

    private func paper(of request: TerminalRequest) -> CounterPaper {
        CounterPaper(columns: givesReceipts ? request.receiptColumns : nil)
    }
}

extension SessionPayment {
    /// The amount that can still be given back, in minor units.
    fileprivate var rest: Int64 { amount.minorUnits - refundedMinorUnits }
}

extension TerminalOperation {
    /// The transaction that it is about; nil for one with a card.
    fileprivate var reference: TransactionReference? {
        switch self {
        case .capture(let reference, _), .release(let reference), .reversal(let reference, _),
            .giveBack(let reference, _):
            reference
        default: nil
        }
    }

    /// Whether the transaction that it is about does not stand any more.
    fileprivate var endsOriginal: Bool {
        if case .giveBack = self { false } else { true }
    }
}
