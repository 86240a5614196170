import Connections
import Determinism
import Payments
import Terminal
import ZVT

/// The terminal of this machine's reader that tills reach with ZVT.
///
/// What moves money is kept before it begins; its answer, and that the till took it, before the next message leaves. So
/// a till that gets 06 0F can rely on it.
actor OwnZVTTerminal: ZVTSpeaker {
    private var zvt: ZVTTerminal
    private var model: TerminalModel
    private var wires: ZVTWires
    private var queue: CounterQueue
    private var keeper: ChangeKeeper
    private let own: OwnTerminal
    private let limits: ZVTServerLimits
    /// Measures the time-outs of the protocol.
    private let wall: any TimeSource
    /// The time of payments.
    private let time: any TimeSource

    init(
        _ options: ZVTTerminalOptions, _ counter: any TerminalCounter, _ own: OwnTerminal, _ limits: ZVTServerLimits,
        wall: any TimeSource, time: any TimeSource
    ) {
        zvt = ZVTTerminal(options)
        model = TerminalModel(kept: own.kept, offset: own.offset, reader: own.reader)
        wires = ZVTWires(limit: options.answerTimeout, time: wall)
        (queue, keeper) = (CounterQueue(counter), ChangeKeeper(own))
        (self.own, self.limits, self.wall, self.time) = (own, limits, wall, time)
    }

    /// Takes up what ran when the terminal stopped, and what did not arrive.
    func begin() { follow(zvt.takeUp(own.kept, &model)) }

    // MARK: Connections

    func serve(_ connection: any ByteConnection) async {
        guard !keeper.isBroken else { return connection.close() }
        let number = wires.open(connection)
        zvt.open(number)
        if let silent = wires.silent(beyond: limits.connections, inDialog: zvt.connectionInDialog) {
            wires.close(silent)
            follow(zvt.close(silent, &model))
        }
        while wires.isOpen(number) {
            let deadline = Deadline(after: limits.silence, on: wall)
            guard let bytes = try? await connection.read(upTo: ZVTWires.piece, deadline: deadline) else { break }
            wires.use(number)
            // Answers within a dialog do not wait for it.
            if !zvt.isInDialog { zvt.hasReader = await queue.counter.isOnline() }
            follow(zvt.receive(bytes, on: number, &model))
        }
        wires.close(number)
        follow(zvt.close(number, &model))
    }

    func rest(within limit: Duration) async {
        let end = Deadline(after: limit, on: wall)
        while zvt.isInDialog, end.remaining(on: wall) > .zero {
            guard (try? await wall.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }

    func close() async {
        wires.closeAll()
        await queue.counter.close()
        await queue.last?.value
        wires.stopTimers()
    }

    private func fire(_ timer: ZVTTimer, _ number: Int) {
        guard wires.takeTimer(timer, number) else { return }
        follow(zvt.fire(timer, &model))
    }

    // MARK: Work

    /// Keeps what changed, and then does what follows from it.
    private func follow(_ effects: [ZVTEffect]) {
        let changes = model.takeChanges().map { change in
            var change = change
            change.note = zvt.note(for: change)
            return change
        }
        guard keeper.keep(changes, at: time.now()) else { return wires.closeAll() }
        for effect in effects { wires.obey(effect) { await self.fire($0, $1) } }
        while let work = model.nextWork() { carryOut(work) }
    }

    private func carryOut(_ work: TerminalWork) {
        switch work {
        case .begin(let request): begin(request)
        case .recover(let request): add(request) { counter, report in await counter.recover(request, report: report) }
        case .cancel(let key, let reason):
            let counter = queue.counter
            timedOut = reason == .timedOut ? key : nil
            Task { await counter.cancel(key) }
        case .print(let receipts): receipts.forEach(own.onPrint)
        }
    }

    /// The request whose time (T4) is over: its cancellation says so.
    private var timedOut: IdempotencyKey?

    private func begin(_ request: TerminalRequest) {
        let moment = time.now()
        guard !request.operation.needsCard else {
            return add(request) { counter, report in
                await counter.take(request, with: nil, at: moment, report: report)
            }
        }
        report(.working, request.key)
        add(request) { counter, _ in await counter.change(request, at: moment) }
    }

    private func add(_ request: TerminalRequest, _ work: @escaping CounterQueue.Work) {
        let key = request.key
        queue.add(work) {
            await self.report($0, key)
        } end: {
            await self.end(key, $0)
        }
    }

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? model.report(progress, of: key)
        follow(zvt.update(&model))
    }

    private func end(_ key: IdempotencyKey, _ result: CounterEnd) {
        guard var outcome = result.outcome else { return report(.recovering, key) }
        if case .canceled(.byTill) = outcome, timedOut == key { outcome = .canceled(.timedOut) }
        if case .running(let progress) = model.status(of: key) {
            let prepared = outcome.prepared(from: progress)
            for step in prepared.steps { try? model.report(step, of: key) }
            outcome = prepared.outcome
        }
        do throws(TerminalRefusal) {
            try model.finish(key, outcome, at: time.now().civil(offsetSeconds: own.offset))
        } catch {
            // An end that the model refuses is not one: the request stays open.
            return report(.recovering, key)
        }
        follow(zvt.update(&model))
        model.keep(newest: ZVTWires.mostRecords, standing: true)
    }
}
