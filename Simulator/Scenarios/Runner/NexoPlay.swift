import Determinism
import Money
import NexoTerminal
import Payments
import Sessions
import Terminal

/// A terminal behind the nexo-compatible protocol, whose payments a session takes.
struct NexoPlay: Sendable {
    /// The POIID of the terminal.
    static let terminalID = "V400m-000000001"

    private var account: NexoTerminal
    private var counter = SessionCounter()
    private var batch = NexoBatch()
    private var calls = 0
    /// The requests that wait for a card or an answer, and since when.
    private var awaited: [IdempotencyKey: (request: TerminalRequest, since: Timestamp)] = [:]
    /// The card that was read and not charged yet.
    private var card: String?
    /// The payment of the current call.
    private var taken: Payment?

    init(seed: UInt64, now: Timestamp) {
        var options = NexoTerminalOptions(terminals: [Self.terminalID])
        options.cards = NexoTestCards.names
        account = NexoTerminal(options, random: SeededRandomSource(seed: seed), now: now)
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
        _ request: NexoRequest, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) -> (answer: NexoAnswer?, payment: Payment?) {
        (calls, taken) = (calls + 1, nil)
        endOldWaits(session)
        account.receive(request, call: calls, at: session.now)
        while let work = account.nextWork() { try await carryOut(work, in: session, options) }
        var own: NexoAnswer?
        while let answer = account.nextAnswer() { if answer.call == calls { own = answer } }
        return (own, taken)
    }

    /// Ends what has waited too long for a person, in the order of the keys.
    private mutating func endOldWaits(_ session: SimulatedSession) {
        let limit = session.now.advanced(by: .zero - TerminalPatience.cardholder)
        for (key, wait) in awaited.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where wait.since <= limit {
            awaited[key] = nil
            finish(key, .canceled(.timedOut), session)
        }
    }

    private mutating func carryOut(
        _ work: NexoWork, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        switch work {
        case .terminal(_, .begin(let request)): try await begin(request, in: session)
        case .terminal(_, .cancel(let key, let reason)):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, .canceled(reason), session)
        case .terminal(_, .recover), .terminal(_, .print): break
        case .present(let name, let key, _): try await present(name, key, in: session, options)
        case .answer(let text, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            report(.working, key, session)
            finish(key, .done(TerminalReport(input: text)), session)
        case .cancel(let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, .canceled(.byCardholder), session)
        }
    }

    private mutating func begin(
        _ request: TerminalRequest, in session: SimulatedSession
    ) async throws(SimulatedSessionError) {
        let key = request.key
        if request.operation.needsCard {
            awaited[key] = (request, session.now)
            return report(.waitingForCard, key, session)
        }
        if case .input = request.operation {
            awaited[key] = (request, session.now)
            return
        }
        report(.working, key, session)
        switch request.operation {
        case .totals, .endOfDay:
            finish(key, .done(TerminalReport(totals: batch.totals(at: date(session)))), session)
            if case .endOfDay = request.operation { batch = NexoBatch() }
        case .print: finish(key, account.hasPaper ? .done(TerminalReport()) : .failed(.outOfPaper), session)
        case .display, .signOn, .diagnosis: finish(key, .done(TerminalReport()), session)
        default:
            do throws(SimulatedSessionError) {
                end(request, try await counter.change(request, in: session), session)
            } catch {
                guard session.isRunning else {
                    report(.recovering, key, session)
                    throw error
                }
                end(request, .failed(.notReversible), session)
            }
        }
    }

    private mutating func present(
        _ name: String?, _ key: IdempotencyKey, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        guard let request = awaited.removeValue(forKey: key)?.request else { return }
        if case .cardReading = request.operation {
            let name = name ?? NexoTestCards.standard
            card = name
            report(.cardPresented, key, session)
            return finish(key, .done(TerminalReport(card: NexoTestCards.details(name))), session)
        }
        let inserted = card
        card = nil
        switch NexoTestCards.deed(name ?? inserted, for: request.operation.cardAmount) {
        case .cancel: finish(key, .canceled(.byCardholder), session)
        case .present(let card):
            report(.cardPresented, key, session)
            do throws(SimulatedSessionError) {
                let name = card == NexoTestCards.standard ? nil : card
                let (outcome, payment) = try await counter.take(request, options(name), in: session)
                taken = payment
                end(request, outcome, session)
            } catch {
                guard error.isAboutReader else {
                    // What the till's process did before its end is in the journal: the result stays open here.
                    report(.authorizing, key, session)
                    report(.recovering, key, session)
                    throw error
                }
                end(request, .failed(.readerDefective), session)
            }
        }
    }

    private mutating func end(_ request: TerminalRequest, _ outcome: TerminalOutcome?, _ session: SimulatedSession) {
        guard let outcome else {
            report(.authorizing, request.key, session)
            return report(.recovering, request.key, session)
        }
        if case .canceled = outcome {
        } else if account.status(of: request.key) == .running(.cardPresented) {
            report(.authorizing, request.key, session)
        }
        batch.add(request.operation, outcome)
        finish(request.key, outcome, session)
    }

    // MARK: The model

    private func date(_ session: SimulatedSession) -> CivilDate {
        session.now.civil(offsetSeconds: session.plan.utcOffsetSeconds)
    }

    private mutating func report(_ step: TerminalProgress, _ key: IdempotencyKey, _ session: SimulatedSession) {
        // A step that the model refuses says nothing new.
        try? account.report(step, of: key, at: session.now)
    }

    private mutating func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome, _ session: SimulatedSession) {
        do throws(TerminalRefusal) { try account.finish(key, outcome, on: date(session), at: session.now) } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key, session)
        }
    }
}
