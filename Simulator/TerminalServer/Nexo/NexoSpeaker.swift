import Determinism
import NexoTerminal
import Payments
import Terminal

/// Terminals behind the nexo-compatible protocol, whatever drives their readers.
protocol NexoSpeaker: Actor, DeliverySource where Delivery == NexoDelivery {
    var account: NexoTerminal { get set }
    /// The calls that wait for their answers.
    var calls: AnswerBook<NexoAnswer> { get set }
    /// The time of the terminals.
    var moment: Timestamp { get }
    /// Whether nothing goes on any more: connections are closed instead.
    var isBroken: Bool { get }

    /// Says that a request has arrived, for terminals whose time goes on with requests.
    func note(_ request: NexoRequest)
    /// Notes whether the card reader of this machine is there.
    func lookForReader() async
    /// Carries out the work of the account, and gives the answers that have come.
    func carryOn()
    /// Ends what runs.
    func close() async
}

extension NexoSpeaker {
    /// A simulated reader is always there.
    func lookForReader() async {}

    /// Answers a request, when its terminal has done its work. Nil when the connection is to be closed instead, and
    /// when the task is canceled before.
    func respond(to request: NexoRequest) async -> NexoAnswer? {
        await lookForReader()
        guard !isBroken else { return nil }
        let call = calls.next()
        note(request)
        account.receive(request, call: call, at: moment)
        carryOn()
        if let answer = calls.takeReady() { return answer }
        guard !isBroken else { return nil }
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

    /// Tells a step. The calls that wait for it are answered.
    func tell(_ step: TerminalProgress, _ key: IdempotencyKey) {
        report(step, key)
        carryOn()
    }

    func report(_ progress: TerminalProgress, _ key: IdempotencyKey) {
        // A step that the model refuses says nothing new.
        try? account.report(progress, of: key, at: moment)
    }

    /// Says how a request ended, in a local time so many seconds east of UTC.
    func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome, offset: Int) {
        let now = moment
        do throws(TerminalRefusal) {
            try account.finish(key, outcome, on: now.civil(offsetSeconds: offset), at: now)
        } catch {
            // An end that the model refuses is not one: the request stays open.
            report(.recovering, key)
        }
    }
}
