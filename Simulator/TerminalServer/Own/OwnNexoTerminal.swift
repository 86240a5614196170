import Determinism
import NexoTerminal
import Payments
import Terminal

/// The terminal of this machine's reader behind the nexo-compatible protocol.
///
/// What moves money is kept before it begins, and with its answer before a till gets it.
actor OwnNexoTerminal: NexoSpeaker {
    private var account: NexoTerminal
    private var calls = AnswerBook<NexoAnswer>()
    private var queue: CounterQueue
    private var keeper: ChangeKeeper
    private let own: OwnTerminal
    private let time: any TimeSource
    private let onNews: @Sendable () -> Void

    init(
        _ options: NexoTerminalOptions, _ counter: any TerminalCounter, _ own: OwnTerminal, random: any RandomSource,
        time: any TimeSource, onNews: @escaping @Sendable () -> Void
    ) {
        var options = options
        options.isSimulated = false
        var account = NexoTerminal(options, random: random, now: time.now())
        account.takeUp(own.kept, offset: own.offset, reader: own.reader)
        self.account = account
        (self.own, self.time, self.onNews) = (own, time, onNews)
        (queue, keeper) = (CounterQueue(counter), ChangeKeeper(own))
    }

    /// Takes up what ran when the terminal stopped.
    func begin() { carryOn() }

    func respond(to request: NexoRequest) async -> NexoAnswer? {
        guard !keeper.isBroken else { return nil }
        let call = calls.next()
        account.receive(request, call: call, at: time.now())
        carryOn()
        if let answer = calls.takeReady() { return answer }
        guard !keeper.isBroken else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { calls.wait(call, $0) }
        } onCancel: {
            Task { await self.giveUp(call) }
        }
    }

    private func giveUp(_ call: Int) { calls.giveUp(call) }

    func takeDeliveries(at wall: Timestamp) -> (deliveries: [NexoDelivery], next: Timestamp?) {
        (account.takeDeliveries(at: wall), account.nextDelivery)
    }

    func record(_ status: Int, of delivery: NexoDelivery, at wall: Timestamp) {
        account.record(status, of: delivery, at: wall)
    }

    /// Ends what runs, as far as no money may have moved.
    func close() async {
        await queue.counter.close()
        await queue.last?.value
    }

    // MARK: Work

    private func carryOn() {
        while true {
            guard keeper.keep(account.takeChanges(), at: time.now()) else { return calls.giveUpAll() }
            guard let work = account.nextWork() else { break }
            carryOut(work)
        }
        while let answer = account.nextAnswer() { calls.give(answer, to: answer.call) }
        onNews()
    }

    private func carryOut(_ work: NexoWork) {
        guard case .terminal(_, let work) = work else { return }
        switch work {
        case .begin(let request): begin(request)
        case .recover(let request): add(request) { counter, report in await counter.recover(request, report: report) }
        case .cancel(let key, _):
            let counter = queue.counter
            Task { await counter.cancel(key) }
        case .print(let receipts): receipts.forEach(own.onPrint)
        }
    }

    private func begin(_ request: TerminalRequest) {
        let moment = time.now()
        switch request.operation {
        case .display(let lines):
            let counter = queue.counter
            Task { await counter.show(lines) }
            finish(request.key, .done(TerminalReport()))
        case .print(let receipts):
            receipts.forEach(own.onPrint)
            finish(request.key, .done(TerminalReport()))
        case .input, .cardReading: finish(request.key, .failed(.notSupported))
        case _ where request.operation.needsCard:
            add(request) { counter, report in await counter.take(request, with: nil, at: moment, report: report) }
        default:
            report(.working, request.key)
            add(request) { counter, _ in await counter.change(request, at: moment) }
        }
    }

    private func add(_ request: TerminalRequest, _ work: @escaping CounterQueue.Work) {
        let key = request.key
        queue.add(work) {
            await self.tell($0, key)
        } end: {
            await self.end(key, $0)
        }
    }

    private func tell(_ step: TerminalProgress, _ key: IdempotencyKey) {
        report(step, key)
        carryOn()
    }

    private func end(_ key: IdempotencyKey, _ result: CounterEnd) {
        if let outcome = result.outcome {
            finish(key, outcome)
        } else {
            report(.recovering, key)
        }
        carryOn()
    }

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? account.report(progress, of: key, at: time.now())
    }

    private func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        var outcome = outcome
        if case .running(let progress) = account.status(of: key) {
            let prepared = outcome.prepared(from: progress)
            for step in prepared.steps { report(step, key) }
            outcome = prepared.outcome
        }
        let now = time.now()
        do throws(TerminalRefusal) {
            try account.finish(key, outcome, on: now.civil(offsetSeconds: own.offset), at: now)
        } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key)
        }
    }
}
