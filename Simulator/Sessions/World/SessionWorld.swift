internal import Amounts
internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import Storage
internal import Synchronization

/// Everything around the till in one session: what a process finds when it begins, and leaves when it dies.
final class SessionWorld: Sendable {
    let plan: SessionPlan
    let clock: SimulationClock
    let random: SeededRandomSource
    let log: SessionLog
    private let readerList: Mutex<[SessionReader]>
    let cards: [SessionCard]
    let issuer: SimulatedIssuer
    let site: SessionSite?
    let printServer: SessionPrintServer
    let disk: SessionDisk
    let person: SessionPerson
    let toldEvents = ToldEvents()
    let plannedActs = PlannedActs()
    let bus: SimulatedUSBBus
    private let pinPad: SimulatedPINPad
    private let records: Records
    private let processes = Mutex<[KnownProcess]>([])
    private let isOver = Atomic(false)
    private let authorityKeys: [CAPublicKey]
    private let revoked: [CertificateRevocation]

    /// Where the records are.
    private enum Records {
        /// No process takes them with it.
        case memory(SQLiteStorageManager)
        case file(String)
        /// The same, in a file.
        case shared(ReusableDatabase, SessionJournals)

        /// What they are beside; nil for memory.
        var path: String? {
            switch self {
            case .memory: nil
            case .file(let path): path
            case .shared(let database, _): database.storage.path
            }
        }
    }

    /// What the journal calls the simulated issuer, as in a shop.
    private static let issuerName = "simulated"

    /// - Throws: ``SimulatedSessionError/plan(_:)``, ``SimulatedSessionError/storage(_:)``
    init(_ plan: SessionPlan, clock: SimulationClock) throws(SimulatedSessionError) {
        try Self.check(plan)
        (self.plan, self.clock) = (plan, clock)
        random = SeededRandomSource(seed: plan.seed)
        log = SessionLog(clock, observer: plan.observer)
        bus = SimulatedUSBBus(clock: clock)
        let keys: TestKeys
        do throws(TestKeysError) { keys = try Self.keys.get() } catch { throw .plan(error.description) }
        do throws(StorageError) {
            records =
                switch plan.journal {
                case .memory: .memory(try SessionDatabases.take(random: random.stream("database")))
                case .file(let path): .file(try SessionDatabases.make(at: path, random: random.stream("database")))
                case .shared(let journals): .shared(try journals.take(random: random.stream("database")), journals)
                }
        } catch {
            throw .storage(error)
        }
        do {
            cards = try plan.cards.map { [random] in try SessionCard($0, keys: keys, random: random) }
            var accounts: [IssuerAccount] = []
            for card in cards { accounts += try card.profile.issuerAccounts(keys: keys) }
            issuer = try SimulatedIssuer(
                name: Self.issuerName, accounts: accounts, rules: plan.issuerRules, keys: keys, time: clock,
                random: random.stream("host"), ledgerPath: records.path.map { $0 + ".issuer" },
                faults: plan.issuerFaults)
            authorityKeys = try cards.flatMap { try $0.profile.certificationAuthorityKeys(keys) }
            revoked = cards.flatMap(\.profile.revokedCertificates)
            pinPad = try SimulatedPINPad(
                keys: keys, scheme: plan.till.pinPadScheme == .tdes ? .tripleDES : .aes,
                random: random.stream("pin pad"))
        } catch {
            throw .plan("\(error)")
        }
        let bus = bus
        person = SessionPerson(attendant: SessionAttendant(clock: clock, pinPad: pinPad))
        let readers = plan.readers.enumerated().map { SessionReader($0.element, port: $0.offset + 1, bus: bus) }
        readerList = Mutex(readers)
        site = plan.store.map { [random] in SessionSite($0, time: clock, random: random) }
        printServer = SessionPrintServer(plan.printer, clock: clock, log: log)
        disk = SessionDisk(plan.disk, clock: clock)
        for (reader, planned) in zip(readers, plan.readers) {
            watchSlots(of: reader)
            if planned.isPluggedIn { reader.plugIn() }
        }
    }

    private static let keys = Result { () throws(TestKeysError) in try TestKeys.embedded() }

    private static func check(_ plan: SessionPlan) throws(SimulatedSessionError) {
        guard !plan.readers.isEmpty else { throw .plan("a session needs a reader") }
        guard !plan.cards.isEmpty else { throw .plan("a session needs a card") }
        for names in [plan.readers.map(\.name), plan.cards.map(\.name)] where Set(names).count < names.count {
            throw .plan("two readers or two cards have the same name: \(names.joined(separator: ", "))")
        }
    }

    private func watchSlots(of reader: SessionReader) {
        let (log, name) = (log, reader.name)
        reader.parts.chip?.onSlotChange { _, hasCard in log.note(hasCard ? .cardIn : .cardOut, name) }
    }

    // MARK: Processes

    /// A process has begun.
    func note(_ process: SessionProcess) {
        processes.withLock { $0.append(KnownProcess(process: process)) }
    }

    /// How many processes are still in memory.
    var livingProcesses: Int { processes.withLock { $0.count { $0.process != nil } } }

    // MARK: What a process needs

    /// The records, opened by another process.
    func openStorage() throws(StorageError) -> SQLiteStorageManager {
        switch records {
        case .memory(let database): database
        case .shared(let database, _): database.storage
        case .file(let path): try SQLiteStorageManager(path: path, random: random.stream("database"))
        }
    }

    /// The session is over, and its last process dead: nobody has its records any more.
    func close() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        // What waits for an event may hold a reader, which holds the log to tell of its cards.
        log.forgetWatches()
        switch records {
        case .memory(let database): SessionDatabases.give(back: database)
        case .shared(let database, let journals): journals.give(back: database)
        case .file: break
        }
    }

    /// Refuses to look into records that belong to another session by now.
    ///
    /// - Throws: ``SimulatedSessionError/over``
    func checkIsOpen() throws(SimulatedSessionError) {
        if isOver.load(ordering: .sequentiallyConsistent) { throw .over }
    }

    /// A terminal that is to accept test cards knows the test certification authority.
    func terminal(for currency: Currency) -> TerminalConfiguration {
        plan.till.terminal(for: currency).adding(
            certificationAuthorityKeys: authorityKeys, revokedCertificates: revoked)
    }

    /// The issuer's book.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger {
        do throws(IssuerLedgerError) { return try await issuer.ledger() } catch { throw .plan("\(error)") }
    }

    // MARK: By name

    var readers: [SessionReader] { readerList.withLock { $0 } }

    /// Another reader is there from now on.
    func add(_ planned: PlannedReader) throws(SimulatedSessionError) {
        let known = readers
        guard !known.contains(where: { $0.name == planned.name }) else {
            throw .plan("there is a reader '\(planned.name)' already")
        }
        guard known.count < SimulatedUSBBus.mostDevices else {
            throw .plan("a USB bus has room for \(SimulatedUSBBus.mostDevices) devices")
        }
        let reader = SessionReader(planned, port: known.count + 1, bus: bus)
        readerList.withLock { $0.append(reader) }
        watchSlots(of: reader)
        if planned.isPluggedIn { reader.plugIn() }
    }

    func reader(_ name: String?) throws(SimulatedSessionError) -> SessionReader {
        guard let reader = name == nil ? readers.first : readers.first(where: { $0.name == name }) else {
            throw .noSuchReader(name ?? "", known: readers.map(\.name))
        }
        return reader
    }

    func card(_ name: String?) throws(SimulatedSessionError) -> SessionCard {
        guard let card = name == nil ? cards.first : cards.first(where: { $0.name == name }) else {
            throw .noSuchCard(name ?? "", known: cards.map(\.name))
        }
        return card
    }

    /// Somebody comes to a reader with a card.
    func bringPerson(
        with card: SessionCard, to reader: SessionReader, conduct: CardholderProfile?, presentsCard: Bool
    ) {
        var profile = card.profile
        if let conduct { profile.cardholder = conduct }
        let cardholder = SimulatedCardholder(
            profile: profile, card: card.chip, stripe: card.stripe, reader: reader.parts, clock: clock, pinPad: pinPad)
        person.change(to: cardholder, with: card, presentsCard: presentsCard)
    }
}
