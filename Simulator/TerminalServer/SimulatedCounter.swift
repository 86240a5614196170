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
/// A payment begins when a card is presented. Captures and refunds name a payment by the terminal's request. The owner
/// calls it for one thing after another.
actor SimulatedCounter {
    private let plan: SessionPlan
    private var session: KeptSession?
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    private var count = 0

    /// How often an answer that did not come is asked for.
    private static let recoveries = 3

    /// - Parameters:
    ///   - seed: the seed of the session.
    ///   - start: when its clock begins.
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    init(seed: UInt64, start: Timestamp) throws(SimulatedSessionError) {
        do throws(CardProfileError) {
            plan = try Self.plan(cards: try TestCards.planned(), seed: seed, start: start)
        } catch { throw .plan("\(error)") }
    }

    private static func plan(
        cards: [PlannedCard], seed: UInt64, start: Timestamp
    ) throws(CardProfileError) -> SessionPlan {
        var plan = SessionPlan(cards: cards, seed: seed)
        do throws(SettingsError) { plan.issuerRules = try TestCards.rules() } catch { throw .malformed(error) }
        (plan.start, plan.logsExchanges) = (start, false)
        return plan
    }

    /// Takes a payment, or a pre-authorization, with a card.
    func take(_ request: TerminalRequest, with card: StripeTestCard, at moment: Timestamp) async -> CounterResult {
        let (amount, isHeld): (Money, Bool)
        switch request.operation {
        case .payment(let money, _): (amount, isHeld) = (money, false)
        case .preauthorization(let money): (amount, isHeld) = (money, true)
        default: return end(.failed(.notSupported))
        }
        let name = TestCards.name(of: card)
        let result = await turn(at: moment) { session throws(SimulatedSessionError) in
            if session.readersInPause.first?.isConnected != true { try await session.connect() }
            var payment = try await session.pay(amount, PaymentOptions(card: name, isHeld: isHeld))
            for _ in 0..<Self.recoveries where payment.outcome == .unknown || payment.outcome == .pending {
                let report = try await session.recover()
                payment = report.finished.first { $0.id == payment.id } ?? payment
            }
            return payment
        }
        guard case .success(let payment) = result else { return end(.failed(.readerDefective)) }
        payments[request.key] = payment.id
        return end(outcome(of: payment, amount: amount))
    }

    /// Captures, releases, or refunds what a request has taken.
    func change(_ operation: TerminalOperation, at moment: Timestamp) async -> CounterResult {
        guard case .request(let key)? = operation.reference, let id = payments[key] else {
            return end(.failed(.unknownTransaction))
        }
        let result = await turn(at: moment) { session throws(SimulatedSessionError) -> (Payment, Bool) in
            switch operation {
            case .capture(_, .part(let amount)):
                let payment = try await session.capture(id, amount: amount)
                return (payment, payment.state.isCaptured)
            case .capture:
                let payment = try await session.capture(id)
                return (payment, payment.state.isCaptured)
            case .release:
                let payment = try await session.cancelPreauthorization(id)
                return (payment, payment.state == .reversed || payment.state == .canceled)
            case .giveBack(_, let amount):
                let before = try session.payments().first { $0.id == id.rawValue }?.refundedMinorUnits ?? 0
                let payment = try await session.refund(id, amount: amount)
                return (payment, payment.refundedAmount.minorUnits == before + amount.minorUnits)
            default: throw .plan("a counter does not do this without a card")
            }
        }
        switch result {
        case .success((let payment, true)): return end(.approved(transaction(payment, payment.amount)))
        case .success((let payment, false)):
            return end(.failed(payment.outcome == .unknown ? .hostUnreachable : .notReversible))
        case .failure: return end(.failed(.notReversible))
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

    private func end(_ outcome: TerminalOutcome?) -> CounterResult {
        let now = session?.session.now ?? plan.start
        return CounterResult(outcome: outcome, now: now)
    }

    // MARK: Outcomes

    private func outcome(of payment: Payment, amount: Money) -> TerminalOutcome? {
        switch payment.outcome {
        case .approved: .approved(transaction(payment, amount))
        case .declined:
            .declined(
                TerminalDecline(
                    responseCode: payment.card?.authorizationResponseCode.flatMap { $0.first == "Z" ? nil : $0 },
                    date: date(of: payment), card: payment.card))
        case .canceled: .canceled(.byCardholder)
        case .failed:
            switch payment.errorCode {
            case "card_removed": .failed(.cardRemoved)
            case "card_not_read", "swipe_not_read", "chip_card_swiped": .failed(.cardUnreadable)
            case "host_failed", "host_unreachable", "host_timeout": .failed(.hostUnreachable)
            case "reader_failed", "reader_unplugged": .failed(.readerDefective)
            default: .failed(.internalError)
            }
        case .unknown, .pending: nil
        }
    }

    private func transaction(_ payment: Payment, _ amount: Money) -> TerminalTransaction {
        count += 1
        let code = payment.card?.authorizationResponseCode
        return TerminalTransaction(
            receiptNumber: Int((payment.id.rawValue - 1) % 9999) + 1, trace: (count - 1) % 999_999 + 1, amount: amount,
            date: date(of: payment), card: payment.card, isOnline: code?.first != "Y")
    }

    private func date(of payment: Payment) -> CivilDate {
        payment.updatedAt.civil(offsetSeconds: plan.utcOffsetSeconds)
    }
}

/// How a request ended at a counter.
struct CounterResult: Sendable {
    /// Nil when it is not known, even after it was asked for again: the request does not end.
    let outcome: TerminalOutcome?
    /// The time of the counter's session afterward.
    let now: Timestamp
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
}
