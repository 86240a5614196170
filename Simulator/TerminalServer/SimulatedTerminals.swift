import Determinism
import Payments
import Sessions
import StripeTerminal
import Synchronization
import Terminal

/// The simulated terminals of a server, and the account that tills see.
///
/// Time is a part of the simulation: it goes on by a second with each request that may change something, and by what
/// payments take. So the same requests, one after the other, get the same bytes.
actor SimulatedTerminals: DeliverySource {
    private var account: StripeTerminal
    private var now: Timestamp
    private let seed: UInt64
    private var calls = 0
    private var ready: [Int: StripeAnswer] = [:]
    private var waiting: [Int: CheckedContinuation<StripeAnswer?, Never>] = [:]
    /// The requests of readers that wait for a card.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    private var counters: [String: SimulatedCounter] = [:]
    /// The newest work of each counter: the next one begins after it.
    private var last: [String: Task<Void, Never>] = [:]
    /// Called when there may be messages to webhook endpoints.
    private let onNews: @Sendable () -> Void

    init(seed: UInt64, start: Timestamp, onNews: @escaping @Sendable () -> Void) {
        (self.seed, now, self.onNews) = (seed, start, onNews)
        account = StripeTerminal(random: SeededRandomSource(seed: seed), now: start)
    }

    /// Answers a request, when its reader has done its work. Nil when the task is canceled before.
    func respond(to request: StripeRequest) async -> StripeAnswer? {
        calls += 1
        let call = calls
        if request.method != "GET" { now = now.advanced(by: .seconds(1)) }
        account.receive(request, call: call, at: now)
        carryOn()
        if let answer = ready.removeValue(forKey: call) { return answer }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[call] = $0 }
        } onCancel: {
            Task { await self.giveUp(call) }
        }
    }

    /// Ends the wait of a call whose connection is gone. What it asked for goes on.
    private func giveUp(_ call: Int) { waiting.removeValue(forKey: call)?.resume(returning: nil) }

    /// Takes the messages to webhook endpoints that are due on the wall clock, and says when the next one is.
    func takeDeliveries(at wall: Timestamp) -> (deliveries: [StripeDelivery], next: Timestamp?) {
        let deliveries = account.takeDeliveries(at: wall)
        return (deliveries, account.nextDelivery)
    }

    func record(_ status: Int, of delivery: StripeDelivery, at wall: Timestamp) {
        account.record(status, of: delivery, at: wall)
    }

    /// Ends the sessions.
    func close() async {
        for task in last.values { await task.value }
        for counter in counters.values { await counter.close() }
    }

    // MARK: Work

    private func carryOn() {
        while let work = account.nextWork() { carryOut(work) }
        while let answer = account.nextAnswer() {
            if let continuation = waiting.removeValue(forKey: answer.call) {
                continuation.resume(returning: answer)
            } else if answer.call == calls {
                ready[answer.call] = answer
            }
        }
        onNews()
    }

    private func carryOut(_ work: StripeWork) {
        switch work {
        case .terminal(_, .begin(let request)) where request.operation.needsCard:
            awaited[request.key] = request
            report(.waitingForCard, request.key)
        case .terminal(let reader, .begin(let request)):
            report(.working, request.key)
            if case .display = request.operation {
                finish(request.key, CounterResult(outcome: .done(TerminalReport()), now: now))
            } else {
                enqueue(request.key, at: reader) { [now] counter in
                    await counter.change(request, at: now)
                }
            }
        case .terminal(_, .cancel(let key, let reason)):
            // After the card was presented, the result counts.
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, CounterResult(outcome: .canceled(reason), now: now))
        case .terminal(_, .recover), .terminal(_, .print): break
        case .present(let card, let key, let reader):
            guard let request = awaited.removeValue(forKey: key) else { return }
            report(.cardPresented, key)
            let name = TestCards.name(of: card)
            enqueue(key, at: reader) { [now] counter in await counter.take(request, with: name, at: now) }
        }
    }

    /// Lets a counter work after what it has to do already.
    private func enqueue(
        _ key: IdempotencyKey, at reader: String,
        _ body: @escaping @Sendable (SimulatedCounter) async -> CounterResult
    ) {
        let earlier = last[reader]
        guard let counter = counter(reader) else {
            finish(key, CounterResult(outcome: .failed(.readerDefective), now: now))
            return
        }
        last[reader] = Task {
            await earlier?.value
            let result = await body(counter)
            self.end(key, result)
        }
    }

    /// Each reader has a session of its own, whose seed follows from that of the server and the reader's number.
    private func counter(_ reader: String) -> SimulatedCounter? {
        if let counter = counters[reader] { return counter }
        let number = UInt64(counters.count)
        guard let counter = try? SimulatedCounter(seed: seed &+ number &* 1_000_003, start: now) else { return nil }
        counters[reader] = counter
        return counter
    }

    private func end(_ key: IdempotencyKey, _ result: CounterResult) {
        now = max(now, result.now)
        let isCanceled = if case .canceled = result.outcome { true } else { false }
        if !isCanceled, account.status(of: key) == .running(.cardPresented) { report(.authorizing, key) }
        finish(key, result)
        carryOn()
    }

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? account.report(progress, of: key, at: now)
    }

    private func finish(_ key: IdempotencyKey, _ result: CounterResult) {
        guard let outcome = result.outcome else { return report(.recovering, key) }
        let date = result.now.civil(offsetSeconds: 0)
        do throws(TerminalRefusal) { try account.finish(key, outcome, on: date, at: now) } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key)
        }
    }
}
