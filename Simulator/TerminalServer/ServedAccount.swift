import Determinism
import Payments
import StripeTerminal
import Terminal

/// The account that tills see, and the readers behind it.
actor ServedAccount: DeliverySource {
    private var account: StripeTerminal
    private var now: Timestamp
    private let readers: TerminalCounters
    private let keys: (any SpentKeys)?
    private var calls = 0
    private var ready: [Int: StripeAnswer] = [:]
    private var waiting: [Int: CheckedContinuation<StripeAnswer?, Never>] = [:]
    /// The requests of readers that wait for a test card, or for an answer.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    private var counters: [String: any TerminalCounter] = [:]
    /// The newest work of each counter: the next one begins after it.
    private var last: [String: Task<Void, Never>] = [:]
    /// Called when there may be messages to webhook endpoints.
    private let onNews: @Sendable () -> Void

    /// - Parameters:
    ///   - random: makes IDs and secrets.
    ///   - setup: the readers and keys that tills see.
    ///   - readers: what drives them.
    ///   - keys: keeps idempotency keys for the next start; nil when the next start knows nothing.
    ///   - onNews: called when there may be messages to webhook endpoints.
    init(
        random: any RandomSource, setup: StripeSetup, readers: TerminalCounters, keys: (any SpentKeys)? = nil,
        onNews: @escaping @Sendable () -> Void
    ) {
        (self.readers, self.keys, self.onNews) = (readers, keys, onNews)
        now =
            switch readers.clock {
            case .simulated(let start): start
            case .wall(let time): time.now()
            }
        account = StripeTerminal(random: random, now: now, setup: setup)
    }

    /// Answers a request, when its reader has done its work. Nil when the task is canceled before.
    func respond(to request: StripeRequest) async -> StripeAnswer? {
        await lookForReader()
        calls += 1
        let call = calls
        if let key = account.spends(request), let keys {
            // Nothing happens that a later start could repeat without noticing.
            do { try keys.spend(StripeSetup.fingerprint(of: key)) } catch {
                return StripeAnswer(
                    call: call, response: .unavailable("The terminal can't keep records: \(error)"), isLost: false)
            }
        }
        switch readers.clock {
        case .simulated: if request.method != "GET" { now = now.advanced(by: .seconds(1)) }
        case .wall(let time): now = max(now, time.now())
        }
        account.receive(request, call: call, at: now)
        carryOn()
        if let answer = ready.removeValue(forKey: call) { return answer }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[call] = $0 }
        } onCancel: {
            Task { await self.giveUp(call) }
        }
    }

    /// Notes whether the reader of this machine is there.
    private func lookForReader() async {
        guard case .wall(let time) = readers.clock, let id = account.ownReader, let counter = counter(id) else {
            return
        }
        let isOnline = await counter.isOnline()
        account.setOwnReader(isOnline: isOnline, at: time.now())
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
        if !readers.awaitsTestCards { for counter in counters.values { await counter.close() } }
        for task in last.values { await task.value }
        if readers.awaitsTestCards { for counter in counters.values { await counter.close() } }
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
        case .terminal(let reader, .begin(let request)) where request.operation.needsCard:
            guard readers.awaitsTestCards else { return take(request, with: nil, at: reader) }
            awaited[request.key] = request
            report(.waitingForCard, request.key)
        case .terminal(_, .begin(let request)) where request.operation.isInput: awaited[request.key] = request
        case .terminal(let reader, .begin(let request)):
            report(.working, request.key)
            if case .display(let lines) = request.operation {
                if !readers.awaitsTestCards, let counter = counter(reader) { Task { await counter.show(lines) } }
                finish(request.key, CounterEnd(outcome: .done(TerminalReport()), now: now))
            } else {
                enqueue(request.key, at: reader) { [now] counter, _ in
                    await counter.change(request, at: now)
                }
            }
        case .terminal(let reader, .cancel(let key, let reason)):
            if awaited.removeValue(forKey: key) != nil {
                finish(key, CounterEnd(outcome: .canceled(reason), now: now))
            } else if !readers.awaitsTestCards, let counter = counter(reader) {
                Task { await counter.cancel(key) }
            }
        // After a test card was presented, the result counts.
        case .terminal(_, .recover), .terminal(_, .print): break
        case .answer(let answer, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, CounterEnd(outcome: answer.outcome, now: now))
        case .tip(let tip, let key, _):
            // Without the sum, the customer pays what the till asked for, and the transaction says so.
            if let whole = awaited[key]?.adding(tip: tip) { awaited[key] = whole }
        case .present(let card, let key, let reader) where !readers.awaitsTestCards:
            if let counter = counter(reader) { Task { await counter.present(card, for: key) } }
        case .present(let card, let key, let reader):
            guard let request = awaited.removeValue(forKey: key) else { return }
            report(.cardPresented, key)
            take(request, with: card, at: reader)
        }
    }

    private func take(_ request: TerminalRequest, with card: StripeTestCard?, at reader: String) {
        enqueue(request.key, at: reader) { [now] counter, report in
            await counter.take(request, with: card, at: now, report: report)
        }
    }

    /// Lets a counter work after what it has to do already.
    private func enqueue(
        _ key: IdempotencyKey, at reader: String,
        _ body: @escaping @Sendable (any TerminalCounter, @escaping TerminalCounter.Report) async -> CounterEnd
    ) {
        let earlier = last[reader]
        guard let counter = counter(reader) else {
            finish(key, CounterEnd(outcome: .failed(.readerDefective), now: now))
            return
        }
        last[reader] = Task {
            await earlier?.value
            let (steps, next) = AsyncStream.makeStream(of: TerminalProgress.self)
            // The steps arrive in their order, and all of them before the end.
            let telling = Task { for await step in steps { self.tell(step, key) } }
            let result = await body(counter) { next.yield($0) }
            next.finish()
            await telling.value
            self.end(key, result)
        }
    }

    private func counter(_ reader: String) -> (any TerminalCounter)? {
        if let counter = counters[reader] { return counter }
        guard let counter = readers.make(UInt64(counters.count), now) else { return nil }
        counters[reader] = counter
        return counter
    }

    /// Tells a step. The calls that wait for it are answered.
    private func tell(_ step: TerminalProgress, _ key: IdempotencyKey) {
        if case .wall(let time) = readers.clock { now = max(now, time.now()) }
        report(step, key)
        carryOn()
    }

    private func end(_ key: IdempotencyKey, _ result: CounterEnd) {
        now = max(now, result.now)
        finish(key, CounterEnd(outcome: result.outcome.map { prepared($0, of: key) }, now: result.now))
        carryOn()
    }

    /// Catches up on the steps that lead to an outcome, where a reader told of none. A request whose host was asked
    /// and that was canceled all the same has failed: what the host may have approved was taken back.
    private func prepared(_ outcome: TerminalOutcome, of key: IdempotencyKey) -> TerminalOutcome {
        guard case .running(let progress) = account.status(of: key) else { return outcome }
        switch outcome {
        case .canceled: return progress.canBeCanceled ? outcome : .failed(.internalError)
        case .failed, .done: if progress == .cardPresented { report(.authorizing, key) }
        case .approved, .declined:
            let steps: [TerminalProgress] =
                switch progress {
                case .accepted: [.waitingForCard, .cardPresented, .authorizing]
                case .waitingForCard: [.cardPresented, .authorizing]
                case .cardPresented, .choosingApplication, .enteringPIN, .wrongPIN: [.authorizing]
                case .authorizing, .recovering, .removingCard, .working: []
                }
            for step in steps { report(step, key) }
        }
        return outcome
    }

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? account.report(progress, of: key, at: now)
    }

    private func finish(_ key: IdempotencyKey, _ result: CounterEnd) {
        guard let outcome = result.outcome else { return report(.recovering, key) }
        let date = result.now.civil(offsetSeconds: 0)
        do throws(TerminalRefusal) { try account.finish(key, outcome, on: date, at: now) } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key)
        }
    }
}

extension TerminalOperation {
    fileprivate var isInput: Bool { if case .input = self { true } else { false } }
}
