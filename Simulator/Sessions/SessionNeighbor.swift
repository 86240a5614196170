import Concurrency
import Hardware
import Payments
import Simulator
import Storage
import Synchronization
import Yosemite

/// The second till of a session: a process that works beside the one that the steps are about, on the same database or
/// on its own. It takes payments when ``SessionPlan/secondTill`` gives it a reader.
final class SessionNeighbor: Sendable {
    private struct State {
        var process: SessionProcess?
        var starts = 0
        /// Its records, which outlive its process; nil before the first one.
        var records: SQLiteStorageManager?
        /// The number of the process that has connected the reader; nil for none.
        var connected: Int?
        /// The acts that have begun or wait.
        var acts = 0
    }

    private let state = Mutex(State())
    /// Its clerk does one thing after the other.
    private let clerk = KeyedSerialQueue<TillPlace>()

    /// The numbers of its processes, which differ from those of the first till.
    static let firstNumber = 1001

    /// Its records; nil when it never ran.
    var records: SQLiteStorageManager? { state.withLock { $0.records } }

    /// Whether it is doing something.
    var isBusy: Bool { state.withLock { $0.acts > 0 } }

    /// Returns its process, and starts one when none runs.
    ///
    /// - Throws: ``SimulatedSessionError`` when it can't start.
    func running(in world: SessionWorld) throws(SimulatedSessionError) -> SessionProcess {
        if let process = state.withLock({ $0.process }), process.life.isAlive { return process }
        let number = state.withLock { state in
            state.starts += 1
            return Self.firstNumber + state.starts - 1
        }
        let process = try SessionProcess(number: number, in: world, till: .second)
        state.withLock { state in
            (state.process, state.records) = (process, process.records)
        }
        return process
    }

    /// Whether this is its first process.
    static func isFirst(_ number: Int) -> Bool { number == firstNumber }

    /// Returns whether a process has connected the reader.
    func isConnected(_ process: SessionProcess) -> Bool { state.withLock { $0.connected == process.life.number } }

    /// Notes whether a process has connected the reader.
    func note(connected isConnected: Bool, _ process: SessionProcess) {
        state.withLock { $0.connected = isConnected ? process.life.number : nil }
    }

    /// Runs an act when the earlier ones have ended.
    func run(_ act: @escaping @Sendable () async -> Void) async {
        state.withLock { $0.acts += 1 }
        await clerk.run(.second) { () async throws(Never) in await act() }
        state.withLock { $0.acts -= 1 }
    }

    /// Takes its process away.
    func take() -> SessionProcess? {
        state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
    }

    /// The process, if one runs.
    var process: SessionProcess? { state.withLock { $0.process } }

    /// Ends its process, if one runs.
    func leave() async {
        guard let process = take(), process.life.isAlive else { return }
        await process.end()
    }
}

extension SimulatedSession {
    /// Lets the second till do something. Don't call it within a transaction.
    func performAtNeighbor(_ act: NeighborAct) async {
        switch act {
        case .crash:
            guard let process = neighbor.take() else { return }
            world.log.note(.crash)
            process.die()
        case .cancel:
            try? neighbor.process?.stores.dispatch(CardPresentPaymentsAction.cancelPayment(onCompletion: { _ in }))
        case .start: _ = try? neighbor.running(in: world)
        case .recover:
            await atNeighbor { (session, process) async throws(SimulatedSessionError) in
                _ = try await session.recover(at: process)
            }
        case .settle:
            await atNeighbor { (session, process) async throws(SimulatedSessionError) in
                try await session.settle(at: process)
            }
        case .refund:
            await atNeighbor { (session, process) async throws(SimulatedSessionError) in
                try await session.refundFirst(at: process)
            }
        }
    }

    /// Lets a customer pay at the second till. Don't call it within a transaction.
    func payAtNeighbor(_ bill: SessionBill) async {
        await atNeighbor { (session, process) async throws(SimulatedSessionError) in
            let words: String
            do throws(SimulatedSessionError) {
                let payment = try await session.pay(bill, at: process)
                words = ([payment.name, payment.outcome.rawValue] + (payment.errorCode.map { [$0] } ?? []))
                    .joined(separator: " ")
            } catch {
                // The reader may be gone.
                session.neighbor.note(connected: false, process)
                words = "nothing: \(error)"
            }
            session.world.log.note(.act, "neighbor_paid \(words)")
        }
    }

    /// Recovers and settles at a second till with its own database, of which the first till knows nothing. Does nothing
    /// while the second till works, or when it never ran.
    func followAtNeighbor(recovers: Bool, settles: Bool) async throws(SimulatedSessionError) {
        guard world.plan.secondTill?.ownsDatabase == true, neighbor.records != nil, !neighbor.isBusy else { return }
        let process = try neighbor.running(in: world)
        if recovers { _ = try await recover(at: process) }
        if settles { try await settle(at: process) }
    }

    /// Lets the process of the second till work, after what it does already.
    private func atNeighbor(
        _ work: @escaping @Sendable (SimulatedSession, SessionProcess) async throws(SimulatedSessionError) -> Void
    ) async {
        guard let process = try? neighbor.running(in: world) else { return }
        await neighbor.run { [self] in
            // It may have died while this waited.
            guard process.life.isAlive else { return }
            // The clerk there has seen what failed.
            try? await work(self, process)
        }
    }

    private func recover(at process: SessionProcess) async throws(SimulatedSessionError) -> RecoveryReport {
        try await telling(
            at: process,
            recovery: { () async throws(SimulatedSessionError) in
                try await perform(at: process) { .recoverPayments(onCompletion: $0) }
            })
    }

    private func settle(at process: SessionProcess) async throws(SimulatedSessionError) {
        let _: OrderPaymentReport = try await perform(at: process) {
            .syncOrderPayments(paymentID: nil, onCompletion: $0)
        }
    }

    private func refundFirst(at process: SessionProcess) async throws(SimulatedSessionError) {
        let payments = try? PaymentJournal(reading: process.records).payments()
        guard let captured = payments?.first(where: { [.captured, .partiallyRefunded].contains($0.state) }) else {
            return
        }
        let id = captured.id
        _ = try await telling(.refund, at: process) { () async throws(SimulatedSessionError) -> Payment in
            try await perform(at: process) { .refundPayment(paymentID: id, amount: nil, onCompletion: $0) }
        }
    }

    // MARK: A payment

    private func pay(
        _ bill: SessionBill, at process: SessionProcess
    ) async throws(SimulatedSessionError) -> Payment {
        guard let till = world.plan.secondTill else { throw .plan("the second till has no reader") }
        let (reader, card) = (try world.reader(till.reader), try world.card(till.card))
        let action = try collecting(bill, at: process)
        if !neighbor.isConnected(process) {
            _ = try await connectReader(reader, at: process)
            neighbor.note(connected: true, process)
        }
        world.bringPerson(with: card, to: reader, conduct: nil, presentsCard: true, at: .second)
        defer { world.person(at: .second).attendant.leave() }
        return try await telling(.pay, at: process) { () async throws(SimulatedSessionError) -> Payment in
            try await perform(at: process, action)
        }
    }

    private typealias Collecting =
        @Sendable (@escaping CardPresentPaymentsAction.Completion<Payment>) -> CardPresentPaymentsAction

    /// Returns the action that takes a payment, whose reader events are those of the second till.
    private func collecting(
        _ bill: SessionBill, at process: SessionProcess
    ) throws(SimulatedSessionError) -> Collecting {
        let standard = PaymentOptions()
        let onMessage: @Sendable (CardReaderEvent) -> Void = { [world, life = process.life] event in
            world.toldEvents(at: .second).add(event)
            let (kind, detail) = SessionEvent.words(event)
            life.note(kind, detail)
            world.person(at: .second).observe(event)
        }
        switch bill {
        case .amount(let amount):
            let request = PaymentRequest(
                amount: amount, cardTimeout: standard.cardTimeout, forcedOnline: false, holdDuration: nil,
                allowsPartial: false)
            return { onCompletion in
                .collectPayment(
                    request: request, onCardReaderMessage: onMessage,
                    onProcessingCompletion: { self.take(processed: $0) }, onCompletion: onCompletion)
            }
        case .order(let place):
            let orders = unpaidOrders
            guard orders.indices.contains(place - 1) else {
                throw .plan("there is no order \(place): the store has \(orders.count) unpaid ones")
            }
            let request = OrderPaymentRequest(
                siteID: SessionSite.siteID, orderID: orders[place - 1], expectedAmount: nil,
                cardTimeout: standard.cardTimeout, forcedOnline: false)
            return { onCompletion in
                .collectOrderPayment(
                    request: request, onCardReaderMessage: onMessage,
                    onProcessingCompletion: { self.take(processed: $0) }, onCompletion: onCompletion)
            }
        }
    }
}
