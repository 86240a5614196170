public import Amounts
public import Determinism
public import EMV
public import Hardware
public import Networking
public import Simulator
public import SmartCard
public import Storage
internal import Synchronization
public import USB

/// A shop for a till of your own: readers, cards and the people who hold them, an issuer, a store site, a printer and a
/// disk, all simulated. The till is yours, from wherever it begins: over the USB bus, over the reader service, or over
/// the stores and their actions.
///
/// ```swift
/// let plan = try SessionPlan(card: "visa-credit", seed: 7)
/// try await SimulatedShop.run(plan) { shop in
///     let till = Till(bus: shop.bus, host: shop.host, time: shop.time)
///     try await till.sell("12.50")
/// }
/// ```
///
/// Time is the shop's own and costs nothing: it goes by when every task in the shop waits. So a till must take its time
/// from ``time`` and its random numbers from ``random``, and wait for nothing outside of the shop: `Task.sleep`,
/// `Task.yield` and other threads are outside. Then the same plan and the same till make the same session, whatever
/// runs beside it.
public final class SimulatedShop: Sendable {
    let world: SessionWorld
    private let current: Mutex<Machine>
    private let followers = Mutex<[Task<Void, Never>]>([])

    /// The machine that the till runs on, from one start to the next.
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

    /// Opens a shop, does something in it, and closes it.
    ///
    /// - Parameters:
    ///   - plan: what the shop begins with. Its journal is for ``openStorage()``.
    ///   - body: what is done. It has the caller's task-local values, and everything in it happens on one thread.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw; ``SimulatedSessionError/plan(_:)`` when there cannot be such a shop, and
    ///   ``SimulatedSessionError/stuck(step:)`` when `body` waits for what will never come.
    public static func run<Value: Sendable>(
        _ plan: SessionPlan, _ body: @escaping @Sendable (SimulatedShop) async throws -> Value
    ) async throws -> Value {
        guard let queue = RunQueue() else { throw SimulatedSessionError.plan("there is no memory for another session") }
        let clock = SimulationClock(
            movedByRunner: VirtualTimeSource(start: plan.start, offsetSeconds: plan.utcOffsetSeconds))
        let thread = SessionThread(clock: clock, queue: queue)
        let result = await thread.run(until: plan.start.advanced(by: plan.longestStep)) {
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
        guard let result else { throw SimulatedSessionError.stuck(step: "what is done in the shop") }
        return try result.get()
    }

    private func close() {
        for task in followers.withLock({ $0 }) { task.cancel() }
        world.person.attendant.leave()
        life.end()
        world.close()
    }

    private var life: ProcessLife { current.withLock { $0.life } }

    // MARK: What a till finds there

    /// What the shop was opened with.
    public var plan: SessionPlan { world.plan }

    /// The USB bus with the readers.
    public var bus: any USBBus { current.withLock { $0.bus } }

    /// The way to the issuer.
    public var host: any PaymentHost { ProcessHost(issuer: world.issuer, life: life) }

    /// The way to the store site of ``SessionPlan/store``; nothing is reached when there is none.
    public var network: any Network {
        world.site.map { ProcessNetwork(site: $0.site, time: world.clock, life: life) } ?? NullNetwork()
    }

    /// Who is signed in to the store site; nil when there is none.
    public var signIn: SignIn? { world.site?.signIn }

    /// The receipt printer.
    public var printer: any PrinterService {
        ProcessPrinter(server: world.printServer, time: world.clock, life: life)
    }

    /// Opens the till's records, on the simulated disk. They outlive the till: who opens them again finds them as they
    /// were.
    ///
    /// - Throws: `StorageError`
    public func openStorage() throws(StorageError) -> any StorageManagerType {
        ProcessStorage(storage: try world.openStorage(), disk: world.disk, life: life)
    }

    /// The clock of everything in the shop.
    public var time: any TimeSource { world.clock }

    /// Random numbers that the plan's seed decides.
    public var random: SeededRandomSource { world.random }

    /// The person at the reader: chooses, and types the PIN on the till's keys.
    public var cardholder: any CardholderInterface { world.person }

    /// The terminal as the plan's configuration has it, with the keys of the test certification authority.
    public func terminal(for currency: Currency) -> TerminalConfiguration { world.terminal(for: currency) }

    /// Writes an exchange with a card down among the ``events``; for who drives the reader.
    public func note(_ exchange: TraceEntry) {
        if world.plan.logsExchanges { life.note(.apdu, SessionEvent.words(exchange)) }
    }

    /// Follows a reader service of the till's: the person at the reader acts on what it tells, and what it tells is
    /// among the ``events``. It is followed when this returns.
    public func follow(_ service: any CardReaderService) async {
        let person = world.person
        let tasks = life.follow(service) { event in
            person.observe(event)
            return true
        }
        followers.withLock { $0 += tasks }
        // The tasks have subscribed when the clock has moved: nothing of them is outside of the shop.
        try? await world.clock.sleep(for: .milliseconds(1))
    }

    /// Tells the person at the reader what it shows, for a till without a reader service.
    public func observe(_ event: CardReaderEvent) {
        let (kind, detail) = SessionEvent.words(event)
        life.note(kind, detail)
        world.person.observe(event)
    }

    // MARK: What happens in it

    /// Another customer comes to a reader. The first one is there when the shop opens, with the plan's first card.
    ///
    /// - Parameters:
    ///   - card: the card in their hand; nil for the plan's first one.
    ///   - cardholder: what they do; nil for what the card's profile says.
    ///   - presentsCard: whether they present the card and take it out by themselves; else ``SessionAct/insert(card:reader:)``
    ///     and the like do.
    ///   - reader: where they stand; nil for the first reader.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    public func serve(
        card: String? = nil, cardholder: CardholderProfile? = nil, presentsCard: Bool = true, reader: String? = nil
    ) throws(SimulatedSessionError) {
        world.bringPerson(
            with: try world.card(card), to: try world.reader(reader), conduct: cardholder, presentsCard: presentsCard)
    }

    /// Does something to the shop: now, later, or when something is seen.
    ///
    /// - Parameters:
    ///   - act: what is done. The till is yours: what is meant for it is refused, ``SessionAct/crash`` aside.
    ///   - trigger: when; nil for now.
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

    /// The machine starts again after a crash, or after the till has ended: ``bus``, ``host`` and the rest are to be
    /// asked for anew, by another till. What the last one still has of them refuses it.
    public func restart() {
        let last = life
        last.end()
        current.withLock { $0 = Self.machine(number: last.number + 1, in: world) }
    }

    /// Lets time go by.
    public func wait(_ duration: Duration) async { try? await world.clock.sleep(for: duration) }
}
