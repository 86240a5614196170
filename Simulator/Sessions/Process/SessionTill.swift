internal import Determinism
internal import Experiments
internal import Hardware
internal import Networking
internal import Simulator
internal import SmartCard
internal import Storage
internal import Synchronization
internal import Yosemite

/// Puts the stores of a process together, as a command does, and follows what its reader tells.
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
                    site: site.site, time: world.clock, life: life, observer: world.plan.requestObserver)
            } else {
                NullNetwork()
            }
        let composition = StoreComposition(
            storage: storage, session: SessionManager(signIn: world.site?.signIn), network: network,
            preferences: storage.path.map { AppSettingsFile(path: $0 + ".settings") },
            features: DefaultFeatureFlagService(overrides: settings.features), time: world.clock,
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
                    settings: settings.receipt, time: world.clock, site: session?.context),
            ]
        }
    }

    /// Writes down every exchange with a card.
    private var trace: (@Sendable (TraceEntry) -> Void)? {
        guard world.plan.logsExchanges else { return nil }
        return { [life] entry in life.note(.apdu, SessionEvent.words(entry)) }
    }

    private func payments(_ settings: TillConfiguration, site: PaymentSite?) -> CardPresentPaymentsStore {
        let (world, life) = (world, life)
        return CardPresentPaymentsStore(
            host: ProcessHost(issuer: world.issuer, life: life), journal: journal, merchant: settings.merchant,
            history: history, readers: ReaderRegister(storage: storage), site: site, time: world.clock
        ) { host in
            let made = LocalCardReaderService(
                sources: [
                    USBCardReaderSource(
                        ProcessBus(world.bus, life), quirks: settings.readerQuirks, firmware: settings.readerFirmware,
                        time: world.clock, magneticStripe: settings.magneticStripe)
                ],
                host: host, terminal: { world.terminal(for: $0) }, magneticStripe: settings.magneticStripe,
                cardholder: world.person, history: history, time: world.clock,
                random: world.random.stream("terminal \(life.number)"), reconnection: settings.reconnection,
                trace: trace)
            service.keep(made)
            return made
        }
    }

    /// Writes down what the reader tells outside of payments; within one, the payment itself does.
    func watch(_ service: any CardReaderService) -> [Task<Void, Never>] {
        life.follow(service) { [world] event in !world.toldEvents.take(event) }
    }
}
