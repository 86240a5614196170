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
/// The session begins with the reader's first payment. Its cardholder is a person, or the protocol's test helper.
actor SteeredCounter: TerminalCounter {
    private let service: SimulationService
    private let seed: UInt64
    private let start: Timestamp
    private var session: DrivenSession?
    private var running: IdempotencyKey?
    /// The cards for the request that runs, or for the one that the till presented a card for before it began.
    private var hand: (key: IdempotencyKey, cards: DrivenSession.Hand)?
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    /// The requests that the till has canceled.
    private var canceled: Set<IdempotencyKey> = []
    private var count = 0

    /// - Parameters:
    ///   - service: has the sessions.
    ///   - seed: the seed of the session.
    ///   - start: when its clock begins.
    init(_ service: SimulationService, seed: UInt64, start: Timestamp) {
        (self.service, self.seed, self.start) = (service, seed, start)
    }

    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp, report: @escaping Report
    ) async -> CounterEnd {
        let (amount, isHeld): (Money, Bool)
        switch request.operation {
        case .payment(let money, _): (amount, isHeld) = (money, false)
        case .preauthorization(let money): (amount, isHeld) = (money, true)
        default: return end(.failed(.notSupported))
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
            payments[request.key] = payment.id
            count += 1
            let outcome = TerminalOutcome(payment, amount: amount, number: count, offset: 0)
            let isByTill = canceled.remove(request.key) != nil && outcome == .canceled(.byCardholder)
            return end(isByTill ? .canceled(.byTill) : outcome)
        } catch {
            StandardError.complain("the reader's session: \(error)")
            return end(.failed(.readerDefective))
        }
    }

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd {
        let operation = request.operation
        let key: IdempotencyKey
        switch operation {
        case .capture(.request(let original), _), .release(.request(let original)),
            .giveBack(.request(let original), _):
            key = original
        default: return end(.failed(.notSupported))
        }
        guard let session, let id = payments[key] else { return end(.failed(.unknownTransaction)) }
        do {
            let (payment, isDone) = try await session.step("terminal") { session async throws(SimulatedSessionError) in
                try await session.carryOut(operation, of: id)
            }
            guard isDone else { return end(.failed(.hostUnreachable)) }
            count += 1
            return end(
                .approved(TerminalTransaction(payment, amount: payment.amount, number: count, offset: 0)))
        } catch {
            StandardError.complain("the reader's session: \(error)")
            return end(.failed(.notReversible))
        }
    }

    /// The lines can be asked for at the reader's object.
    func show(_ lines: [String]) {}

    func cancel(_ key: IdempotencyKey) async {
        guard running == key, let session else { return }
        canceled.insert(key)
        await perform { () async throws(DrivenSession.Failure) in try await session.act(.cancelPayment) }
    }

    func present(_ card: StripeTestCard, for key: IdempotencyKey) async {
        guard let planned = try? TestCards.planned().first(where: { $0.name == TestCards.name(of: card) }) else {
            return
        }
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

    func close() async { await session?.close() }

    /// The session; another one when a client has deleted it.
    private func opened() async throws -> DrivenSession {
        if let session, session.isOpen { return session }
        var plan = SessionPlan(cards: try TestCards.planned(), seed: seed)
        (plan.issuerRules, plan.start) = (try TestCards.rules(), start)
        let opened = try await service.openSession(plan)
        (session, payments) = (opened, [:])
        return opened
    }

    private func end(_ outcome: TerminalOutcome?) -> CounterEnd {
        CounterEnd(outcome: outcome, now: session?.now ?? start)
    }
}
