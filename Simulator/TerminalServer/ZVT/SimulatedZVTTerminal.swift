import Connections
import Determinism
import Money
import Payments
import Sessions
import Terminal
import ZVT

/// One simulated terminal that tills reach with ZVT: the protocol, the terminal model, and a counter with its cards.
///
/// Steps of a payment are shown one at a time: the next one comes when the till has answered the one before. Time is a
/// part of the simulation: it goes on by a second with each request, and by what payments take. So the same commands
/// and answers get the same bytes, however fast the machine is. Only the time-outs of the protocol are real time.
actor SimulatedZVTTerminal: ZVTSpeaker {
    /// What the terminal does for the request that holds it.
    private enum Work {
        case none
        /// The cardholder presents the card when the till has answered.
        case presenting(TerminalRequest, card: String?)
        /// No card is presented, until the till or the time ends the request.
        case waiting(IdempotencyKey)
        case carryingOut
        /// The till is shown what happened, and then the result.
        case showing(IdempotencyKey, [TerminalProgress], CounterResult)
    }

    private var zvt: ZVTTerminal
    private var model = TerminalModel()
    private var work = Work.none
    private var running: Task<Void, Never>?
    private var cut: ZVTTestAmount.Cut?
    private var wires: ZVTWires
    /// The time of the simulation.
    private var now: Timestamp
    private let counter: any DrivenCounter
    private let options: ZVTTerminalOptions
    private let limits: ZVTServerLimits
    private let time: any TimeSource
    private let onPrint: @Sendable (TerminalReceipt) -> Void

    init(
        _ options: ZVTTerminalOptions, _ counter: any DrivenCounter, start: Timestamp, _ limits: ZVTServerLimits,
        time: any TimeSource, onPrint: @escaping @Sendable (TerminalReceipt) -> Void
    ) {
        (self.options, self.limits, self.time, self.onPrint) = (options, limits, time, onPrint)
        (zvt, now, self.counter) = (ZVTTerminal(options), start, counter)
        wires = ZVTWires(limit: options.answerTimeout, time: time)
    }

    // MARK: Connections

    /// Serves a till until either side ends the connection.
    func serve(_ connection: any ByteConnection) async {
        let number = wires.open(connection)
        zvt.open(number)
        if let silent = wires.silent(beyond: limits.connections, inDialog: zvt.connectionInDialog) { drop(silent) }
        while wires.isOpen(number) {
            let deadline = Deadline(after: limits.silence, on: time)
            guard let bytes = try? await connection.read(upTo: ZVTWires.piece, deadline: deadline) else { break }
            wires.use(number)
            obey(zvt.receive(bytes, on: number, &model))
            goOn()
        }
        wires.close(number)
        obey(zvt.close(number, &model))
        goOn()
    }

    /// Waits until no command runs, for so long at most.
    func rest(within limit: Duration) async {
        let end = Deadline(after: limit, on: time)
        while zvt.isInDialog, end.remaining(on: time) > .zero {
            guard (try? await time.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }

    /// Ends the session of the counter. What runs ends before.
    func close() async {
        wires.closeAll()
        while let running {
            self.running = nil
            await running.value
        }
        wires.stopTimers()
        await counter.close()
    }

    private func obey(_ effects: [ZVTEffect]) {
        for effect in effects {
            if case .send(let bytes, let number) = effect, isCut(bytes) {
                cut = nil
                drop(number)
            } else {
                wires.obey(effect) { await self.fire($0, $1) }
            }
        }
    }

    /// Whether the amount asks for the end of the connection in place of this message.
    private func isCut(_ message: [UInt8]) -> Bool {
        switch cut {
        case .beforeStatus: message.starts(with: [0x04, 0x0F])
        case .beforeCompletion: message.starts(with: [0x06, 0x0F])
        case nil: false
        }
    }

    private func drop(_ number: Int) {
        wires.close(number)
        obey(zvt.close(number, &model))
    }

    private func fire(_ timer: ZVTTimer, _ number: Int) {
        guard wires.takeTimer(timer, number) else { return }
        obey(zvt.fire(timer, &model))
        goOn()
    }

    // MARK: Work

    private func goOn() {
        repeat {
            while let next = model.nextWork() { take(next) }
        } while showNext()
    }

    private func take(_ next: TerminalWork) {
        switch next {
        case .begin(let request): begin(request)
        case .cancel(let key, let reason):
            // After the card was presented, the result counts.
            switch work {
            case .presenting(let request, _) where request.key == key: break
            case .waiting(let waiting) where waiting == key: break
            case .carryingOut where counter.isByHand:
                let counter = counter
                Task { await counter.cancel(key) }
                return
            default: return
            }
            work = .none
            finish(key, CounterResult(outcome: .canceled(reason), now: now))
        case .print(let receipts): receipts.forEach(onPrint)
        // This terminal begins without records.
        case .recover: break
        }
    }

    private func begin(_ request: TerminalRequest) {
        (now, cut) = (now.advanced(by: .seconds(1)), nil)
        let (counter, moment, currency) = (counter, now, options.currency)
        if counter.isByHand, request.operation.needsCard {
            work = .presenting(request, card: nil)
            return report(.waitingForCard, request.key)
        }
        if let amount = request.operation.cardAmount {
            let test = ZVTTestAmount(amount)
            cut = test.cut
            work = test.card.map { .presenting(request, card: $0) } ?? .waiting(request.key)
            return report(.waitingForCard, request.key)
        }
        work = .carryingOut
        report(.working, request.key)
        carryOut(request.key) { _ in
            guard request.operation.movesMoney else {
                return await counter.administer(request, in: currency, at: moment)
            }
            return await counter.change(request, at: moment)
        }
    }

    private func carryOut(
        _ key: IdempotencyKey,
        _ body: @escaping @Sendable (@escaping @Sendable (TerminalProgress) -> Void) async -> CounterResult
    ) {
        work = .carryingOut
        running = Task {
            let (steps, next) = AsyncStream.makeStream(of: TerminalProgress.self)
            // The steps arrive in their order, and all of them before the end.
            let telling = Task { for await step in steps { self.report(step, key) } }
            let result = await body { next.yield($0) }
            next.finish()
            await telling.value
            self.show(key, result)
        }
    }

    private func show(_ key: IdempotencyKey, _ result: CounterResult) {
        now = max(now, result.now)
        work = .showing(key, result.steps, result)
        goOn()
    }

    /// Does what waits for the till's answer to the step before.
    ///
    /// - Returns: Whether the terminal model may have work again.
    private func showNext() -> Bool {
        guard !zvt.isAwaitingAnswer else { return false }
        switch work {
        case .presenting(let request, let card):
            let (counter, moment) = (counter, now)
            carryOut(request.key) { report in
                await counter.take(request, with: card, at: moment, report: report)
            }
            return false
        case .showing(let key, let steps, let result):
            guard let step = steps.first else {
                work = .none
                finish(key, result)
                return true
            }
            work = .showing(key, Array(steps.dropFirst()), result)
            report(step, key)
            return true
        case .none, .waiting, .carryingOut: return false
        }
    }

    private func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? model.report(progress, of: key)
        obey(zvt.update(&model))
    }

    private func finish(_ key: IdempotencyKey, _ result: CounterResult) {
        guard let outcome = result.outcome else { return report(.recovering, key) }
        let date = now.civil(offsetSeconds: 0)
        do throws(TerminalRefusal) { try model.finish(key, outcome, at: date) } catch {
            // An end that the model refuses is not one: the request stays open.
            return report(.recovering, key)
        }
        obey(zvt.update(&model))
        model.keep(newest: ZVTWires.mostRecords, standing: true)
    }
}
