public import Payments
import Storage
import Synchronization
public import Yosemite

/// The answer of a command of a session's till to the person who gave it, and what the till recorded meanwhile.
public struct SessionTelling: Sendable {
    /// The command, by what it does.
    public enum Command: String, Hashable, Sendable, CaseIterable {
        /// Also a retry, and the payment of an order.
        case pay
        case refund
        /// Of a pre-authorization.
        case capture
        /// Of a pre-authorization.
        case increment
        /// Gives back what a pre-authorization holds.
        case cancelPayment = "cancel_payment"
        case recover
    }

    /// The answer of the command.
    public enum Answer: Sendable {
        /// The payment as it was recorded, and what a command reads of it afterward to name the result of its refund or
        /// increment: nil for a payment, and when it could not be read.
        case payment(Payment, PaymentHistory?)
        case recovery(RecoveryReport)
        case failure(SimulatedSessionError)
    }

    public var command: Command
    public var answer: Answer
    /// The numbers of the attempts whose states the process committed meanwhile, in the order of the commits.
    public var attempts: [Int64]
    /// Whether the reader showed meanwhile that the issuer is asked.
    public var wasSent: Bool
    /// The numbers of the session's events before the command, and when it was answered.
    public var events: Range<Int>
    /// The till that was given the command.
    public var till: TillPlace

    /// Takes what a command told. `events` are the numbers of events before it, and at its end.
    public init(
        _ command: Command, _ answer: Answer, attempts: [Int64], wasSent: Bool, events: Range<Int>,
        till: TillPlace = .first
    ) {
        (self.command, self.answer, self.attempts) = (command, answer, attempts)
        (self.wasSent, self.events, self.till) = (wasSent, events, till)
    }
}

/// A moment at which the till let the display show an approval.
public struct SessionDisplay: Hashable, Sendable {
    /// The key of the attempt.
    public var key: String
    /// The number of the session's events before.
    public var moment: Int

    public init(key: String, moment: Int) { (self.key, self.moment) = (key, moment) }
}

/// All that a session's tills have shown so far. It is no part of the log, whose events stay as they are.
final class SessionTellings: Sendable {
    private struct State {
        var tellings: [SessionTelling] = []
        var displays: [SessionDisplay] = []
        /// The number of events at each entry of the issuer's ledger.
        var entries: [Int] = []
    }

    private let state = Mutex(State())
    /// Whether they are kept.
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    var all: [SessionTelling] { state.withLock { $0.tellings } }
    var displays: [SessionDisplay] { state.withLock { $0.displays } }
    var entries: [Int] { state.withLock { $0.entries } }

    func add(_ telling: SessionTelling) { change { $0.tellings.append(telling) } }
    func add(_ display: SessionDisplay) { change { $0.displays.append(display) } }
    func noteEntry(at moment: Int) { change { $0.entries.append(moment) } }

    private func change(_ body: (inout State) -> Void) { if isKept { state.withLock { body(&$0) } } }
}

extension SimulatedSession {
    /// What the commands of the session have told so far, in order.
    public var tellings: [SessionTelling] { world.tellings.all }

    /// The approvals that the till has let the display show so far, in order.
    public var displays: [SessionDisplay] { world.tellings.displays }

    /// For each entry of ``issuerLedger()``, the number of the session's events when it was made.
    public var ledgerMoments: [Int] { world.tellings.entries }

    /// The numbers of the events of the second till's processes.
    public var eventsOfSecondTill: Set<Int> { world.log.eventsOfSecondTill }

    /// Notes that a till lets the display show an approval.
    func take(processed intent: PaymentIntent) {
        world.tellings.add(SessionDisplay(key: intent.key.rawValue, moment: world.log.count))
    }

    /// Performs a command of the till, or of another process, that is answered with a payment, and keeps what it told.
    func telling(
        _ command: SessionTelling.Command, at process: SessionProcess? = nil,
        _ body: () async throws(SimulatedSessionError) -> Payment
    ) async throws(SimulatedSessionError) -> Payment {
        try await telling(command, by: process ?? self.process, body) { payment, process in
            .payment(payment, command == .pay ? nil : process.history(of: payment.id, in: world))
        }
    }

    /// Performs a recovery of the till, or of another process, and keeps what it told.
    func telling(
        at process: SessionProcess? = nil,
        recovery body: () async throws(SimulatedSessionError) -> RecoveryReport
    ) async throws(SimulatedSessionError) -> RecoveryReport {
        try await telling(.recover, by: process ?? self.process, body) { report, _ in .recovery(report) }
    }

    private func telling<Value>(
        _ command: SessionTelling.Command, by process: SessionProcess,
        _ body: () async throws(SimulatedSessionError) -> Value,
        answer: (Value, SessionProcess) -> SessionTelling.Answer
    ) async throws(SimulatedSessionError) -> Value {
        let (first, committed) = (world.log.count, process.life.committedAttempts.count)
        do throws(SimulatedSessionError) {
            let value = try await body()
            tell(command, answer(value, process), by: process, from: first, committed)
            return value
        } catch {
            tell(command, .failure(error), by: process, from: first, committed)
            throw error
        }
    }

    private func tell(
        _ command: SessionTelling.Command, _ answer: SessionTelling.Answer, by process: SessionProcess,
        from first: Int, _ committed: Int
    ) {
        guard world.tellings.isKept else { return }
        let attempts = Array(process.life.committedAttempts.dropFirst(committed))
        let (till, seconds) = (process.life.till, world.log.eventsOfSecondTill)
        let wasSent = world.log.events.dropFirst(first).contains { event in
            event.kind == .authorizing && seconds.contains(event.number) == (till == .second)
        }
        world.tellings.add(
            SessionTelling(
                command, answer, attempts: attempts, wasSent: wasSent, events: first..<max(first, world.log.count),
                till: till))
    }
}

extension SessionProcess {
    /// Returns the attempts of a payment as a command reads them after its work; nil when it can't.
    fileprivate func history(of payment: PaymentID, in world: SessionWorld) -> PaymentHistory? {
        let storage = ProcessStorage(storage: records, disk: world.disk, life: life)
        return try? PaymentJournal(reading: storage).history(of: payment)
    }
}
