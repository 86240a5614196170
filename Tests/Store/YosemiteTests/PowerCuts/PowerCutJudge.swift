import Determinism
import Foundation
import Money
import Payments
import Simulator
import Storage

@testable import Yosemite

/// Opens what a power cut left with the shipped code, recovers against the issuer as it was, and compares.
struct PowerCutJudge {
    private let accounts: [IssuerAccount]
    private let keys: TestKeys

    init(_ move: MoneyMove) throws {
        keys = try TestKeys.embedded()
        var profile = try CardProfileLibrary.profile(move.card)
        var plan = TestTill.Plan()
        try move.plan(&plan)
        plan.change(&profile)
        accounts = try profile.issuerAccounts(keys: keys)
    }

    /// Judges the images of some cuts.
    ///
    /// - Returns: what is wrong, with the cut; empty when everything is right.
    func judge(_ payment: RecordedPayment, at cuts: [DiskCut]) async throws -> [String] {
        var (findings, seen): ([String], Set<Int>) = ([], [])
        try await payment.records.forEachImage(of: payment.base, at: cuts) { cut, image in
            let (entries, shown) = payment.known(at: cut.moment)
            var hasher = Hasher()
            for (name, bytes) in image.sorted(by: { $0.key < $1.key }) {
                hasher.combine(name)
                bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            }
            hasher.combine(entries.count)
            hasher.combine(shown.count)
            guard seen.insert(hasher.finalize()).inserted else { return }
            for finding in try await judge(image, entries: entries, shown: shown) {
                findings.append("after \(cut.moment) records, \(cut.cut): \(finding)")
            }
        }
        return findings
    }

    /// Judges one image, with the issuer's ledger and what people knew at the power cut, in order.
    func judge(
        _ image: DiskImage, entries: [IssuerLedgerEntry], shown: [ShownResult]
    ) async throws -> [String] {
        let database = try TestDatabase()
        let folder = URL(fileURLWithPath: database.path).deletingLastPathComponent()
        for (name, bytes) in image { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        let storage: SQLiteStorageManager
        do throws(StorageError) {
            storage = try SQLiteStorageManager(
                path: database.path, durability: .off, random: SeededRandomSource(seed: 2))
        } catch {
            return ["the database does not open: \(error)"]
        }
        defer { storage.close() }
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        var findings = try lost(shown, journal)
        let clock = SimulationClock()
        let random = SeededRandomSource(seed: 2)
        let issuer = try SimulatedIssuer(
            accounts: accounts, keys: keys, time: clock, random: random.stream("host"), entries: entries)
        let recovery = PaymentRecovery(
            journal: journal, host: JournalingPaymentHost(host: issuer, journal: journal, time: clock),
            identity: TillIdentity(journal: journal, host: issuer, time: clock, random: random.stream("identity")),
            receipts: ReceiptWriter(
                merchant: Merchant(name: "Corner Shop", merchantID: "M1", terminalID: "00000001"), languages: [],
                journal: journal, time: clock),
            time: clock)
        let report = try await recovery.run()
        if !report.restored.isEmpty { findings.append("the database counts as a restored backup") }
        if !report.open.isEmpty || !report.failed.isEmpty {
            findings.append("recovery leaves \(report.open.map(\.id)) open, and fails with \(report.failed)")
        }
        findings += try await compare(journal, try await issuer.ledger(), shown)
        if try await recovery.run() != RecoveryReport() { findings.append("recovery finds something to do again") }
        if !CrashDisk.isSound(database.path) { findings.append("the database is not sound") }
        return findings
    }

    /// What people were shown, and the journal has lost.
    private func lost(_ shown: [ShownResult], _ journal: PaymentJournal) throws -> [String] {
        var findings: [String] = []
        for result in shown {
            for (attempt, states) in result.states.sorted(by: { $0.key < $1.key }) {
                let kept = try journal.transitions(of: attempt).map(\.state)
                guard !kept.starts(with: states) else { continue }
                findings.append("\(result.payment) was shown as \(result.outcome): \(states) became \(kept)")
            }
            if try journal.receipts(of: result.payment).count < result.receipts {
                findings.append("a receipt of \(result.payment) is lost")
            }
        }
        return findings
    }

    /// What the journal and the issuer's ledger do not agree about, after recovery.
    private func compare(
        _ journal: PaymentJournal, _ book: IssuerLedger, _ shown: [ShownResult]
    ) async throws -> [String] {
        var findings: [String] = []
        var compared: [TillAttempt] = []
        for payment in try journal.payments() {
            let attempts = try journal.attempts(of: payment.id)
            compared += Self.tillAttempts(attempts, of: payment)
            let charges = attempts.filter { attempt in
                attempt.kind == .sale && (book.charged(attempt.key) > 0 || book.held(attempt.key) > 0)
            }
            if charges.count > 1 { findings.append("\(payment.id) is charged \(charges.count) times") }
        }
        if book.chargeCount > 1 { findings.append("the card is charged \(book.chargeCount) times") }
        let reconciliation = IssuerReconciliation(till: compared, issuer: book)
        if !reconciliation.agrees || reconciliation.hasOpen {
            findings.append("the books differ: \(reconciliation.differences.map { "\($0.kind) \($0.key)" })")
        }
        for result in shown {
            for (attempt, states) in result.states where states.last?.isFinal == true {
                let now = try journal.transitions(of: attempt).map(\.state)
                if now != states { findings.append("\(result.payment) was shown as final: \(states) became \(now)") }
            }
        }
        return findings
    }

    private static func tillAttempts(_ attempts: [PaymentAttempt], of payment: Payment) -> [TillAttempt] {
        let sale = attempts.last { $0.kind == .sale && $0.state == .captured }
        return attempts.map { attempt in
            let outcome: TillAttempt.Outcome =
                switch attempt.state {
                case .captured: .moved
                case .authorized: .unreported
                case .authorizedOnly: attempt.kind == .increment ? .notMoved : .held
                case .declined, .canceled, .failed: .notMoved
                case .reversed: .reversed
                case .created, .authorizing, .reversing, .unknown: .open
                }
            return TillAttempt(
                key: attempt.key, payment: "\(payment.id)", kind: attempt.kind == .refund ? .refund : .sale,
                original: attempt.kind == .refund ? sale?.key : nil, amount: attempt.amount, outcome: outcome)
        }
    }
}
