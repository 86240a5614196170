import Determinism
import Money
import Payments
import Simulator
import Storage
import Synchronization

@testable import Yosemite

/// A way in which a till moves money, or tries to.
enum MoneyMove: String, CaseIterable, Sendable {
    case approved, declined
    /// The host approves, and the card then refuses.
    case voided
    /// The answer is lost, and the till takes the request back.
    case reversed
    /// Neither the request nor its reversal is answered.
    case unknown
    /// The card approves without the issuer, which gets the advice at once, or later by recovery.
    case offline, offlineAdvisedLater
    case refund
    /// The answer about the refund is lost, and that of its reversal.
    case refundUnknown
    /// An amount is held, raised, and then taken or given back.
    case captured, canceled

    var card: String { self == .offline || self == .offlineAdvisedLater ? "offline-approve" : "visa-credit" }

    func plan(_ plan: inout TestTill.Plan) throws {
        switch self {
        case .approved, .refund, .captured, .canceled: break
        case .declined: plan.rules = "rules: [{ answer: { responseCode: \"51\" } }]"
        case .voided:
            plan.change = { $0.applications[0].risk.requiresIssuerAuthentication = true }
            plan.rules = "rules: [{ answer: { arpc: none } }]"
        case .reversed: plan.faults = [IssuerFaultRule(.answerLost, messages: [.authorize], times: 1)]
        case .unknown:
            plan.faults = [
                IssuerFaultRule(.answerLost, messages: [.authorize], times: 1),
                IssuerFaultRule(.requestLost, messages: [.reverse], times: 1),
            ]
        case .offline: plan.terminal = try .offlineCapable()
        case .offlineAdvisedLater:
            plan.terminal = try .offlineCapable()
            plan.faults = [IssuerFaultRule(.answerLost, messages: [.advise], times: 1)]
        case .refundUnknown:
            plan.faults = [IssuerFaultRule(.answerLost, messages: [.refund, .reverse], times: 2)]
        }
    }

    /// Does it, and shows each result as soon as a person would see it.
    func run(_ till: TestTill, show: (Payment) throws -> Void) async throws {
        switch self {
        case .approved, .declined, .voided, .reversed, .unknown, .offline, .offlineAdvisedLater:
            try show(try await till.pay())
        case .refund, .refundUnknown:
            let paid = try await till.pay()
            try show(paid)
            try show(try await till.refund(paid, "5.00"))
        case .captured, .canceled:
            try await till.connect()
            let request = PaymentRequest(amount: try usd("150.00"), holdDuration: .seconds(7 * 86_400))
            let held: Payment = try await till.perform { done in
                .collectPayment(
                    request: request, onCardReaderMessage: { till.take($0) { _ in } },
                    onProcessingCompletion: { _ in }, onCompletion: done)
            }
            try show(held)
            let more = try usd("20.00")
            try show(
                try await till.perform {
                    .incrementPreauthorization(
                        paymentID: held.id, amount: more, holdDuration: nil, onCompletion: $0)
                })
            if self == .captured {
                let part = try usd("80.00")
                try show(
                    try await till.perform {
                        .capturePreauthorization(paymentID: held.id, amount: part, onCompletion: $0)
                    })
            } else {
                try show(try await till.perform { .cancelPreauthorization(paymentID: held.id, onCompletion: $0) })
            }
        }
    }
}

/// What the journal had about a payment when a person was shown its result.
struct ShownResult: Sendable {
    var payment: PaymentID
    var outcome: Payment.Outcome
    /// The states that each attempt had entered.
    var states: [Int64: [AttemptState]] = [:]
    var receipts: Int

    init(_ payment: Payment, in journal: PaymentJournal) throws {
        (self.payment, outcome) = (payment.id, payment.outcome)
        for attempt in try journal.attempts(of: payment.id) {
            states[attempt.id] = try journal.transitions(of: attempt.id).map(\.state)
        }
        receipts = try journal.receipts(of: payment.id).count
    }
}

/// The issuer's entries and the results that people were shown, which no power cut takes back, and the order in which
/// they happened among the writes of the disk.
final class Witness: Sendable {
    private struct Known {
        var entries: [IssuerLedgerEntry] = []
        var shown: [ShownResult] = []
    }

    private let disk: CrashDisk
    private let known = Mutex(Known())

    init(_ disk: CrashDisk) { self.disk = disk }

    func add(_ entry: IssuerLedgerEntry) {
        known.withLock { known in
            known.entries.append(entry)
            disk.mark(Int64(known.entries.count))
        }
    }

    func add(_ shown: ShownResult) {
        known.withLock { known in
            known.shown.append(shown)
            disk.mark(-Int64(known.shown.count))
        }
    }

    var entries: [IssuerLedgerEntry] { known.withLock { $0.entries } }
    var shown: [ShownResult] { known.withLock { $0.shown } }
}

/// A payment on a recorded disk, from its first write to its last one.
struct RecordedPayment: Sendable {
    var base: DiskImage
    var records: [DiskRecord]
    var entries: [IssuerLedgerEntry]
    var shown: [ShownResult]

    /// Does what `move` says. With `checkpoints`, another process moves the log into the database before each message
    /// to the host.
    static func make(
        _ move: MoneyMove, durability: Durability = .full, checkpoints: Bool = false
    ) async throws -> RecordedPayment {
        let recorder = try DiskRecorder(move, durability: durability, checkpoints: checkpoints)
        let till = try recorder.till()
        try await move.run(till) { recorder.witness.add(try ShownResult($0, in: till.journal)) }
        return recorder.recorded
    }

    /// What the issuer had and people knew after so many records.
    func known(at moment: Int) -> (entries: [IssuerLedgerEntry], shown: [ShownResult]) {
        var (entries, shown) = (0, 0)
        for record in records.prefix(moment) {
            guard case .mark(let number) = record.request else { continue }
            if number > 0 { entries = Int(number) } else { shown = Int(-number) }
        }
        return (Array(self.entries.prefix(entries)), Array(self.shown.prefix(shown)))
    }
}

/// A recorded disk with an empty database, and the till that uses it.
struct DiskRecorder: Sendable {
    let disk: CrashDisk
    let witness: Witness
    private let database: TestDatabase
    private let move: MoneyMove
    private let durability: Durability
    private let checkpoints: Bool

    init(_ move: MoneyMove, durability: Durability = .full, checkpoints: Bool = false) throws {
        (self.move, self.durability, self.checkpoints) = (move, durability, checkpoints)
        database = try TestDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 1))
        disk = try CrashDisk(recording: database.path)
        witness = Witness(disk)
    }

    func till() throws -> TestTill {
        try TestTill(move.card) { plan in
            try move.plan(&plan)
            plan.database = database
            plan.durability = durability
            plan.onEntry = { [witness] in witness.add($0) }
            guard checkpoints else { return }
            plan.wrap = { [disk] in MeddlingHost(host: $0, before: { disk.checkpoint() }) }
        }
    }

    var recorded: RecordedPayment {
        RecordedPayment(
            base: disk.base, records: disk.records(), entries: witness.entries, shown: witness.shown)
    }
}
