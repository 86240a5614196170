import Determinism
import Money
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
    private var account: NexoTerminal
    private var now: Timestamp
    private let seed: UInt64
    private let terminals: [String]
    private var calls = AnswerBook<NexoAnswer>()
    /// The requests that wait for a card, or for an answer of the customer.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    private var stations: [String: Station] = [:]
    /// Called when there may be messages to the event address.
    private let onNews: @Sendable () -> Void

    /// What a terminal has besides its protocol.
    private struct Station {
        let counter: SimulatedCounter
        /// The card that was read and not charged yet.
        var card: String?
        /// The sales of the open batch.
        var batch = NexoBatch()
        /// The newest work: the next one begins after it.
        var last: Task<Void, Never>?
    }

    init(
        _ options: NexoTerminalOptions, seed: UInt64, start: Timestamp, onNews: @escaping @Sendable () -> Void
    ) {
        var options = options
        options.cards = NexoTestCards.names
        (self.seed, now, self.onNews, terminals) = (seed, start, onNews, options.terminals)
        account = NexoTerminal(options, random: SeededRandomSource(seed: seed), now: start)
    }

    /// Answers a request, when its terminal has done its work. Nil when the task is canceled before.
    func respond(to request: NexoRequest) async -> NexoAnswer? {
        let call = calls.next()
        if request.method != "GET" { now = now.advanced(by: .seconds(1)) }
        account.receive(request, call: call, at: now)
        carryOn()
        if let answer = calls.takeReady(call) { return answer }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { calls.wait(call, $0) }
        } onCancel: {
            Task { await self.giveUp(call) }
        }
    }

    /// Ends the wait of a call whose connection is gone. What it asked for goes on.
    private func giveUp(_ call: Int) { calls.giveUp(call) }

    func takeDeliveries(at wall: Timestamp) -> (deliveries: [NexoDelivery], next: Timestamp?) {
        (account.takeDeliveries(at: wall), account.nextDelivery)
    }

    func record(_ status: Int, of delivery: NexoDelivery, at wall: Timestamp) {
        account.record(status, of: delivery, at: wall)
    }

    /// Ends the sessions.
    func close() async {
        for station in stations.values { await station.last?.value }
        for station in stations.values { await station.counter.close() }
    }

    // MARK: Work

    private func carryOn() {
        while let work = account.nextWork() { carryOut(work) }
        while let answer = account.nextAnswer() { calls.give(answer, to: answer.call) }
        onNews()
    }

    private func carryOut(_ work: NexoWork) {
        switch work {
        case .terminal(let terminal, .begin(let request)): begin(request, at: terminal)
        case .terminal(_, .cancel(let key, let reason)):
            // After the card was presented, the result counts.
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, .canceled(reason))
        // A simulated printer keeps nothing, and simulated terminals do not restart.
        case .terminal(_, .recover), .terminal(_, .print): break
        case .present(let card, let key, let terminal): present(card, key, at: terminal)
        case .answer(let text, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            report(.working, key)
            finish(key, .done(TerminalReport(input: text)))
        case .cancel(let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, .canceled(.byCardholder))
        }
    }

    private func begin(_ request: TerminalRequest, at terminal: String) {
        let key = request.key
        switch request.operation {
        case .payment, .refund, .preauthorization, .cardReading:
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
            enqueue(request, at: terminal) { [now] counter in await counter.change(request, at: now) }
        }
    }

    private func present(_ name: String?, _ key: IdempotencyKey, at terminal: String) {
        guard let request = awaited.removeValue(forKey: key) else { return }
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
        switch NexoTestCards.deed(name ?? inserted, for: request.operation.amount) {
        case .cancel: finish(key, .canceled(.byCardholder))
        case .present(let card):
            report(.cardPresented, key)
            enqueue(request, at: terminal) { [now] counter in await counter.take(request, with: card, at: now) }
        }
    }

    /// Lets a counter work after what it has to do already.
    private func enqueue(
        _ request: TerminalRequest, at terminal: String,
        _ body: @escaping @Sendable (SimulatedCounter) async -> CounterResult
    ) {
        guard let station = station(terminal) else { return finish(request.key, .failed(.readerDefective)) }
        let (earlier, counter) = (station.last, station.counter)
        stations[terminal]?.last = Task {
            await earlier?.value
            self.end(request, at: terminal, await body(counter))
        }
    }

    /// Each terminal has a session of its own, whose seed follows from that of the server and the terminal's number.
    private func station(_ terminal: String) -> Station? {
        if let station = stations[terminal] { return station }
        let number = UInt64(terminals.firstIndex(of: terminal) ?? 0)
        guard let plan = try? NexoTestCards.plan(seed: seed &+ number &* 1_000_003, start: now) else { return nil }
        let station = Station(counter: SimulatedCounter(plan))
        stations[terminal] = station
        return station
    }

    private func end(_ request: TerminalRequest, at terminal: String, _ result: CounterResult) {
        now = max(now, result.now)
        let key = request.key
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

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? account.report(progress, of: key, at: now)
    }

    private func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        do throws(TerminalRefusal) {
            try account.finish(key, outcome, on: now.civil(offsetSeconds: 0), at: now)
        } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key)
        }
    }
}

/// The sales of a terminal since its last reconciliation.
struct NexoBatch {
    private var sales: [(brand: String, amount: Money)] = []
    private var receipts: [Int] = []

    /// Adds what was charged.
    mutating func add(_ operation: TerminalOperation, _ outcome: TerminalOutcome) {
        guard let transaction = outcome.transaction else { return }
        switch operation {
        case .payment, .capture:
            sales.append((transaction.card?.brand ?? "", transaction.amount))
            receipts.append(transaction.receiptNumber)
        default: break
        }
    }

    /// The totals by brand, in the currency of the first sale; nil without sales.
    func totals(at date: CivilDate) -> TerminalTotals? {
        guard let currency = sales.first?.amount.currency else { return nil }
        let known = sales.filter { $0.amount.currency == currency }
        let lines = Set(known.map(\.brand)).sorted().map { brand in
            let amounts = known.filter { $0.brand == brand }.map(\.amount.minorUnits)
            return TerminalTotals.Line(brand: brand, count: amounts.count, amount: amounts.reduce(0, +))
        }
        return TerminalTotals(
            firstReceipt: receipts.first ?? 0, lastReceipt: receipts.last ?? 0, trace: 0, date: date,
            currency: currency, lines: lines)
    }
}

extension TerminalOperation {
    /// The amount of an operation with a card; nil without one.
    fileprivate var amount: Money? {
        switch self {
        case .payment(let amount, _), .refund(let amount), .preauthorization(let amount): amount
        default: nil
        }
    }
}
