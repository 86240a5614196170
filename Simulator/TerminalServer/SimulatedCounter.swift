import Determinism
import Money
import Payments
import Sessions
import Settings
import Simulator
import Synchronization
import Terminal

/// A simulated reader of one terminal, with the till that takes its payments: the same stores, journal, reader service,
/// driver, and kernel as those of `pay`.
///
/// A payment begins when a card is presented. The owner calls it for one thing after another. When its session has many
/// payments, the next payment begins another session: what was paid before can't be referred to any more.
actor SimulatedCounter: DrivenCounter {
    /// The cardholders present the cards that the caller names.
    nonisolated let isByHand = false
    private var plan: SessionPlan
    private let steps: CounterSteps
    private let room: CounterRoom
    private var session: KeptSession?
    private var counter: SessionCounter

    /// - Parameters:
    ///   - plan: the session, and the cards of its cardholders.
    ///   - givesReceipts: whether transactions have receipts.
    ///   - room: the room for payments that the terminals of a server share.
    init(_ plan: SessionPlan, givesReceipts: Bool = false, room: CounterRoom = CounterRoom()) {
        let steps = CounterSteps()
        var plan = plan
        plan.observer = { steps.note($0) }
        (plan.keepsHistory, plan.makesCardsOnUse) = (false, true)
        (self.plan, self.steps, self.room) = (plan, steps, room)
        counter = SessionCounter(givesReceipts: givesReceipts)
    }

    /// - Parameters:
    ///   - seed: the seed of the session.
    ///   - start: when its clock begins.
    ///   - room: the room for payments that the terminals of a server share.
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    init(seed: UInt64, start: Timestamp, room: CounterRoom) throws(SimulatedSessionError) {
        let plan: SessionPlan
        do throws(CardProfileError) {
            plan = try Self.plan(cards: try TestCards.planned(), seed: seed, start: start)
        } catch { throw .plan("\(error)") }
        self.init(plan, room: room)
    }

    private static func plan(
        cards: [PlannedCard], seed: UInt64, start: Timestamp
    ) throws(CardProfileError) -> SessionPlan {
        var plan = SessionPlan(cards: cards, seed: seed)
        do throws(SettingsError) { plan.issuerRules = try TestCards.rules() } catch { throw .malformed(error) }
        (plan.start, plan.logsExchanges) = (start, false)
        return plan
    }

    /// Takes a payment or a pre-authorization with a card of the plan, or gives money back to it.
    func take(
        _ request: TerminalRequest, with card: String?, at moment: Timestamp,
        report: @escaping @Sendable (TerminalProgress) -> Void = { _ in }
    ) async -> CounterResult {
        guard let card else { return end(.failed(.notSupported)) }
        _ = steps.take()
        if case .refund = request.operation {} else { await makeRoom(at: moment) }
        let result = await turn(at: moment) { counter, session throws(SimulatedSessionError) in
            try await counter.take(request, PaymentOptions(card: card), in: session).outcome
        }
        if case .refund = request.operation {
            let outcome = (try? result.get()) ?? .failed(.notReversible)
            return end(outcome, steps: [.cardPresented, .authorizing, .removingCard])
        }
        guard case .success(let outcome) = result else { return end(.failed(.readerDefective), steps: steps.take()) }
        return end(outcome, steps: steps.take())
    }

    /// Captures, releases, takes back, or gives back what a request has taken.
    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterResult {
        let result = await turn(at: moment) { counter, session throws(SimulatedSessionError) in
            try await counter.change(request, in: session)
        }
        return end((try? result.get()) ?? .failed(.notReversible))
    }

    /// Reads or closes the batch, signs on, or tests the host, which is in this process.
    func administer(_ request: TerminalRequest, in currency: Currency, at moment: Timestamp) -> CounterResult {
        let now = max(moment, session?.session.now ?? plan.start)
        let date = now.civil(offsetSeconds: plan.utcOffsetSeconds)
        return CounterResult(outcome: counter.administer(request, in: currency, at: date), now: now)
    }

    /// A payment begins with its card, so that there is nothing to present or to cancel.
    func present(card: String, for key: IdempotencyKey) {}
    func cancel(_ key: IdempotencyKey) {}

    /// Ends the session.
    func close() async {
        guard let session else { return }
        await session.close()
        self.session = nil
        room.leave()
    }

    /// Ends a session with many payments, of which none is held. The next one begins where it ended.
    private func makeRoom(at moment: Timestamp) async {
        guard let session, counter.count >= room.share, !counter.hasHolds else { return }
        plan.start = max(moment, session.session.now)
        plan.seed &+= 1
        await close()
        counter.forgetPayments()
    }

    // MARK: The session

    /// Runs steps in the session, whose clock goes on to a moment before.
    private func turn<Value: Sendable>(
        at moment: Timestamp,
        _ body:
            @escaping @Sendable (inout SessionCounter, SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async -> Result<Value, SimulatedSessionError> {
        let kept: KeptSession
        do throws(SimulatedSessionError) { kept = try await opened() } catch { return .failure(error) }
        let limit = max(kept.session.latestMoment, moment.advanced(by: plan.longestStep))
        let before = counter
        let result = await kept.turn {
            $0 ? nil : limit
        } _: { session -> (SessionCounter, Result<Value, SimulatedSessionError>) in
            let pause = moment.milliseconds - session.now.milliseconds
            if pause > 0 { await session.wait(.milliseconds(pause)) }
            var counter = before
            do throws(SimulatedSessionError) {
                let value = try await body(&counter, session)
                return (counter, .success(value))
            } catch { return (counter, .failure(error)) }
        }
        guard let (after, value) = result else { return .failure(.stuck(step: "a payment at a terminal")) }
        counter = after
        return value
    }

    private func opened() async throws(SimulatedSessionError) -> KeptSession {
        if let session { return session }
        let opened = try await KeptSession.open(plan)
        session = opened
        room.enter()
        return opened
    }

    private func end(_ outcome: TerminalOutcome?, steps: [TerminalProgress] = []) -> CounterResult {
        let now = session?.session.now ?? plan.start
        return CounterResult(outcome: outcome, now: now, steps: steps)
    }
}

/// The room for payments that the simulated terminals of a server share: each keeps its part of them in its session.
final class CounterRoom: Sendable {
    private let most: Int
    private let least: Int
    private let open = Mutex(0)

    /// - Parameters:
    ///   - most: the payments that all terminals together keep.
    ///   - least: the payments that each terminal keeps at least before it begins a new session.
    init(most: Int = 5000, least: Int = 25) { (self.most, self.least) = (most, least) }

    /// A terminal begins its session.
    func enter() { open.withLock { $0 += 1 } }

    /// A terminal ends its session.
    func leave() { open.withLock { $0 -= 1 } }

    /// The payments that a terminal keeps now.
    var share: Int { open.withLock { max(least, most / max(1, $0)) } }
}
