import Determinism
import NexoTerminal
import Payments
import Terminal

/// The terminal of this machine's reader behind the nexo-compatible protocol.
///
/// What moves money is kept before it begins, and with its answer before a till gets it. The nonce of an encrypted
/// message is kept before anything is done with the message, so that no later start takes it again.
actor OwnNexoTerminal: NexoSpeaker {
    var account: NexoTerminal
    var calls = AnswerBook<NexoAnswer>()
    var moment: Timestamp { time.now() }
    var isBroken: Bool { keeper.isBroken }
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
        account.takeUp(own.kept, objects: own.objects, offset: own.offset, reader: own.reader)
        self.account = account
        (self.own, self.time, self.onNews) = (own, time, onNews)
        (queue, keeper) = (CounterQueue(counter), ChangeKeeper(own))
    }

    /// Takes up what ran when the terminal stopped.
    func begin() { carryOn() }

    /// The time is that of the wall.
    func note(_ request: NexoRequest) {}

    func lookForReader() async { account.setReader(isOnline: await queue.counter.isOnline()) }

    /// Ends what runs, as far as no money may have moved.
    func close() async {
        await queue.counter.close()
        await queue.last?.value
    }

    // MARK: Work

    func carryOn() {
        while true {
            // Nonces first: a message that is kept half is refused later, and never carried out again.
            guard keeper.keep([], account.takeObjectChanges(), at: time.now()),
                keeper.keep(account.takeChanges(), at: time.now())
            else { return calls.giveUpAll() }
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

    private func end(_ key: IdempotencyKey, _ result: CounterEnd) {
        if let outcome = result.outcome {
            finish(key, outcome)
        } else {
            report(.recovering, key)
        }
        carryOn()
    }

    private func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        var outcome = outcome
        if case .running(let progress) = account.status(of: key) {
            let prepared = outcome.prepared(from: progress)
            for step in prepared.steps { report(step, key) }
            outcome = prepared.outcome
        }
        finish(key, outcome, offset: own.offset)
    }
}
