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
    private var calls = AnswerBook<StripeAnswer>()
    /// The requests of readers that wait for a test card, or for an answer.
    private var awaited: [IdempotencyKey: TerminalRequest] = [:]
    private var queues: [String: CounterQueue] = [:]
    /// Keeps requests for the next start; nil when the next start knows nothing.
    private var keeper: ChangeKeeper?
    /// Called when there may be messages to webhook endpoints.
    private let onNews: @Sendable () -> Void

    /// - Parameters:
    ///   - random: makes IDs and secrets.
    ///   - setup: the readers and keys that tills see.
    ///   - readers: what drives them.
    ///   - keys: keeps idempotency keys for the next start; nil when the next start knows nothing.
    ///   - own: what the terminal of this machine's reader has; nil for readers that nothing is kept of.
    ///   - onNews: called when there may be messages to webhook endpoints.
    init(
        random: any RandomSource, setup: StripeSetup, readers: TerminalCounters, keys: (any SpentKeys)? = nil,
        own: OwnTerminal? = nil, onNews: @escaping @Sendable () -> Void
    ) {
        (self.readers, self.keys, self.onNews) = (readers, keys, onNews)
        let now =
            switch readers.clock {
            case .simulated(let start): start
            case .wall(let time): time.now()
            }
        var account = StripeTerminal(random: random, now: now, setup: setup)
        if let own {
            account.takeUp(own.kept, objects: own.objects, offset: own.offset, reader: own.reader)
        }
        (self.account, self.now, keeper) = (account, now, own.map(ChangeKeeper.init))
    }

    /// Takes up what ran when the terminal stopped, and what others did with its payments.
    func begin() async {
        if account.ownReader != nil { for key in account.payments { await correct(key, isNews: false) } }
        carryOn()
    }

    /// Answers a request, when its reader has done its work. Nil when the task is canceled before.
    func respond(to request: StripeRequest) async -> StripeAnswer? {
        await lookForReader()
        if let key = account.payment(of: request) { await correct(key, isNews: true) }
        guard keeper?.isBroken != true else { return nil }
        let call = calls.next()
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
        if let answer = calls.takeReady() { return answer }
        guard keeper?.isBroken != true else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { calls.wait(call, $0) }
        } onCancel: {
            Task { await self.giveUp(call) }
        }
    }

    /// Notes whether the reader of this machine is there.
    private func lookForReader() async {
        guard case .wall(let time) = readers.clock, let id = account.ownReader, let counter = queue(id)?.counter else {
            return
        }
        let isOnline = await counter.isOnline()
        account.setOwnReader(isOnline: isOnline, at: time.now())
    }

    /// Sets a payment's objects to what the journal has: a clerk's command, or a till of another protocol, may have
    /// changed it.
    private func correct(_ key: IdempotencyKey, isNews: Bool) async {
        guard let id = account.ownReader, let counter = queue(id)?.counter,
            let standing = await counter.standing(of: key)
        else { return }
        account.correct(key, by: standing, isNews: isNews, at: now)
    }

    /// Ends the wait of a call whose connection is gone. What it asked for goes on.
    private func giveUp(_ call: Int) { calls.giveUp(call) }

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
        if !readers.awaitsTestCards { for queue in queues.values { await queue.counter.close() } }
        for queue in queues.values { await queue.last?.value }
        if readers.awaitsTestCards { for queue in queues.values { await queue.counter.close() } }
    }

    // MARK: Work

    private func carryOn() {
        while true {
            guard keep() else { return calls.giveUpAll() }
            guard let work = account.nextWork() else { break }
            carryOut(work)
        }
        while let answer = account.nextAnswer() { calls.give(answer, to: answer.call) }
        onNews()
    }

    /// Keeps what must be on disk before anything else happens. Returns whether the terminal may go on.
    private func keep() -> Bool {
        guard var keeper else { return true }
        defer { self.keeper = keeper }
        return keeper.keep(account.takeChanges(), account.takeObjectChanges(), at: now)
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
                if !readers.awaitsTestCards, let counter = queue(reader)?.counter {
                    Task { await counter.show(lines) }
                }
                finish(request.key, CounterEnd(outcome: .done(TerminalReport()), now: now))
            } else {
                enqueue(request.key, at: reader) { [now] counter, _ in
                    await counter.change(request, at: now)
                }
            }
        case .terminal(let reader, .cancel(let key, let reason)):
            if awaited.removeValue(forKey: key) != nil {
                finish(key, CounterEnd(outcome: .canceled(reason), now: now))
            } else if !readers.awaitsTestCards, let counter = queue(reader)?.counter {
                Task { await counter.cancel(key) }
            }
        // After a test card was presented, the result counts.
        case .terminal(let reader, .recover(let request)):
            enqueue(request.key, at: reader) { counter, report in await counter.recover(request, report: report) }
        case .terminal(_, .print): break
        case .answer(let answer, let key, _):
            guard awaited.removeValue(forKey: key) != nil else { return }
            finish(key, CounterEnd(outcome: answer.outcome, now: now))
        case .tip(let tip, let key, _):
            // Without the sum, the customer pays what the till asked for, and the transaction says so.
            if let whole = awaited[key]?.adding(tip: tip) { awaited[key] = whole }
        case .present(let card, let key, let reader) where !readers.awaitsTestCards:
            if let counter = queue(reader)?.counter { Task { await counter.present(card, for: key) } }
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
    private func enqueue(_ key: IdempotencyKey, at reader: String, _ work: @escaping CounterQueue.Work) {
        guard var queue = queue(reader) else {
            finish(key, CounterEnd(outcome: .failed(.readerDefective), now: now))
            return
        }
        queue.add(work) {
            await self.tell($0, key)
        } end: {
            await self.end(key, $0)
        }
        queues[reader] = queue
    }

    private func queue(_ reader: String) -> CounterQueue? {
        if let queue = queues[reader] { return queue }
        guard let counter = readers.make(UInt64(queues.count), now) else { return nil }
        queues[reader] = CounterQueue(counter)
        return queues[reader]
    }

    /// Tells a step. The calls that wait for it are answered.
    private func tell(_ step: TerminalProgress, _ key: IdempotencyKey) {
        if case .wall(let time) = readers.clock { now = max(now, time.now()) }
        report(step, key)
        carryOn()
    }

    private func end(_ key: IdempotencyKey, _ result: CounterEnd) async {
        now = max(now, result.now)
        if let outcome = result.outcome, outcome.transaction == nil, let payment = account.payment(changedBy: key) {
            await correct(payment, isNews: true)
        }
        finish(key, CounterEnd(outcome: result.outcome.map { prepared($0, of: key) }, now: result.now))
        carryOn()
    }

    /// Catches up on the steps that lead to an outcome, where a reader told of none.
    private func prepared(_ outcome: TerminalOutcome, of key: IdempotencyKey) -> TerminalOutcome {
        guard case .running(let progress) = account.status(of: key) else { return outcome }
        let prepared = outcome.prepared(from: progress)
        for step in prepared.steps { report(step, key) }
        return prepared.outcome
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
