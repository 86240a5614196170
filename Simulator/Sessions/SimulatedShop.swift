public import Determinism
public import EMV
public import Hardware
public import Money
public import Networking
public import Payments
public import Printing
public import Simulator
public import SmartCard
public import Storage
public import StoreSite
import Synchronization
public import USB

/// A simulated shop for your own till: readers, cards, cardholders, an issuer, a store site, a printer, and a disk.
/// Your till can start at any layer: at the USB bus, at the reader service, or at the stores and their actions.
///
/// ```swift
/// let plan = try SessionPlan(card: "visa-credit", seed: 7)
/// try await SimulatedShop.run(plan) { shop in
///     let till = Till(bus: shop.bus, host: shop.host, time: shop.time)
///     try await till.sell("12.50")
/// }
/// ```
///
/// The shop runs in simulated time, which moves only when every task in the shop waits. A till must get its time from
/// ``time`` and its random numbers from ``random``. It must not wait for anything outside of the shop, such as
/// `Task.sleep`, `Task.yield`, or another thread. Then the same plan and till produce the same session on every
/// machine.
public final class SimulatedShop: Sendable {
    let world: SessionWorld
    private let current: Mutex<Machine>
    private let followers = Mutex<[Task<Void, Never>]>([])

    /// The machine that the till runs on, until its next restart.
    private struct Machine {
        var life: ProcessLife
        var bus: ProcessBus
    }

    init(_ world: SessionWorld) {
        self.world = world
        current = Mutex(Self.machine(number: 1, in: world))
    }

    private static func machine(number: Int, in world: SessionWorld) -> Machine {
        let life = ProcessLife(number: number, log: world.log)
        life.note(.start, "\(number)")
        return Machine(life: life, bus: ProcessBus(world.bus, life))
    }

    /// Opens a shop, runs `body` in it, and closes it.
    ///
    /// - Parameters:
    ///   - plan: the initial state. Its journal is for ``openStorage()``.
    ///   - body: the work to do in the shop. It has the caller's task-local values, and all its tasks run on one
    ///     thread.
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`; ``SimulatedSessionError/plan(_:)`` when the plan is not valid, and
    ///   `RunQueueError` when `body` waits for something that never happens.
    public static func run<Value: Sendable>(
        _ plan: SessionPlan, _ body: @escaping @Sendable (SimulatedShop) async throws -> Value
    ) async throws -> Value {
        let clock = SimulationClock(VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        let queue = RunQueue()
        queue.add(clock)
        let result = try await queue.runOnOwnThread(until: plan.start.advanced(by: plan.longestStep)) {
            () -> Result<Value, any Error> in
            do {
                let world = try SessionWorld(plan, clock: clock)
                try await world.site?.prepare()
                let shop = SimulatedShop(world)
                defer { shop.close() }
                try shop.serve()
                return .success(try await body(shop))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func close() {
        for task in followers.withLock({ $0 }) { task.cancel() }
        world.person.attendant.leave()
        life.end()
        world.close()
    }

    private var life: ProcessLife { current.withLock { $0.life } }

    // MARK: The till's environment

    /// The plan with which the shop was opened.
    public var plan: SessionPlan { world.plan }

    /// The USB bus with the readers.
    public var bus: any USBBus { current.withLock { $0.bus } }

    /// The connection to the issuer. Over a wire, each call makes a new one.
    public var host: any PaymentHost { world.host(of: life) }

    /// The connection to the store site of ``SessionPlan/store``. Without a store, every request fails.
    public var network: any Network {
        world.site.map { ProcessNetwork(site: $0.site, time: world.clock, life: life) } ?? NullNetwork()
    }

    /// The sign-in to the store site; nil without a store.
    public var signIn: SignIn? { world.site?.signIn }

    /// The receipt printer.
    public var printer: any PrinterService {
        ProcessPrinter(server: world.printServer, time: world.clock, life: life)
    }

    /// Opens the till's records on the simulated disk. They survive a restart of the till.
    ///
    /// - Throws: `StorageError`
    public func openStorage() throws(StorageError) -> any StorageManagerType {
        ProcessStorage(storage: try world.openStorage(), disk: world.disk, life: life)
    }

    /// The shop's clock.
    public var time: any TimeSource { world.clock }

    /// Random numbers derived from the plan's seed.
    public var random: SeededRandomSource { world.random }

    /// The cardholder, who chooses applications and enters the PIN on the till's keys.
    public var cardholder: any CardholderInterface { world.person }

    /// Returns the terminal configuration of the plan, with the public keys of the test certification authority.
    public func terminal(for currency: Currency) -> TerminalConfiguration { world.terminal(for: currency) }

    /// Adds an exchange with a card to the ``events``. For a till with its own reader driver.
    public func note(_ exchange: TraceEntry) {
        if world.plan.logsExchanges { life.note(.apdu, SessionEvent.words(exchange)) }
    }

    /// Subscribes to the till's reader service. The cardholder reacts to its events, and ``events`` includes them. The
    /// subscription is active when this returns.
    public func follow(_ service: any CardReaderService) async {
        let person = world.person
        let tasks = life.follow(service) { event in
            person.observe(event)
            return true
        }
        followers.withLock { $0 += tasks }
        // Once the clock has moved, all tasks have subscribed, because they run in the shop.
        try? await world.clock.sleep(for: .milliseconds(1))
    }

    /// Passes a reader event to the cardholder, for a till without a reader service.
    public func observe(_ event: CardReaderEvent) {
        let (kind, detail) = SessionEvent.words(event)
        life.note(kind, detail)
        world.person.observe(event)
    }

    // MARK: Events and acts

    /// Brings another customer to a reader. The first customer is there when the shop opens, with the plan's first
    /// card.
    ///
    /// - Parameters:
    ///   - card: the customer's card; nil for the plan's first card.
    ///   - cardholder: the customer's behavior; nil for that of the card's profile.
    ///   - presentsCard: whether the customer inserts and removes the card. If false, use acts such as
    ///     ``SessionAct/insert(card:reader:)``.
    ///   - reader: the reader's name; nil for the first reader.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    public func serve(
        card: String? = nil, cardholder: CardholderProfile? = nil, presentsCard: Bool = true, reader: String? = nil
    ) throws(SimulatedSessionError) {
        world.bringPerson(
            with: try world.card(card), to: try world.reader(reader), conduct: cardholder, presentsCard: presentsCard)
    }

    /// Performs an act now, later, or when an event occurs.
    ///
    /// - Parameters:
    ///   - act: the act. Acts on the till are rejected, except ``SessionAct/crash``: call your till instead.
    ///   - trigger: when to perform it; nil for now.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``,
    ///   ``SimulatedSessionError/plan(_:)``
    public func perform(_ act: SessionAct, when trigger: SessionTrigger? = nil) throws(SimulatedSessionError) {
        if let deed = try world.deed(act) { return world.perform(act, when: trigger, deed) }
        guard case .crash = act else { throw .plan("the till is not the shop's: cancel in the till itself") }
        world.perform(act, when: trigger) { [weak self] in self?.crash() }
    }

    private func crash() {
        let life = life
        guard life.isAlive else { return }
        world.log.note(.crash)
        life.end()
    }

    /// Restarts the machine after a crash or after the till has ended. Get ``bus``, ``host``, and the rest again for
    /// the next till; the values of the previous one reject every call.
    public func restart() {
        let last = life
        last.end()
        current.withLock { $0 = Self.machine(number: last.number + 1, in: world) }
    }

    /// Lets simulated time pass.
    public func wait(_ duration: Duration) async { try? await world.clock.sleep(for: duration) }
}

extension SimulatedShop {
    /// The events so far, in order.
    public var events: [SessionEvent] { world.log.events }

    /// The simulated time since the shop opened.
    public var elapsed: Duration { world.log.elapsed }

    /// Returns the issuer's ledger.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    public func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger { try await world.issuerLedger() }

    /// Returns the number of payments that the issuer charged and that were not reversed.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when its ledger cannot be read.
    public func charges() async throws(SimulatedSessionError) -> Int { try await issuerLedger().chargeCount }

    /// The numbers of the plan's unpaid orders, in the order of the plan.
    public var unpaidOrders: [Int64] { world.site?.unpaid ?? [] }

    /// The store's orders as they are now, by number.
    public var orders: [SiteOrder] { world.site?.site.orders ?? [] }

    /// The charges that the store recorded, oldest first.
    public var siteLedger: [LedgerEntry] { world.site?.site.ledger ?? [] }

    /// The till's requests to the store, oldest first.
    public var siteRequests: [SeenRequest] { world.site?.requests ?? [] }

    /// The documents that the printer received.
    public var printouts: [SessionPrintout] { world.printServer.printouts }
}
