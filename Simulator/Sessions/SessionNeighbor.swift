import Payments
import Simulator
import Storage
import Synchronization
import Yosemite

/// The second till of a session: a process on the same database that works beside the one that takes payments. It has
/// no reader.
final class SessionNeighbor: Sendable {
    private struct State {
        var process: SessionProcess?
        var starts = 0
    }

    private let state = Mutex(State())

    /// The numbers of its processes, which differ from those of the till that takes payments.
    private static let firstNumber = 1001

    /// Returns its process, and starts one when none runs; nil when it can't start.
    func running(in world: SessionWorld) -> SessionProcess? {
        if let process = state.withLock({ $0.process }), process.life.isAlive { return process }
        let number = state.withLock { state in
            state.starts += 1
            return Self.firstNumber + state.starts - 1
        }
        let process = try? SessionProcess(number: number, in: world)
        state.withLock { $0.process = process }
        return process
    }

    /// Takes its process away.
    func take() -> SessionProcess? {
        state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
    }

    /// Ends its process, if one runs.
    func leave() async {
        guard let process = take(), process.life.isAlive else { return }
        await process.end()
    }
}

extension SimulatedSession {
    /// Lets the second till begin something, and does not wait for its end. Don't call it within a transaction.
    func performAtNeighbor(_ act: NeighborAct) {
        guard act != .crash else {
            if let process = neighbor.take() {
                world.log.note(.crash)
                process.die()
            }
            return
        }
        guard let process = neighbor.running(in: world) else { return }
        let (world, first) = (world, world.log.count)
        let committed = process.life.committedAttempts.count
        let tell: @Sendable (SessionTelling.Command, SessionTelling.Answer) -> Void = {
            [weak process] command, answer in
            guard let process, process.life.isAlive else { return }
            world.tellings.add(
                SessionTelling(
                    command, answer, attempts: Array(process.life.committedAttempts.dropFirst(committed)),
                    wasSent: false, events: first..<max(first, world.log.count)))
        }
        let action: CardPresentPaymentsAction
        switch act {
        case .start, .crash: return
        case .recover:
            action = .recoverPayments(onCompletion: { result in
                switch result {
                case .success(let report): tell(.recover, .recovery(report))
                case .failure(let error): tell(.recover, .failure(.payments(error)))
                }
            })
        case .settle: action = .syncOrderPayments(paymentID: nil, onCompletion: { _ in })
        case .refund:
            let journal = PaymentJournal(reading: process.records)
            let captured = (try? journal.payments())?.first { [.captured, .partiallyRefunded].contains($0.state) }
            guard let captured else { return }
            action = .refundPayment(
                paymentID: captured.id, amount: nil,
                onCompletion: { result in
                    switch result {
                    case .success(let payment):
                        tell(.refund, .payment(payment, try? journal.history(of: payment.id)))
                    case .failure(let error): tell(.refund, .failure(.payments(error)))
                    }
                })
        }
        try? process.stores.dispatch(action)
    }
}
