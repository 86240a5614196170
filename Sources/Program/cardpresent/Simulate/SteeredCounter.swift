import Determinism
import Money
import Payments
import Sessions
import SimulationServer
import Simulator
import StripeTerminal
import Synchronization
import Terminal
import TerminalServer

/// A simulated reader of a till's terminal whose session people see and steer in the console of `simulate serve`.
///
/// The session begins with the reader's first payment. Its cardholder is a person, or the test helper of the till's
/// protocol.
actor SteeredCounter {
    nonisolated let isByHand = true
    private let service: SimulationService
    private let plan: SessionPlan
    private let givesReceipts: Bool
    private var session: DrivenSession?
    private var running: IdempotencyKey?
    /// The cards for the request that runs, or for the one that the till presented a card for before it began.
    private var hand: (key: IdempotencyKey, cards: DrivenSession.Hand)?
    private var counter: SessionCounter
    /// What tells the card of the last payment from others.
    private var lastCard = ""
    /// The requests that the till has canceled.
    private var canceled: Set<IdempotencyKey> = []

    /// - Parameters:
    ///   - service: has the sessions.
    ///   - plan: the session, with the cards that a person can present.
    ///   - givesReceipts: whether transactions have receipts for the till.
    init(_ service: SimulationService, _ plan: SessionPlan, givesReceipts: Bool = false) {
        var plan = plan
        plan.logsExchanges = true
        (self.service, self.plan, self.givesReceipts) = (service, plan, givesReceipts)
        counter = SessionCounter(givesReceipts: givesReceipts)
    }

    // MARK: Payments

    private func take(
        _ request: TerminalRequest, _ report: @escaping @Sendable (TerminalProgress) -> Void
    ) async -> TerminalOutcome? {
        let (amount, isHeld): (Money, Bool)
        switch request.operation {
        case .payment(let money, _): (amount, isHeld) = (money, false)
        case .preauthorization(let money): (amount, isHeld) = (money, true)
        // No card is presented: the money goes back to that of the last payment.
        case .refund:
            let card = lastCard
            return await step { counter, session throws(SimulatedSessionError) in
                try await counter.take(request, PaymentOptions(card: card), in: session).outcome
            }
        default: return .failed(.notSupported)
        }
        do {
            let session = try await opened()
            running = request.key
            let cards = cards(for: request.key)
            defer { running = nil }
            report(.waitingForCard)
            // Before it asks for a card, the payment may ask to remove the one of an earlier payment.
            let hasAsked = Atomic(false)
            let payment = try await session.pay(amount, isHeld: isHeld, hand: cards) {
                // Only steps that a person causes: the result tells the rest.
                switch session.need {
                case .card: hasAsked.store(true, ordering: .relaxed)
                case nil: break
                case .application: report(.choosingApplication)
                case .pin(let isRetry, _, _): report(isRetry ? .wrongPIN : .enteringPIN)
                case .removal: if hasAsked.load(ordering: .relaxed) { report(.cardPresented) }
                }
            }
            let outcome = await enter(payment, for: request, session)
            let isByTill = canceled.remove(request.key) != nil && outcome == .canceled(.byCardholder)
            return isByTill ? .canceled(.byTill) : outcome
        } catch {
            StandardError.complain("the reader's session: \(error)")
            return .failed(.readerDefective)
        }
    }

    private func enter(
        _ payment: Payment, for request: TerminalRequest, _ session: DrivenSession
    ) async -> TerminalOutcome? {
        var receipts: [TerminalReceipt] = []
        if givesReceipts {
            let counter = counter
            let made = try? await session.step("receipt") { session async throws(SimulatedSessionError) in
                await counter.receipts(of: payment, for: request, in: session)
            }
            // A session that pauses meanwhile has none for the till.
            receipts = made ?? []
        }
        lastCard = payment.card.map { "\($0.brand) \($0.lastFour ?? "")" } ?? lastCard
        return counter.enter(
            payment, for: request, card: lastCard, offset: plan.utcOffsetSeconds, receipts: receipts)
    }

    private func change(_ request: TerminalRequest) async -> TerminalOutcome {
        await step { counter, session throws(SimulatedSessionError) in
            try await counter.change(request, in: session)
        } ?? .failed(.notReversible)
    }

    /// Lets the counter work in the session between payments.
    ///
    /// - Returns: nil when the session did not do it.
    private func step(
        _ body:
            @escaping @Sendable (inout SessionCounter, SimulatedSession) async throws(SimulatedSessionError)
            -> TerminalOutcome?
    ) async -> TerminalOutcome? {
        guard let session else { return .failed(.unknownTransaction) }
        let before = counter
        do {
            let (after, outcome) = try await session.step("terminal") { session async throws(SimulatedSessionError) in
                var counter = before
                let outcome = try await body(&counter, session)
                return (counter, outcome)
            }
            counter = after
            return outcome
        } catch {
            StandardError.complain("the reader's session: \(error)")
            return .failed(.notReversible)
        }
    }

    // MARK: People

    func cancel(_ key: IdempotencyKey) async {
        guard running == key, let session else { return }
        canceled.insert(key)
        await perform { () async throws(DrivenSession.Failure) in try await session.act(.cancelPayment) }
    }

    func present(card name: String, for key: IdempotencyKey) async {
        guard let planned = plan.cards.first(where: { $0.name == name }) else { return }
        let cards = cards(for: key)
        // A payment that has not begun finds the card in the hand.
        guard running == key, let session else { return cards.hold(planned) }
        await perform { () async throws(DrivenSession.Failure) in try await session.present(planned, in: cards) }
    }

    private func cards(for key: IdempotencyKey) -> DrivenSession.Hand {
        if let hand, hand.key == key { return hand.cards }
        let cards = DrivenSession.Hand()
        hand = (key, cards)
        return cards
    }

    private func perform(_ body: () async throws(DrivenSession.Failure) -> Void) async {
        do throws(DrivenSession.Failure) { try await body() } catch {
            StandardError.complain("the reader's session: \(error)")
        }
    }

    // MARK: The session

    func close() async { await session?.close() }

    /// The session; another one when a client has deleted it.
    private func opened() async throws -> DrivenSession {
        if let session, session.isOpen { return session }
        let opened = try await service.openSession(plan)
        (session, counter) = (opened, SessionCounter(givesReceipts: givesReceipts))
        return opened
    }

    private var now: Timestamp { session?.now ?? plan.start }
}

// For tills that speak a protocol compatible with Stripe Terminal.
extension SteeredCounter: TerminalCounter {
    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp,
        report: @escaping @Sendable (TerminalProgress) -> Void
    ) async -> CounterEnd {
        let outcome = await take(request, report)
        return CounterEnd(outcome: outcome, now: now)
    }

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd {
        let outcome = await change(request)
        return CounterEnd(outcome: outcome, now: now)
    }

    /// The lines can be asked for at the reader's object.
    func show(_ lines: [String]) {}

    func present(_ card: StripeTestCard, for key: IdempotencyKey) async {
        await present(card: TestCards.name(of: card), for: key)
    }
}

// For tills that speak ZVT, or a protocol compatible with Adyen's Terminal API.
extension SteeredCounter: DrivenCounter {
    func take(
        _ request: TerminalRequest, with card: String?, at moment: Timestamp,
        report: @escaping @Sendable (TerminalProgress) -> Void
    ) async -> CounterResult {
        let outcome = await take(request, report)
        switch outcome {
        // The steps that no person causes lead to the result.
        case .approved, .declined, nil: return CounterResult(outcome: outcome, now: now, steps: Self.lastSteps)
        case .canceled, .failed, .done: return CounterResult(outcome: outcome, now: now)
        }
    }

    private static let lastSteps: [TerminalProgress] = [.cardPresented, .authorizing]

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterResult {
        let outcome = await change(request)
        return CounterResult(outcome: outcome, now: now)
    }

    func administer(_ request: TerminalRequest, in currency: Currency, at moment: Timestamp) -> CounterResult {
        let now = max(moment, now)
        let date = now.civil(offsetSeconds: plan.utcOffsetSeconds)
        return CounterResult(outcome: counter.administer(request, in: currency, at: date), now: now)
    }
}
