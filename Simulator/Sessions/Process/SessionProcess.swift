import Determinism
import Hardware
import Networking
import Settings
import Simulator
import SmartCard
import Storage
import Synchronization
import TillConfiguration
import USB
import Yosemite

/// One run of the program: the till as the command line assembles it, connected to the session's simulated parts.
final class SessionProcess: Sendable {
    let life: ProcessLife
    let stores: StoresManager
    /// The database, for queries from outside the process.
    let records: SQLiteStorageManager
    private let lease: ProcessLease
    private let tasks: [Task<Void, Never>]

    /// Opens the records of a till and creates the stores. Does not recover unfinished payments.
    ///
    /// - Throws: ``SimulatedSessionError``
    init(number: Int, in world: SessionWorld, till place: TillPlace = .first) throws(SimulatedSessionError) {
        let life = ProcessLife(number: number, till: place, log: world.log)
        self.life = life
        life.trace(TracedEvent(.start, "\(number)"))
        life.note(.start, "\(number)")
        do {
            let records = try world.openStorage(of: place)
            let storage = ProcessStorage(storage: records, disk: world.disk, life: life)
            let lease = try ProcessLease(in: storage)
            let journal = PaymentJournal(storage: storage, lease: lease)
            let register = CardRegister(storage: storage)
            let key = try CardKey.open(for: register, random: world.random.stream("card key"))
            let hasNewRecords =
                number == 1
                || world.plan.secondTill?.ownsDatabase == true && SessionNeighbor.isFirst(number)
            if hasNewRecords {
                // Filled in before the session, so the condition of its disk does not matter.
                try world.fill(ExceptionFile(register: CardRegister(storage: records), key: key))
            }
            let history = try StoredCardHistory(
                register: register, key: key, window: world.plan.till.splitSaleWindow, time: world.wallClock)
            let service = SessionService()
            let till = SessionTill(
                world: world, life: life, storage: storage, journal: journal, history: history, service: service)
            stores = try till.stores()
            (self.records, self.lease) = (records, lease)
            tasks = service.current.map { till.watch($0) } ?? []
            world.note(self)
        } catch let error as StorageError {
            life.end()
            throw .storage(error)
        } catch let error as CardKeyError {
            life.end()
            throw if case .storage(let error) = error { .storage(error) } else { .plan(error.description) }
        } catch {
            life.end()
            throw .fault("\(error)")
        }
    }

    /// Releases the process's lease while it goes on, as when someone deletes the file with the locks.
    func loseLease() { lease.release() }

    /// Kills the process. Its remaining calls fail, so that its tasks can end.
    func die() {
        life.end()
        // The operating system releases the process's locks.
        lease.release()
        for task in tasks { task.cancel() }
        let stores = stores
        Task {
            _ = try? await stores.perform { CardPresentPaymentsAction.cancelPayment(onCompletion: $0) } as Void
            _ = try? await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        }
    }

    /// Disconnects the reader and ends the process.
    func end() async {
        _ = try? await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        life.end()
        lease.release()
        for task in tasks { task.cancel() }
        // A search for readers that began during the reset would never end, and hold the till's parts.
        let stores = stores
        Task {
            _ = try? await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        }
    }
}

/// Holds the reader service once it has been created.
final class SessionService: Sendable {
    private let made = Mutex<(any CardReaderService)?>(nil)

    var current: (any CardReaderService)? { made.withLock { $0 } }

    func keep(_ service: any CardReaderService) { made.withLock { $0 = service } }
}

/// A process that was started; it may have ended since.
struct KnownProcess: Sendable {
    weak let process: SessionProcess?
}

/// Creates the stores of a process, as a command does, and logs its reader's events.
struct SessionTill: Sendable {
    let world: SessionWorld
    let life: ProcessLife
    let storage: ProcessStorage
    let journal: PaymentJournal
    let history: StoredCardHistory
    let service: SessionService

    /// - Throws: ``DispatcherError``
    func stores() throws(DispatcherError) -> StoresManager {
        let settings = world.plan.till
        let network: any Network =
            if let site = world.site {
                ProcessNetwork(
                    site: site.site, time: world.clock, life: life, observer: world.plan.requestObserver,
                    server: world.siteServer)
            } else {
                NullNetwork()
            }
        let composition = StoreComposition(
            storage: storage, session: SessionManager(signIn: world.site?.signIn), network: network,
            preferences: storage.path.map { AppSettingsFile(path: $0 + ".settings") },
            features: DefaultFeatureFlagService(overrides: settings.features), time: world.wallClock,
            random: world.random.stream("network \(life.number)")
        ) { _ in settings.store.connections ?? 4 }
        return try composition.manager { [life] record in
            let arguments = record.arguments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            life.note(.action, ([record.name] + arguments).joined(separator: " "))
        } local: { session in
            [
                payments(settings, site: session.flatMap(PaymentSite.init)),
                ReceiptStore(
                    journal: journal,
                    printer: ProcessPrinter(server: world.printServer, time: world.clock, life: life),
                    settings: settings.receipt, time: world.wallClock, site: session?.context),
            ]
        }
    }

    /// Logs every exchange with a card.
    private var trace: (@Sendable (TraceEntry) -> Void)? {
        guard world.plan.logsExchanges else { return nil }
        return { [life] entry in life.note(.apdu, SessionEvent.words(entry)) }
    }

    private func payments(_ settings: TillConfiguration, site: PaymentSite?) -> CardPresentPaymentsStore {
        let (world, life) = (world, life)
        let host = world.host(of: life)
        life.trace(
            TracedEvent(
                .till, (world.plan.wire == nil ? "direct" : "wire") + (host.canBeAsked ? " asked" : " never_asked")))
        return CardPresentPaymentsStore(
            host: host, journal: journal, merchant: settings.merchant,
            languages: settings.receipt.languages,
            history: history, readers: ReaderRegister(storage: storage), site: site, time: world.wallClock,
            random: world.random.stream("identity \(life.number)")
        ) { host in
            let made = LocalCardReaderService(
                sources: [
                    USBCardReaderSource(
                        ProcessBus(world.bus, life), quirks: settings.readerQuirks, firmware: settings.readerFirmware,
                        time: world.clock, magneticStripe: settings.magneticStripe)
                ],
                host: host, terminal: { world.terminal(for: $0) }, magneticStripe: settings.magneticStripe,
                cardholder: world.person(at: life.till), history: history, time: world.wallClock,
                random: world.random.stream("terminal \(life.number)"), reconnection: settings.reconnection,
                trace: trace,
                contactless: settings.contactless(
                    authorities: world.contactlessKeys, time: world.clock,
                    random: world.random.stream("kernel 8 \(life.number)")
                ) { world.terminal(for: $0) })
            service.keep(made)
            return made
        }
    }

    /// Logs the reader's events outside of payments; a payment reports its own events.
    func watch(_ service: any CardReaderService) -> [Task<Void, Never>] {
        life.follow(service) { [world, life] event in !world.toldEvents(at: life.till).take(event) }
    }
}
