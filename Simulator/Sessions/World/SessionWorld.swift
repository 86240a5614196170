import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import Hardware
import Money
import Simulator
import Storage
import Synchronization
import TillConfiguration
import USB
import Yosemite

/// Everything around the till in one session. It outlives the till's processes.
final class SessionWorld: Sendable {
    let plan: SessionPlan
    let clock: SimulationClock
    let random: SeededRandomSource
    let log: SessionLog
    private let readerList: Mutex<[SessionReader]>
    let cards: SessionCards
    let issuer: SimulatedIssuer
    /// The way to the issuer; nil when the till has it in its own process.
    private let wire: SessionWire?
    /// The faults of the way to the issuer that the till has in its own process.
    let link: SessionLink
    /// Whether the store's server runs.
    let siteServer: ServerLife
    /// The clock that the tills show and record.
    let wallClock: SessionWallClock
    let site: SessionSite?
    let printServer: SessionPrintServer
    let disk: SessionDisk
    /// The customer at the first till.
    let person: SessionCardholder
    private let secondPerson: SessionCardholder
    /// The events that the payments of the first till have reported.
    let toldEvents = ReportedEvents()
    private let secondToldEvents = ReportedEvents()
    let plannedActs = PlannedActs()
    let tellings: SessionTellings
    let bus: SimulatedUSBBus
    private let pinPad: SimulatedPINPad
    private let records: Records
    /// Those of a second till that has a database of its own.
    private let secondRecords: Records?
    private let processes = Mutex<[KnownProcess]>([])
    private let isOver = Atomic(false)
    private let authorityKeys: [CAPublicKey]
    private let ellipticKeys: [ECCAuthorityKey]
    /// The test certification authority's keys for tapped cards.
    let contactlessKeys: [ECCAuthorityKey]
    private let revoked: [CertificateRevocation]

    /// The location of the records.
    private enum Records {
        /// A database in memory, which survives the process.
        case memory(SQLiteStorageManager)
        case file(String)
        /// A database file from a pool, which survives the process.
        case shared(ReusableDatabase, SessionJournals)

        /// The path of the database; nil for memory.
        var path: String? {
            switch self {
            case .memory: nil
            case .file(let path): path
            case .shared(let database, _): database.storage.path
            }
        }
    }

    /// The simulated issuer's name in the journal, as in production.
    private static let issuerName = "simulated"

    /// - Throws: ``SimulatedSessionError/plan(_:)``, ``SimulatedSessionError/storage(_:)``
    init(_ plan: SessionPlan, clock: SimulationClock) throws(SimulatedSessionError) {
        try Self.check(plan)
        (self.plan, self.clock) = (plan, clock)
        (link, siteServer, wallClock) = (
            SessionLink(clock: clock), ServerLife(time: clock), SessionWallClock(clock)
        )
        random = SeededRandomSource(seed: plan.seed)
        log = SessionLog(
            clock, observer: plan.observer, tracer: plan.secondTill == nil ? plan.tracer : nil,
            keepsEvents: plan.keepsHistory)
        tellings = SessionTellings(isKept: plan.keepsHistory)
        bus = SimulatedUSBBus(clock: clock)
        let keys: TestKeys
        do throws(TestKeysError) { keys = try Self.keys.get() } catch { throw .plan(error.description) }
        do throws(StorageError) {
            records = try Self.records(plan.journal, random: random.stream("database"))
            secondRecords =
                try plan.secondTill?.ownsDatabase == true
                ? Self.records(plan.journal.beside, random: random.stream("second database")) : nil
        } catch {
            throw .storage(error)
        }
        do {
            cards = try SessionCards(plan, keys: keys, random: random)
            let profiles = plan.cards.map(\.profile)
            let accounts = try profiles.flatMap { try $0.issuerAccounts(keys: keys) }
            issuer = try SimulatedIssuer(
                name: Self.issuerName, accounts: accounts, rules: plan.issuerRules, keys: keys, time: clock,
                random: random.stream("host"), ledgerPath: records.path.map { $0 + ".issuer" },
                onEntry: { [log, tellings] entry in
                    tellings.noteEntry(at: log.count)
                    log.trace(TracedEvent(.book, entry.kind.rawValue, attempt: entry.key.attemptNumber))
                }, faults: plan.issuerFaults)
            wire = try plan.wire.map { [issuer, log, random] in
                try SessionWire(
                    $0, to: issuer, plan.till, keys: keys, clock: clock, random: random.stream("acquirer"), log: log)
            }
            authorityKeys = try profiles.flatMap { try $0.certificationAuthorityKeys(keys) }
            contactlessKeys = try CardProfile.contactlessAuthorityKeys(of: profiles)
            ellipticKeys = try profiles.flatMap { try $0.ellipticAuthorityKeys() }
            revoked = profiles.flatMap(\.revokedCertificates)
            pinPad = try SimulatedPINPad(
                keys: keys, scheme: plan.till.pinPadScheme == .tdes ? .tripleDES : .aes,
                random: random.stream("pin pad"))
        } catch {
            throw .plan("\(error)")
        }
        let bus = bus
        person = SessionCardholder(attendant: ManualCardholder(clock: clock, pinPad: pinPad))
        secondPerson = SessionCardholder(attendant: ManualCardholder(clock: clock, pinPad: pinPad))
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

    private static func records(
        _ journal: SessionPlan.Journal, random: any RandomSource
    ) throws(StorageError) -> Records {
        switch journal {
        case .memory: return .memory(try SessionDatabases.take(random: random))
        case .file(let path): return .file(try SessionDatabases.make(at: path, random: random))
        case .shared(let journals): return .shared(try journals.take(random: random), journals)
        }
    }

    private static let keys = Result { () throws(TestKeysError) in try TestKeys.embedded() }

    private static func check(_ plan: SessionPlan) throws(SimulatedSessionError) {
        guard !plan.readers.isEmpty else { throw .plan("a session needs a reader") }
        guard !plan.cards.isEmpty else { throw .plan("a session needs a card") }
        for names in [plan.readers.map(\.name), plan.cards.map(\.name)] where Set(names).count < names.count {
            throw .plan("two readers or two cards have the same name: \(names.joined(separator: ", "))")
        }
        try plan.checkSecondTill()
    }

    private func watchSlots(of reader: SessionReader) {
        let (log, name) = (log, reader.name)
        reader.parts.chip?.onSlotChange { _, hasCard in log.note(hasCard ? .cardIn : .cardOut, name) }
    }

    // MARK: Processes

    /// Registers a process that was started.
    func note(_ process: SessionProcess) {
        processes.withLock { $0.append(KnownProcess(process: process)) }
    }

    /// The number of processes that are still in memory.
    var livingProcesses: Int { processes.withLock { $0.count { $0.process != nil } } }

    /// Removes the faults of the way to the issuer.
    func recoverWire() {
        wire?.recover()
        link.recover()
    }

    // MARK: Resources of a process

    /// The payment host of a process.
    func host(of life: ProcessLife) -> ProcessHost {
        guard let wire else { return ProcessHost(host: LinkedHost(host: issuer, link: link), life: life) }
        return wire.host(of: life)
    }

    /// Opens the records for a process of a till.
    func openStorage(of till: TillPlace = .first) throws(StorageError) -> SQLiteStorageManager {
        switch till == .second ? secondRecords ?? records : records {
        case .memory(let database): database
        case .shared(let database, _): till == .first ? database.storage : try openSecond(database)
        case .file(let path): try SQLiteStorageManager(path: path, random: random.stream("database"))
        }
    }

    /// Opens the records of the second till, on connections of its own when the first till has the same records.
    private func openSecond(_ database: ReusableDatabase) throws(StorageError) -> SQLiteStorageManager {
        secondRecords == nil ? try database.otherStorage() : database.storage
    }

    /// Adds the cards that the plan blocks to the till's exception file.
    ///
    /// - Throws: ``StorageError``, or a failure of an invalid PAN.
    func fill(_ file: ExceptionFile) throws {
        var entries: [ExceptionCard] = []
        for name in plan.exceptions {
            try card(name).profile.forEachAccountNumber { pan in
                guard let entry = file.entry(for: pan, sequenceNumber: nil, reason: "blocked", at: plan.start) else {
                    throw SimulatedSessionError.fault("cannot hash a card number")
                }
                entries.append(entry)
            }
        }
        guard !entries.isEmpty else { return }
        _ = try file.add(entries)
    }

    /// Releases the records, once. Call this when the session and its last process have ended.
    func close() {
        // Records that were given back twice would belong to two later sessions.
        guard !isOver.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // Work that waits for an event may hold a reader, and the reader holds the log.
        log.forgetWatches()
        // In this order, so that the first till of the next session has the same file.
        for records in [secondRecords, records].compactMap({ $0 }) {
            switch records {
            case .memory(let database): SessionDatabases.give(back: database)
            case .shared(let database, let journals): journals.give(back: database)
            case .file: break
            }
        }
    }

    /// Checks that the records still belong to this session.
    ///
    /// - Throws: ``SimulatedSessionError/over``
    func checkIsOpen() throws(SimulatedSessionError) {
        if isOver.load(ordering: .sequentiallyConsistent) { throw .over }
    }

    /// Returns the terminal configuration, with the test certification authority's keys for test cards.
    func terminal(for currency: Currency) -> TerminalConfiguration {
        plan.till.terminal(for: currency).adding(
            certificationAuthorityKeys: authorityKeys, ellipticAuthorityKeys: ellipticKeys,
            revokedCertificates: revoked)
    }

    /// Returns the issuer's ledger.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger {
        do throws(IssuerLedgerError) { return try await issuer.ledger() } catch { throw .plan("\(error)") }
    }

    // MARK: By name

    var readers: [SessionReader] { readerList.withLock { $0 } }

    /// Adds a reader to the session.
    func add(_ planned: PlannedReader) throws(SimulatedSessionError) {
        let known = readers
        guard !known.contains(where: { $0.name == planned.name }) else {
            throw .plan("a reader named '\(planned.name)' already exists")
        }
        guard known.count < SimulatedUSBBus.maximumDeviceCount else {
            throw .plan("a USB bus has at most \(SimulatedUSBBus.maximumDeviceCount) devices")
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

    /// The reader of this name; the first one with a field without a name, and nil if none has one.
    func readerWithField(_ name: String?) throws(SimulatedSessionError) -> SessionReader? {
        try name == nil ? readers.first { $0.parts.contactless != nil } : reader(name)
    }

    func card(_ name: String?) throws(SimulatedSessionError) -> SessionCard {
        guard let name else { return cards.first }
        return try cards.card(name)
    }

    /// The customer at a till.
    func person(at till: TillPlace) -> SessionCardholder { till == .first ? person : secondPerson }

    /// The events that the payments of a till have reported.
    func toldEvents(at till: TillPlace) -> ReportedEvents { till == .first ? toldEvents : secondToldEvents }

    /// Brings a cardholder with a card to a reader of a till.
    func bringPerson(
        with card: SessionCard, to reader: SessionReader, conduct: CardholderProfile?, presentsCard: Bool,
        at till: TillPlace = .first
    ) {
        var profile = card.profile
        if let conduct { profile.cardholder = conduct }
        let cardholder = SimulatedCardholder(
            profile: profile, card: card.chip, contactless: card.contactless, stripe: card.stripe,
            reader: reader.parts, clock: clock, pinPad: pinPad)
        person(at: till).change(to: cardholder, with: card, presentsCard: presentsCard)
    }
}

/// The reader events that a payment has reported and that the reader service will repeat.
final class ReportedEvents: Sendable {
    private let events = Mutex<[CardReaderEvent]>([])

    func add(_ event: CardReaderEvent) { events.withLock { $0.append(event) } }

    /// Returns whether a payment reported this event, and forgets it.
    func take(_ event: CardReaderEvent) -> Bool {
        events.withLock { events in
            // The service does not repeat every event: it left out those before this one.
            guard let place = events.firstIndex(of: event) else { return false }
            events.removeSubrange(...place)
            return true
        }
    }
}
