import Determinism
import NexoTerminal
import Payments
import Sessions
import Simulator
import Terminal

/// Simulated terminals behind the nexo-compatible protocol, with their readers and cardholders.
///
/// Time is a part of the simulation: it goes on by a second with each request that may change something, and by what
/// payments take. So the same requests, one after the other, get the same bytes.
actor SimulatedNexoTerminals: NexoSpeaker {
    var account: NexoTerminal
    private var now: Timestamp
    private let makeCounter: CounterMaker
    private let time: any TimeSource
    private let terminals: [String]
    var calls = AnswerBook<NexoAnswer>()
    var moment: Timestamp { now }
    let isBroken = false
    /// The requests that wait for a card, or for an answer of the customer.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    private var stations: [String: Station] = [:]
    /// End the waits of requests that wait for a person.
    private var limits: [IdempotencyKey: Task<Void, Never>] = [:]
    /// Called when there may be messages to the event address.
    private let onNews: @Sendable () -> Void

    /// What a terminal has besides its protocol.
    private struct Station {
        let counter: any DrivenCounter
        /// The card that was read and not charged yet.
        var card: String?
        /// The sales of the open batch.
        var batch = NexoBatch()
        /// The newest work: the next one begins after it.
        var last: Task<Void, Never>?
    }

    init(
        _ options: NexoTerminalOptions, seed: UInt64, start: Timestamp, time: any TimeSource,
        counters makeCounter: @escaping CounterMaker, onNews: @escaping @Sendable () -> Void
    ) {
        var options = options
        options.cards = NexoTestCards.names
        (self.makeCounter, self.time) = (makeCounter, time)
        (now, self.onNews, terminals) = (start, onNews, options.terminals)
        account = NexoTerminal(options, random: SeededRandomSource(seed: seed), now: start)
    }

    func note(_ request: NexoRequest) { if request.method != "GET" { now = now.advanced(by: .seconds(1)) } }

    /// Ends the sessions.
    func close() async {
        for limit in limits.values { limit.cancel() }
        for station in stations.values where station.counter.isByHand { await station.counter.close() }
        for station in stations.values { await station.last?.value }
        for station in stations.values { await station.counter.close() }
    }

    // MARK: Work

    func carryOn() {
        while let work = account.nextWork() { carryOut(work) }
        while let answer = account.nextAnswer() { calls.give(answer, to: answer.call) }
        limitWaits()
        onNews()
    }

    /// Lets no request wait for a person without end.
    private func limitWaits() {
        for key in limits.keys where awaited[key] == nil { limits.removeValue(forKey: key)?.cancel() }
        for key in awaited.keys where limits[key] == nil {
            limits[key] = Task { [time] in
                do throws(CancellationError) { try await time.sleep(for: TerminalPatience.cardholder) } catch { return }
                self.giveUpWaiting(key)
            }
        }
    }

    private func giveUpWaiting(_ key: IdempotencyKey) {
        guard awaited.removeValue(forKey: key) != nil else { return }
        finish(key, .canceled(.timedOut))
        carryOn()
    }

    private func carryOut(_ work: NexoWork) {
        switch work {
        case .terminal(let terminal, .begin(let request)): begin(request, at: terminal)
        case .terminal(let terminal, .cancel(let key, let reason)):
            // After the card was presented, the result counts.
            guard awaited.removeValue(forKey: key) != nil else { return cancel(key, at: terminal) }
            finish(key, .canceled(reason))
        // A simulated printer keeps nothing, and simulated terminals do not restart.
        case .terminal(_, .recover), .terminal(_, .print): break
        case .present(let card, let key, let terminal): present(card, key, at: terminal)
        case .answer(let text, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            report(.working, key)
            finish(key, .done(TerminalReport(input: text)))
        case .cancel(let key, let terminal):
            guard awaited.removeValue(forKey: key) != nil else { return cancel(key, at: terminal) }
            finish(key, .canceled(.byCardholder))
        }
    }

    /// Cancels what a person may be asked for.
    private func cancel(_ key: IdempotencyKey, at terminal: String) {
        guard let counter = stations[terminal]?.counter, counter.isByHand else { return }
        Task { await counter.cancel(key) }
    }

    private func begin(_ request: TerminalRequest, at terminal: String) {
        let key = request.key
        switch request.operation {
        case .payment, .refund, .preauthorization:
            report(.waitingForCard, key)
            guard station(terminal)?.counter.isByHand == true else {
                awaited[key] = request
                return
            }
            enqueue(request, at: terminal) { [now] counter, report in
                await counter.take(request, with: nil, at: now, report: report)
            }
        case .cardReading:
            awaited[key] = request
            report(.waitingForCard, key)
        // A question can be canceled until it is answered.
        case .input: awaited[key] = request
        case .totals, .endOfDay:
            report(.working, key)
            let batch = stations[terminal]?.batch ?? NexoBatch()
            finish(key, .done(TerminalReport(totals: batch.totals(at: now.civil(offsetSeconds: 0)))))
            if case .endOfDay = request.operation { stations[terminal]?.batch = NexoBatch() }
        case .print:
            report(.working, key)
            finish(key, account.hasPaper ? .done(TerminalReport()) : .failed(.outOfPaper))
        case .display, .signOn, .diagnosis:
            report(.working, key)
            finish(key, .done(TerminalReport()))
        case .capture, .release, .reversal, .giveBack:
            report(.working, key)
            enqueue(request, at: terminal) { [now] counter, _ in await counter.change(request, at: now) }
        }
    }

    private func present(_ name: String?, _ key: IdempotencyKey, at terminal: String) {
        guard let request = awaited.removeValue(forKey: key) else {
            guard let counter = stations[terminal]?.counter, counter.isByHand else { return }
            Task { await counter.present(card: name ?? NexoTestCards.standard, for: key) }
            return
        }
        if case .cardReading = request.operation {
            let card = name ?? NexoTestCards.standard
            _ = station(terminal)
            stations[terminal]?.card = card
            report(.cardPresented, key)
            finish(key, .done(TerminalReport(card: NexoTestCards.details(card))))
            return
        }
        let inserted = stations[terminal]?.card
        stations[terminal]?.card = nil
        switch NexoTestCards.deed(name ?? inserted, for: request.operation.cardAmount) {
        case .cancel: finish(key, .canceled(.byCardholder))
        case .present(let card):
            report(.cardPresented, key)
            enqueue(request, at: terminal) { [now] counter, report in
                await counter.take(request, with: card, at: now, report: report)
            }
        }
    }

    /// Lets a counter work after what it has to do already.
    private func enqueue(
        _ request: TerminalRequest, at terminal: String,
        _ body:
            @escaping @Sendable (any DrivenCounter, @escaping @Sendable (TerminalProgress) -> Void) async
            -> CounterResult
    ) {
        guard let station = station(terminal) else { return finish(request.key, .failed(.readerDefective)) }
        let (earlier, counter) = (station.last, station.counter)
        stations[terminal]?.last = Task {
            await earlier?.value
            let (steps, next) = AsyncStream.makeStream(of: TerminalProgress.self)
            // The steps arrive in their order, and all of them before the end.
            let telling = Task { for await step in steps { self.tell(step, request.key) } }
            let result = await body(counter) { next.yield($0) }
            next.finish()
            await telling.value
            self.end(request, at: terminal, result)
        }
    }

    /// Each terminal has a session of its own, whose seed follows from that of the server and the terminal's number.
    private func station(_ terminal: String) -> Station? {
        if let station = stations[terminal] { return station }
        let number = UInt64(terminals.firstIndex(of: terminal) ?? 0)
        guard let counter = makeCounter(number, now) else { return nil }
        let station = Station(counter: counter)
        stations[terminal] = station
        return station
    }

    private func end(_ request: TerminalRequest, at terminal: String, _ result: CounterResult) {
        now = max(now, result.now)
        let key = request.key
        if stations[terminal]?.counter.isByHand == true { for step in result.steps { report(step, key) } }
        if let outcome = result.outcome {
            if case .canceled = outcome {
            } else if account.status(of: key) == .running(.cardPresented) {
                report(.authorizing, key)
            }
            stations[terminal]?.batch.add(request.operation, outcome)
            finish(key, outcome)
        } else {
            report(.authorizing, key)
            report(.recovering, key)
        }
        carryOn()
    }

    private func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) { finish(key, outcome, offset: 0) }
}
