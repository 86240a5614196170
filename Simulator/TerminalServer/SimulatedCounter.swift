import Determinism
import Money
import Payments
import Sessions
import Settings
import Simulator
import StripeTerminal
import Terminal
import Yosemite

/// A simulated reader of one terminal, with the till that takes its payments: the same stores, journal, reader service,
/// driver, and kernel as those of `pay`.
///
/// A payment begins when a card is presented. Captures, reversals, and refunds name a transaction by the terminal's
/// request or by the number on its receipt. The owner calls it for one thing after another.
actor SimulatedCounter {
    private let plan: SessionPlan
    /// Whether transactions have receipts.
    private let givesReceipts: Bool
    private let steps: CounterSteps
    private var session: KeptSession?
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    private var book = CounterBook()

    /// - Parameters:
    ///   - plan: the session, and the cards of its cardholders.
    ///   - givesReceipts: whether transactions have receipts.
    init(_ plan: SessionPlan, givesReceipts: Bool = false) {
        let steps = CounterSteps()
        var plan = plan
        plan.observer = { steps.note($0) }
        (self.plan, self.givesReceipts, self.steps) = (plan, givesReceipts, steps)
    }

    /// - Parameters:
    ///   - seed: the seed of the session.
    ///   - start: when its clock begins.
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    init(seed: UInt64, start: Timestamp) throws(SimulatedSessionError) {
        let plan: SessionPlan
        do throws(CardProfileError) {
            plan = try Self.plan(cards: try TestCards.planned(), seed: seed, start: start)
        } catch { throw .plan("\(error)") }
        self.init(plan)
    }

    private static func plan(
        cards: [PlannedCard], seed: UInt64, start: Timestamp
    ) throws(CardProfileError) -> SessionPlan {
        var plan = SessionPlan(cards: cards, seed: seed)
        do throws(SettingsError) { plan.issuerRules = try TestCards.rules() } catch { throw .malformed(error) }
        (plan.start, plan.logsExchanges) = (start, false)
        return plan
    }

    // MARK: With a card

    /// Takes a payment or a pre-authorization with a card of the plan, or gives money back to it.
    func take(_ request: TerminalRequest, with card: String, at moment: Timestamp) async -> CounterResult {
        switch request.operation {
        case .payment(let amount, _): await pay(amount, isHeld: false, request, card, at: moment)
        case .preauthorization(let amount): await pay(amount, isHeld: true, request, card, at: moment)
        case .refund(let amount): await giveBack(amount, request, to: card, at: moment)
        default: end(.failed(.notSupported))
        }
    }

    private func pay(
        _ amount: Money, isHeld: Bool, _ request: TerminalRequest, _ card: String, at moment: Timestamp
    ) async -> CounterResult {
        _ = steps.take()
        let paper = paper(of: request)
        let result = await turn(at: moment) { session throws(SimulatedSessionError) in
            let payment = try await session.takePayment(amount, PaymentOptions(card: card, isHeld: isHeld))
            return (payment, await paper.receipts(of: payment, session))
        }
        guard case .success((let payment, let receipts)) = result else {
            return end(.failed(.readerDefective), steps: steps.take())
        }
        payments[request.key] = payment.id
        let outcome = outcome(of: payment, receipts) {
            entry(isHeld ? .hold : .charge, request.key, payment, card, amount)
        }
        return end(outcome, steps: steps.take())
    }

    /// Gives back a part of the newest payment of the card that has the amount left: nothing is credited that was not
    /// paid here.
    private func giveBack(
        _ amount: Money, _ request: TerminalRequest, to card: String, at moment: Timestamp
    ) async -> CounterResult {
        let (charges, paper) = (book.charges(of: card), paper(of: request))
        let result = await turn(at: moment) {
            session throws(SimulatedSessionError) -> (Payment, Bool, [TerminalReceipt])? in
            let known = try session.payments()
            let charge = charges.first { charge in
                known.contains { $0.id == charge.payment.rawValue && $0.rest >= amount.minorUnits }
            }
            guard let charge else { return nil }
            let (payment, isDone) = try await Self.carryOut(.refund(amount), of: charge.payment, in: session)
            return (payment, isDone, await paper.receipts(of: payment, session))
        }
        let shown: [TerminalProgress] = [.cardPresented, .authorizing, .removingCard]
        guard case .success((let payment, true, let receipts)?) = result else {
            return end(.failed(.notReversible), steps: shown)
        }
        let entry = entry(.givenBack, request.key, payment, card, amount)
        return end(.approved(transaction(entry, payment, receipts: receipts)), steps: shown)
    }

    // MARK: Without a card

    /// Captures, releases, takes back, or gives back what a request has taken.
    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterResult {
        guard let reference = request.operation.reference else { return end(.failed(.notSupported)) }
        let original = book.entry(reference)
        let change: CounterChange
        switch book.plan(for: request.operation, about: original) {
        case .refused(let failure): return end(.failed(failure))
        case .planned(let planned): change = planned
        }
        var id = original?.payment
        if case .request(let key) = reference { id = payments[key] ?? id }
        guard let id else { return end(.failed(.unknownTransaction)) }
        let paper = paper(of: request)
        let result = await turn(at: moment) { session throws(SimulatedSessionError) in
            let (payment, isDone) = try await Self.carryOut(change, of: id, in: session)
            return (payment, isDone, await paper.receipts(of: payment, session))
        }
        switch result {
        case .success((let payment, true, let receipts)):
            if let original, request.operation.endsOriginal { book.end(original) }
            let amount = change.amount ?? original?.amount ?? payment.amount
            let entry = entry(change.kind, request.key, payment, original?.card ?? "", amount)
            return end(.approved(transaction(entry, payment, original: original?.trace, receipts: receipts)))
        case .success((let payment, false, _)):
            return end(.failed(payment.outcome == .unknown ? .hostUnreachable : .notReversible))
        case .failure: return end(.failed(.notReversible))
        }
    }

    /// - Returns: The payment afterward, and whether it was changed so.
    private static func carryOut(
        _ change: CounterChange, of id: PaymentID, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> (Payment, Bool) {
        switch change {
        case .capture(let amount):
            let payment = try await session.capture(id, amount: amount)
            return (payment, payment.state.isCaptured)
        case .release:
            let payment = try await session.cancelPreauthorization(id)
            return (payment, payment.state == .reversed || payment.state == .canceled)
        case .refund(let amount):
            let before = try session.payments().first { $0.id == id.rawValue }?.refundedMinorUnits ?? 0
            // What was given back in part can't be taken back as a whole.
            guard amount != nil || before == 0 else { throw .plan("a part was given back") }
            let payment = try await session.refund(id, amount: amount)
            let expected = before + (amount ?? payment.amount).minorUnits
            return (payment, payment.refundedAmount.minorUnits == expected)
        }
    }

    /// Reads or closes the batch, signs on, or tests the host, which is in this process.
    func administer(_ request: TerminalRequest, in currency: Currency, at moment: Timestamp) -> CounterResult {
        let now = max(moment, session?.session.now ?? plan.start)
        switch request.operation {
        case .totals, .endOfDay:
            let (first, last) = book.receipts
            let totals = TerminalTotals(
                firstReceipt: first, lastReceipt: last, trace: book.nextTrace(), date: date(of: now),
                currency: currency, lines: book.lines)
            if case .endOfDay = request.operation { book.closeBatch() }
            let receipts = givesReceipts ? [CounterPaper.receipt(of: totals)] : []
            return CounterResult(outcome: .done(TerminalReport(totals: totals, receipts: receipts)), now: now)
        case .signOn, .diagnosis, .display: return CounterResult(outcome: .done(TerminalReport()), now: now)
        default: return CounterResult(outcome: .failed(.notSupported), now: now)
        }
    }

    /// Ends the session.
    func close() async {
        await session?.close()
        session = nil
    }

    // MARK: The session

    /// Runs steps in the session, whose clock goes on to a moment before.
    private func turn<Value: Sendable>(
        at moment: Timestamp,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async -> Result<Value, SimulatedSessionError> {
        let kept: KeptSession
        do throws(SimulatedSessionError) { kept = try await opened() } catch { return .failure(error) }
        let limit = max(kept.session.latestMoment, moment.advanced(by: plan.longestStep))
        let result = await kept.turn {
            $0 ? nil : limit
        } _: { session -> Result<Value, SimulatedSessionError> in
            let pause = moment.milliseconds - session.now.milliseconds
            if pause > 0 { await session.wait(.milliseconds(pause)) }
            do throws(SimulatedSessionError) { return .success(try await body(session)) } catch {
                return .failure(error)
            }
        }
        return result ?? .failure(.stuck(step: "a payment at a terminal"))
    }

    private func opened() async throws(SimulatedSessionError) -> KeptSession {
        if let session { return session }
        let opened = try await KeptSession.open(plan)
        session = opened
        return opened
    }

    private func end(_ outcome: TerminalOutcome?, steps: [TerminalProgress] = []) -> CounterResult {
        let now = session?.session.now ?? plan.start
        return CounterResult(outcome: outcome, now: now, steps: steps)
    }

    // MARK: Outcomes

    private func outcome(
        of payment: Payment, _ receipts: [TerminalReceipt], _ entry: () -> CounterBook.Entry
    ) -> TerminalOutcome? {
        switch payment.outcome {
        case .approved: .approved(transaction(entry(), payment, receipts: receipts))
        case .declined:
            .declined(
                TerminalDecline(
                    responseCode: payment.card?.authorizationResponseCode.flatMap { $0.first == "Z" ? nil : $0 },
                    date: date(of: payment.updatedAt), card: payment.card, receipts: receipts))
        case .canceled: .canceled(.byCardholder)
        case .failed:
            .failed(TerminalFailure(errorCode: payment.errorCode))
        case .unknown, .pending: nil
        }
    }

    private func entry(
        _ kind: CounterBook.Entry.Kind, _ key: IdempotencyKey, _ payment: Payment, _ card: String, _ amount: Money
    ) -> CounterBook.Entry {
        book.enter(
            CounterBook.Entry(
                kind: kind, key: key, payment: payment.id, card: card, brand: payment.card?.brand ?? "",
                amount: amount))
    }

    private func transaction(
        _ entry: CounterBook.Entry, _ payment: Payment, original: Int? = nil, receipts: [TerminalReceipt]
    ) -> TerminalTransaction {
        TerminalTransaction(
            receiptNumber: entry.receipt, trace: entry.trace, originalTrace: original, amount: entry.amount,
            date: date(of: payment.updatedAt), card: payment.card,
            isOnline: payment.card?.authorizationResponseCode?.first != "Y", receipts: receipts)
    }

    private func date(of moment: Timestamp) -> CivilDate { moment.civil(offsetSeconds: plan.utcOffsetSeconds) }

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
