import Hardware
import Money
import Payments
public import ScenarioFormat
public import Sessions
import Settings
import Simulator
import Synchronization
import Yosemite

/// The execution of a scenario in a session.
public struct ScenarioPlay: Sendable {
    private let scenario: Scenario
    let session: SimulatedSession
    private let updatesGolden: Bool
    /// The payments so far, in the order in which they began.
    private(set) var payments: [Int64] = []
    /// The most recently paid order.
    private(set) var order: Int64?
    private(set) var mismatches: [Mismatch] = []
    private(set) var elapsed = Duration.zero
    /// The till that speaks a terminal protocol; nil for a scenario without one.
    private var till: TillPlay?
    /// What the till did not expect of the answer in the current step.
    private var unexpected: [(key: String, difference: Difference)] = []
    /// A point in the session.
    private struct Moment {
        /// The number of events so far.
        var events: Int
        var time: Duration
    }

    /// The number of events at the first mismatch.
    private var eventsAtMismatch: Int?

    init(_ scenario: Scenario, _ session: SimulatedSession, updatesGolden: Bool) {
        (self.scenario, self.session, self.updatesGolden) = (scenario, session, updatesGolden)
        till = scenario.tillProtocol.map { TillPlay($0, in: session) }
    }

    /// Creates an execution whose caller performs the steps one by one and checks their results.
    ///
    /// - Parameters:
    ///   - scenario: the scenario.
    ///   - session: a session that was opened with the scenario's plan.
    public init(_ scenario: Scenario, in session: SimulatedSession) {
        self.init(scenario, session, updatesGolden: false)
    }

    /// Performs a step with its interruptions. Does not check its expectations.
    public mutating func play(_ step: ScenarioStep) async -> StepOutcome {
        unexpected = []
        let outcome = await perform(step)
        if let payment = outcome.payment, !payments.contains(payment) { payments.append(payment) }
        return outcome
    }

    /// Performs all steps and checks the expectations of each, then those of the whole scenario.
    mutating func run() async {
        var last = StepOutcome()
        for (index, step) in scenario.steps.enumerated() {
            let begin = Moment(events: session.events.count, time: session.elapsed)
            let outcome = await play(step)
            if outcome.outcome != nil { last = outcome }
            let scope = ExpectationScope(
                firstEvent: begin.events, elapsed: session.elapsed - begin.time, outcome: outcome)
            for (key, difference) in unexpected {
                add(
                    difference, key, step.location.file, step.location.line, step: (index + 1, step.action.sentence))
            }
            await check(step.expectations, scope, step: (index + 1, step.action.sentence))
            checkUnexpectedFailure(outcome, of: step, number: index + 1)
            checkInterruptions(of: step, since: begin, number: index + 1)
        }
        elapsed = session.elapsed
        let scope = ExpectationScope(firstEvent: 0, elapsed: elapsed, outcome: last)
        await check(scenario.expectations, scope, step: nil)
        if !scenario.expectations.contains(where: { $0.key == "reconciled" }) {
            let standard = Expectation(key: "reconciled", location: scenario.location, check: .reconciled(true))
            await check([standard], scope, step: nil)
        }
        await checkGolden(scope)
    }

    /// Returns the last events up to the first mismatch, or all events.
    func told(all: Bool) -> [SessionEvent] {
        guard all || !mismatches.isEmpty else { return [] }
        let events = session.events
        let end = all ? events.count : min(eventsAtMismatch ?? events.count, events.count)
        return Array(events[..<end])
    }

    // MARK: Steps

    private mutating func perform(_ step: ScenarioStep) async -> StepOutcome {
        let eventsBefore = session.events.count
        do throws(SimulatedSessionError) {
            for interruption in step.interruptions {
                let trigger: SessionTrigger =
                    switch interruption.trigger {
                    case .time(let delay): .after(delay)
                    case .event(let words, let count, let delay): .at(words, count: count, delay: delay)
                    }
                for act in SessionActs.of(interruption.action, during: step.action) ?? [] {
                    try session.perform(act, when: trigger)
                }
            }
            return try await perform(step.action)
        } catch {
            return StepOutcome(error, mayHaveMoved: mayHaveMovedMoney(since: eventsBefore))
        }
    }

    /// Returns whether an attempt that reached a new state after the first `count` events moved money, or may have.
    private func mayHaveMovedMoney(since count: Int) -> Bool {
        var states: [Substring: AttemptState] = [:]
        // The attempts of another database are none of this step's.
        let others = session.databases.count > 1 ? session.eventsOfSecondTill : []
        for event in session.events.dropFirst(count) where event.kind == .journal && !others.contains(event.number) {
            // The detail is `authorizing 1 sale`.
            let words = event.detail.split(separator: " ", maxSplits: 1)
            guard let state = words.first.flatMap({ AttemptState(rawValue: String($0)) }) else { continue }
            states[words.last ?? ""] = state
        }
        return states.values.contains { $0 != .created && !$0.movedNothing }
    }

    private mutating func perform(_ action: ScenarioAction) async throws(SimulatedSessionError) -> StepOutcome {
        switch action {
        case .connect(let reader): try await session.connect(reader)
        case .disconnect: try await session.disconnect()
        case .pay(let pay): return StepOutcome(try await self.pay(pay))
        case .retry: return StepOutcome(try await session.retry(try payment(nil), options(nil)))
        case .refund(let refund):
            let id = try payment(refund.payment)
            _ = try await session.refund(id, amount: refund.amount)
            return try StepOutcome(refundOf: id.rawValue, in: session)
        case .capture(let capture):
            return StepOutcome(
                captureOf: try await session.capture(try payment(capture.payment), amount: capture.amount))
        case .increment(let increment):
            let id = try payment(increment.payment)
            _ = try await session.increment(id, by: increment.amount)
            return try StepOutcome(incrementOf: id.rawValue, in: session)
        case .cancelPayment(let place):
            return StepOutcome(try await session.cancelPreauthorization(try payment(place)))
        case .cancel: try await session.cancel()
        case .update: try await session.installUpdate()
        case .restart: try await session.restart()
        case .recover: try await session.recover()
        case .settle: try await session.syncPayments()
        case .print(let print), .reprint(let print):
            return StepOutcome(try await session.printReceipt(of: try payment(print.payment), copy: print.copy))
        case .wait(let duration): await session.wait(duration)
        case .ask(let request): return try await ask(request)
        case .unplug, .plug, .insertCard, .removeCard, .swipeCard, .tapCard, .moveAway, .unlock, .sleep, .crash, .set,
            .mend:
            for act in SessionActs.of(action, during: nil) ?? [] { try session.perform(act) }
            // Lets the till notice the change before the next step begins.
            await session.wait(.milliseconds(1))
        }
        return StepOutcome()
    }

    private mutating func ask(_ request: TillRequest) async throws(SimulatedSessionError) -> StepOutcome {
        guard var till else { throw .plan("the scenario's till speaks no protocol") }
        defer { self.till = till }
        let result = try await till.ask(request, in: session) { card in
            guard let card else { return options(nil) }
            return PaymentOptions(card: card)
        }
        unexpected = result.differences
        return result.payment.map { StepOutcome($0) } ?? StepOutcome()
    }

    private mutating func pay(_ pay: PayAction) async throws(SimulatedSessionError) -> Payment {
        let before = try session.payments().count
        let result: Result<Payment, SimulatedSessionError>
        do throws(SimulatedSessionError) {
            switch pay.bill {
            case .amount(let amount): result = .success(try await session.pay(amount, options(pay)))
            case .order(let place):
                let orders = session.unpaidOrders
                guard orders.indices.contains(place - 1) else {
                    throw .plan("there is no order \(place): the store has \(orders.count) unpaid ones")
                }
                order = orders[place - 1]
                result = .success(try await session.pay(order: orders[place - 1], options(pay)))
            }
        } catch {
            result = .failure(error)
        }
        // A payment whose process died is in the records, too.
        // Another till may have begun one meanwhile, which is none of this step's.
        for payment in try session.payments().dropFirst(before)
        where !session.hasSecondTill || payment.attempts.contains(where: { session.hasCommitted($0.id) }) {
            payments.append(payment.id)
        }
        return try result.get()
    }

    private func options(_ pay: PayAction?) -> PaymentOptions {
        let card = pay?.card ?? scenario.card
        return PaymentOptions(
            card: card.name, cardholder: card.profile.cardholder, presentsCard: pay?.presentsCard ?? true,
            cardTimeout: pay?.timeout ?? .seconds(60), isForcedOnline: pay?.forcesOnline ?? false,
            isHeld: pay?.authorizesOnly ?? false, allowsPartial: pay?.allowsPartial ?? false)
    }

    /// Returns a payment by its position; nil for the last one.
    private func payment(_ place: Int?) throws(SimulatedSessionError) -> PaymentID {
        guard let place else {
            guard let last = payments.last else { throw .plan("there is no payment yet") }
            return PaymentID(rawValue: last)
        }
        guard payments.indices.contains(place - 1) else {
            throw .plan("there is no payment \(place): there are \(payments.count)")
        }
        return PaymentID(rawValue: payments[place - 1])
    }

    // MARK: Expectations

    private mutating func check(
        _ expectations: [Expectation], _ scope: ExpectationScope, step: (number: Int, action: String)?
    ) async {
        let observer = SessionObserver(session, payment: payments.last, order: order, scope: scope)
        for expectation in expectations {
            guard let difference = await observer.difference(expectation.check) else { continue }
            add(difference, expectation.key, expectation.location.file, expectation.location.line, step: step)
        }
    }

    /// Reports a step that failed without an expectation for it.
    private mutating func checkUnexpectedFailure(_ outcome: StepOutcome, of step: ScenarioStep, number: Int) {
        let isSaid = step.expectations.contains { ["outcome", "error"].contains($0.key) }
        guard !isSaid, outcome.payment == nil, let code = outcome.errorCode else { return }
        let seen = [code + (outcome.errorMessage.map { ": \($0)" } ?? "")]
        add(
            Difference(expected: ["it is done"], seen: seen), "step", step.location.file, step.location.line,
            step: (number, step.action.sentence))
    }

    /// Reports interruptions that did not happen: the scenario would not test what it describes.
    private mutating func checkInterruptions(of step: ScenarioStep, since begin: Moment, number: Int) {
        for interruption in step.interruptions {
            let missing: String?
            switch interruption.trigger {
            case .time(let delay):
                let elapsed = session.elapsed - begin.time
                missing = elapsed < delay ? "the step was over after \(Words.time(elapsed))" : nil
            case .event(let words, let count, _):
                let seen = session.events.dropFirst(begin.events).count { $0.matches(words) }
                missing = seen < count ? "'\(words)' was seen \(seen) times" : nil
            }
            guard let missing else { continue }
            add(
                Difference(expected: ["\(interruption.action.word) in the middle of the step"], seen: [missing]),
                "during", interruption.location.file, interruption.location.line,
                step: (number, step.action.sentence))
        }
    }

    private mutating func checkGolden(_ scope: ExpectationScope) async {
        guard !scenario.golden.isEmpty else { return }
        let observer = SessionObserver(session, payment: payments.last, order: order, scope: scope)
        let seen = await observer.lines(of: scenario.golden)
        let file = GoldenFile(of: scenario)
        if updatesGolden {
            do { try file.write(seen) } catch {
                add(
                    Difference(expected: ["the golden file is written"], seen: ["\(file.path): \(error)"]), "golden",
                    scenario.location.file, scenario.location.line, step: nil)
            }
            return
        }
        guard let expected = file.lines() else {
            let missing = Difference(
                expected: ["a golden file \(file.path)"], seen: ["none: write it with --update-golden"])
            return add(missing, "golden", scenario.location.file, scenario.location.line, step: nil)
        }
        if let difference = Difference.between(expected, seen) {
            add(difference, "golden", file.path, 1, step: nil)
        }
    }

    private mutating func add(
        _ difference: Difference, _ key: String, _ file: String, _ line: Int, step: (number: Int, action: String)?
    ) {
        if eventsAtMismatch == nil { eventsAtMismatch = session.events.count }
        mismatches.append(
            Mismatch(
                step: step?.number, action: step?.action, key: key, file: file, line: line,
                expected: difference.expected, seen: difference.seen))
    }
}

extension ScenarioAction {
    /// The action as text, such as `pay 12.50 USD`.
    public var sentence: String {
        switch self {
        case .pay(let pay):
            switch pay.bill {
            case .amount(let amount): "pay \(amount)"
            case .order(let place): "pay order \(place)"
            }
        case .refund(let refund): "refund" + (refund.amount.map { " \($0)" } ?? "")
        case .capture(let capture): "capture" + (capture.amount.map { " \($0)" } ?? "")
        case .increment(let increment): "increment \(increment.amount)"
        case .wait(let time): "wait \(Words.time(time))"
        case .connect(let reader?): "connect \(reader)"
        case .ask(let request): request.sentence
        default: word
        }
    }
}

/// The events of a session so far, for a session that does not finish.
final class LastEvents: Sendable {
    private let events = Mutex<[SessionEvent]>([])

    func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }

    /// The events.
    var all: [SessionEvent] { events.withLock { $0 } }

    /// The virtual time from the start of the session to the last event.
    var elapsed: Duration { events.withLock { $0.last?.time ?? .zero } }
}
