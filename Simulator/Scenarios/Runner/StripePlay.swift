import Determinism
import Money
import Payments
import Sessions
import StripeTerminal
import Terminal

/// A terminal behind a protocol that is compatible with server-driven Stripe Terminal, whose payments a session takes.
/// Its readers share the session's reader, one payment after the other.
struct StripePlay: Sendable {
    private var account: StripeTerminal
    private var calls = 0
    /// The requests that wait for a card or an answer.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    private var count = 0
    /// The payment of the current call.
    private var taken: Payment?

    init(seed: UInt64, now: Timestamp) {
        account = StripeTerminal(random: SeededRandomSource(seed: seed), now: now)
    }

    /// Answers a request, after the session has done what it asks for.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - session: the session.
    ///   - options: those of a payment with a card; nil for the scenario's card.
    /// - Returns: the answer, nil when it waits for another request; and the payment that was taken meanwhile.
    /// - Throws: `SimulatedSessionError` when the session failed.
    mutating func answer(
        _ request: StripeRequest, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) -> (answer: StripeAnswer?, payment: Payment?) {
        (calls, taken) = (calls + 1, nil)
        account.receive(request, call: calls, at: session.now)
        while let work = account.nextWork() { try await carryOut(work, in: session, options) }
        var own: StripeAnswer?
        while let answer = account.nextAnswer() { if answer.call == calls { own = answer } }
        return (own, taken)
    }

    private mutating func carryOut(
        _ work: StripeWork, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        switch work {
        case .terminal(_, .begin(let request)) where request.operation.needsCard:
            awaited[request.key] = request
            report(.waitingForCard, request.key, session)
        case .terminal(_, .begin(let request)):
            if case .input = request.operation {
                awaited[request.key] = request
                return
            }
            report(.working, request.key, session)
            finish(request.key, try await change(request.operation, in: session), session)
        case .terminal(_, .cancel(let key, let reason)):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, .canceled(reason), session)
        case .present(let card, let key, _):
            guard let request = awaited.removeValue(forKey: key) else { return }
            report(.cardPresented, key, session)
            let name = card == .standard ? nil : TestCards.name(of: card)
            do throws(SimulatedSessionError) {
                finish(key, try await take(request, options(name), in: session), session)
            } catch {
                // What the till's process did before its end is in the journal: the result stays open here.
                report(.authorizing, key, session)
                report(.recovering, key, session)
                throw error
            }
        case .answer(let answer, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, answer.outcome, session)
        case .tip(let tip, let key, _):
            if let whole = awaited[key]?.adding(tip: tip) { awaited[key] = whole }
        case .terminal(_, .recover), .terminal(_, .print): break
        }
    }

    // MARK: Payments

    /// - Returns: nil while the result is not known.
    private mutating func take(
        _ request: TerminalRequest, _ options: PaymentOptions, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> TerminalOutcome? {
        var options = options
        let amount: Money
        switch request.operation {
        case .payment(let money, _): amount = money
        case .preauthorization(let money): (amount, options.isHeld) = (money, true)
        default: return .failed(.notSupported)
        }
        let payment: Payment
        do throws(SimulatedSessionError) { payment = try await session.takePayment(amount, options) } catch {
            guard error.isAboutReader else { throw error }
            return .failed(.readerDefective)
        }
        (taken, payments[request.key]) = (payment, payment.id)
        // A cancellation before the host was asked ends a request that waits.
        if payment.outcome != .canceled || payment.state == .reversed { report(.authorizing, request.key, session) }
        count += 1
        let outcome = TerminalOutcome(payment, amount: amount, number: count, offset: session.plan.utcOffsetSeconds)
        // The host was asked, and what it approved was taken back.
        if case .canceled = outcome, payment.state == .reversed { return .failed(.internalError) }
        return outcome
    }

    private mutating func change(
        _ operation: TerminalOperation, in session: SimulatedSession
    ) async throws(SimulatedSessionError) -> TerminalOutcome {
        let key: IdempotencyKey
        switch operation {
        case .display: return .done(TerminalReport())
        case .capture(.request(let original), _), .release(.request(let original)),
            .giveBack(.request(let original), _):
            key = original
        default: return .failed(.notSupported)
        }
        guard let id = payments[key] else { return .failed(.unknownTransaction) }
        let (payment, isDone) = try await session.carryOut(operation, of: id)
        guard isDone else { return .failed(.hostUnreachable) }
        count += 1
        return .approved(
            TerminalTransaction(
                payment, amount: payment.amount, number: count, offset: session.plan.utcOffsetSeconds))
    }

    // MARK: The model

    private mutating func report(_ step: TerminalProgress, _ key: IdempotencyKey, _ session: SimulatedSession) {
        // A step that the model refuses says nothing new.
        try? account.report(step, of: key, at: session.now)
    }

    private mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome?, _ session: SimulatedSession
    ) {
        guard let outcome else { return report(.recovering, key, session) }
        let date = session.now.civil(offsetSeconds: session.plan.utcOffsetSeconds)
        do throws(TerminalRefusal) { try account.finish(key, outcome, on: date, at: session.now) } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key, session)
        }
    }
}
