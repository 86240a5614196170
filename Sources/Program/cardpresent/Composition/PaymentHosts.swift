import Determinism
import FoundationEssentials
import Glibc
import Money
import Payments
import Simulator
import Storage
import TillConfiguration
import Yosemite

/// Creates the payment host.
enum HostFactory {
    /// The name of the simulated issuer in the journal.
    static let simulatedName = "simulated"
    /// The name of a host that speaks ISO 8583 in the journal.
    static let iso8583Name = "iso8583"

    /// Creates the host of the configuration.
    ///
    /// - Throws: `CommandFailure`
    static func host(
        _ settings: TillConfiguration, beside database: String, journal: PaymentJournal,
        environment: any PaymentEnvironment, rules: IssuerRules, trace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> any PaymentHost {
        switch settings.host {
        case .simulated: try simulatedIssuer(beside: database, environment: environment, rules: rules)
        case .iso8583 where !settings.otherHosts.isEmpty:
            try await routed(settings, journal, clock: environment.time, pinPad: environment.pinPad, trace: trace)
        case .iso8583(let acquirer):
            try await Self.acquirer(
                acquirer, settings, clock: environment.time, pinPad: environment.pinPad, trace: trace)
        }
    }

    /// Creates the simulated issuer. Its book is a file beside the database, so that the next command continues it.
    private static func simulatedIssuer(
        beside database: String, environment: any PaymentEnvironment, rules: IssuerRules
    ) throws(CommandFailure) -> any PaymentHost {
        do {
            let keys = try TestKeys.embedded()
            // The issuer knows the card in the reader and the built-in cards.
            return try SimulatedIssuer(
                name: simulatedName, accounts: try environment.card?.issuerAccounts(keys: keys) ?? [],
                library: CardProfileLibrary.allNames.filter { $0 != environment.card?.name }, rules: rules, keys: keys,
                time: environment.time, random: environment.random.stream("host"),
                ledgerPath: ledgerPath(beside: database))
        } catch let error as IssuerLedgerError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot create the simulated issuer: \(error)")
        }
    }

    /// Loads the issuer's ledger of a database; empty when there is none.
    ///
    /// - Throws: `CommandFailure`; also when the database does not exist.
    static func book(beside database: String) throws(CommandFailure) -> IssuerLedger {
        guard FileManager.default.fileExists(atPath: database) else {
            throw CommandFailure(StorageError.missing(path: database))
        }
        do throws(IssuerLedgerError) {
            return try IssuerLedger(path: ledgerPath(beside: database))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Loads the issuer's ledger of a database when that takes a moment only; nil when it is large, or can't be read.
    static func shortBook(beside database: String) -> IssuerLedger? {
        var file = stat()
        guard stat(ledgerPath(beside: database), &file) != 0 || file.st_size < longestShortBook else { return nil }
        return try? book(beside: database)
    }

    /// In bytes: about ten thousand payments.
    private static let longestShortBook: off_t = 4 << 20

    private static func ledgerPath(beside database: String) -> String { database + ".issuer" }
}

extension CommandFailure {
    fileprivate init(_ error: IssuerLedgerError) {
        switch error {
        case .system: self.init(.unavailable, code: "issuer_ledger", message: error.description)
        case .busy: self.init(.tryAgain, code: "issuer_ledger", splitting: error.description)
        case .malformedLine: self.init(.badData, code: "issuer_ledger", splitting: error.description)
        }
    }
}

/// The payment host of a command that takes no payments. Sends nothing.
struct NoHost: PaymentHost {
    let name = "none"

    private static let refusal = PaymentHostError.notSent("this command takes no payments")

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse { throw Self.refusal }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) { throw Self.refusal }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { throw Self.refusal }

    func inquire(
        _ key: IdempotencyKey, identity: MessageIdentity?
    ) async throws(PaymentHostError) -> InquiryResult { throw Self.refusal }

    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] { throw Self.refusal }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        throw Self.refusal
    }
}

extension Till {
    /// Every attempt that went to the simulated issuer, in the order of the payments.
    ///
    /// - Throws: `CommandFailure`
    func attemptsAtIssuer() async throws(CommandFailure) -> [TillAttempt] {
        try await attempts(at: HostFactory.simulatedName).map(\.till)
    }

    /// Every attempt that went to a host, in the order of the payments: as the journal has it, and for a comparison.
    ///
    /// - Throws: `CommandFailure`
    func attempts(at host: String) async throws(CommandFailure) -> [(attempt: PaymentAttempt, till: TillAttempt)] {
        var attempts: [(attempt: PaymentAttempt, till: TillAttempt)] = []
        for payment in try await payments(limit: nil).reversed() {
            let history = try await self.payment(payment.id)
            let all = history.attempts.map(\.attempt)
            let sale = all.last { $0.kind == .sale && $0.state == .captured }
            for attempt in all where attempt.hostName == host {
                let kind: TillAttempt.Kind = attempt.kind == .refund ? .refund : .sale
                let compared = TillAttempt(
                    key: attempt.key, payment: payment.name, kind: kind, original: kind == .refund ? sale?.key : nil,
                    amount: attempt.amount, outcome: TillAttempt.Outcome(attempt),
                    isIncrement: attempt.kind == .increment)
                attempts.append((attempt, compared))
            }
        }
        return attempts
    }

    /// The identities that the database had before, oldest first.
    ///
    /// - Throws: `CommandFailure`
    func formerIdentities() throws(CommandFailure) -> [FormerIdentity] {
        do throws(JournalError) {
            return try PaymentJournal(reading: storage).formerIdentities()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension Till {
    /// Returns the losses of restored backups that people have accepted, oldest first.
    ///
    /// - Throws: `CommandFailure`
    func acceptedLosses() throws(CommandFailure) -> [AcceptedLoss] {
        do throws(JournalError) {
            return try PaymentJournal(reading: storage).acceptedLosses()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Records that a person accepts what only the issuer has.
    ///
    /// - Throws: `CommandFailure`
    func accept(
        _ differences: [IssuerReconciliation.Difference], reason: String, at moment: Timestamp
    ) throws(CommandFailure) {
        do throws(JournalError) {
            try PaymentJournal(reading: storage).acceptLosses(
                differences.compactMap(LostAttempt.init), reason: reason, at: moment)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension LostAttempt {
    /// Creates the attempt that a backup lost; nil when the till has it, or when its amount is not one that a till can
    /// have sent.
    init?(_ difference: IssuerReconciliation.Difference) {
        guard difference.kind == .unknownToTill, let issuer = difference.issuer,
            let currency = try? Currency(code: issuer.currency),
            let amount = try? Money(minorUnits: issuer.minorUnits + issuer.held, currency: currency)
        else { return nil }
        self.init(
            key: difference.key, hostName: HostFactory.simulatedName, kind: issuer.isRefund ? .refund : .sale,
            amount: amount)
    }
}

extension TillAttempt.Outcome {
    fileprivate init(_ attempt: PaymentAttempt) {
        self =
            switch attempt.state {
            case .captured: .moved
            case .authorized: .unreported
            // The sale of an increment holds the sum.
            case .authorizedOnly: attempt.kind == .increment ? .notMoved : .held
            case .declined, .canceled, .failed: .notMoved
            case .reversed: .reversed
            case .created, .authorizing, .reversing, .unknown: .open
            }
    }
}

/// Opens the exception file and the payment history of cards.
enum CardFiles {
    /// Returns the card history for the kernel's risk management.
    ///
    /// - Throws: `CommandFailure`
    static func history(
        in storage: any StorageManagerType, _ settings: TillConfiguration, _ time: any TimeSource
    ) throws(CommandFailure) -> StoredCardHistory {
        let register = CardRegister(storage: storage)
        let key = try key(of: register)
        do throws(StorageError) {
            return try StoredCardHistory(register: register, key: key, window: settings.splitSaleWindow, time: time)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// - Throws: `CommandFailure`
    static func register(_ data: DatabaseOptions, for use: DatabaseUse) throws(CommandFailure) -> CardRegister {
        CardRegister(storage: try use.open(try data.path()))
    }

    /// Returns the key of the card hashes. It is stored, so it never comes from a seed, which can be guessed.
    ///
    /// - Throws: `CommandFailure`
    static func key(of register: CardRegister) throws(CommandFailure) -> CardKey {
        do throws(CardKeyError) {
            return try CardKey.open(for: register, random: SystemRandomSource())
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: CardKeyError) {
        switch error {
        case .storage(let error): self.init(error)
        case .missing, .anotherKey, .malformed:
            self.init(.badData, code: "card_key", splitting: error.description)
        case .readableByOthers, .system: self.init(.unavailable, code: "card_key", splitting: error.description)
        }
    }
}
