public import Determinism
internal import Synchronization

/// The time of a simulated world, and what will happen in it. Everything in that world waits here:
/// the simulated bus, and the host through `TimeSource`.
///
/// On a `VirtualTimeSource` nobody waits for real. Who moves the clock, and how far:
///
/// 1. **A host that waits moves it.** A bulk or control transfer that the device holds back, and
///    ``sleep(for:)``, move the clock to their own end or to the next event, whichever comes first,
///    and look again after each event.
/// 2. **A standing order does not.** An interrupt read or a hotplug subscription is pending all the
///    time, while another task exchanges commands; its deadline must not pull the clock forward. It
///    ends when its data is there, or when others have moved the clock past its deadline.
/// 3. **At rest, a standing order brings on what it waits for.** When no reader has a command under way
///    and every slot is empty or holds a card that was used and powered off again, the host can only be
///    waiting for a card or a device: a standing order then moves the clock to the next event, if that is an
///    awaited one and not past the order's deadline. Never to a deadline, never to a disruptive event.
/// 4. **News stops a sleep.** When an event serves a standing order, whoever gets the news may be about to cancel
///    a sleep: no sleep moves the clock until the host has done something with a device, or has
///    let ``patience`` of real time go by. The same holds for what a device announces that comes once and is gone,
///    such as a swipe, whether or not anybody reads at that moment.
/// 5. **Virtual time is never slower than real time.** What no rule moves, such as the deadline of
///    an interrupt read when nothing will ever happen, comes after as much real time as is left until then
///    without any transfer. This keeps the promise that every transfer ends; a repeatable run does not need it.
///
/// Rules 1 to 3 depend on the schedule and on the order of the host's calls alone, and so does rule 4 with a host
/// that reacts within ``patience``: the same calls give the same bytes at the same times. A host that lets its
/// tasks race gets the races it asks for. On any other time source all waits are real.
///
/// A clock made with ``init(movedByRunner:)`` has one rule in place of these five: nobody who waits moves it, and
/// ``moveOn(notAfter:)`` brings it to the next moment at which anything happens or anybody's wait ends. Whoever runs
/// every task of the world calls that when none of them can run.
public final class SimulationClock: TimeSource {
    private enum Wait {
        /// Rules 2, 3 and 5.
        case standingOrder
        /// A sleep that rule 4 stops.
        case heldSleep
        /// A wait on real time.
        case real
        /// A wait that only ``moveOn(notAfter:)`` shortens.
        case runner
    }

    private struct Waiter {
        let deadline: Timestamp
        let wait: Wait
        let isReady: @Sendable () -> Bool
        var continuation: CheckedContinuation<Void, Never>?
    }

    /// From the first look of a standing order to its end.
    private struct Order {
        let isReady: @Sendable () -> Bool
        var isServed = false
    }

    private struct State {
        var schedule = SimulationSchedule()
        var orders: [Int: Order] = [:]
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// How long the machine has slept.
        var asleep = Duration.zero
        /// Counts what hosts do, to see whether a stretch of real time was idle.
        var activity = 0
        /// A standing order was served, and the host has done nothing since.
        var hasNews = false
        var restProbes: [@Sendable () -> Bool] = []
    }

    /// The real time that a host has to do something about news (rule 4).
    public static let patience: Duration = .seconds(10)

    private let base: any TimeSource
    private let virtual: VirtualTimeSource?
    private let pace: any TimeSource
    private let isMovedByRunner: Bool
    private let state = Mutex(State())
    // Held while an event runs, so that events run in order, one at a time, whoever moves the clock.
    private let stepping = Mutex<Void>(())

    /// - Parameters:
    ///   - base: the time to show. Waits are virtual on a `VirtualTimeSource` and real on any other source.
    ///   - pace: the real time of rules 4 and 5.
    public init(_ base: any TimeSource = VirtualTimeSource(), pace: any TimeSource = SystemTimeSource()) {
        self.base = base
        virtual = base as? VirtualTimeSource
        self.pace = virtual == nil ? base : pace
        isMovedByRunner = false
    }

    /// A clock that ``moveOn(notAfter:)`` alone moves.
    ///
    /// - Parameter base: the time to show. Nobody else moves it.
    public init(movedByRunner base: VirtualTimeSource) {
        (self.base, virtual, pace, isMovedByRunner) = (base, base, base, true)
    }

    /// Time goes by while everybody waits who could do something about it. What happens meanwhile happens afterwards.
    public func elapse(_ duration: Duration) { virtual?.advance(by: duration) }

    /// Moves a clock made with ``init(movedByRunner:)`` to the next moment: one event happens, or the waits end whose
    /// time is over. Call it when no task of this world can run.
    ///
    /// - Parameter limit: the last moment to move to.
    /// - Returns: false when nothing happens and no wait ends until then; the clock stands as before.
    public func moveOn(notAfter limit: Timestamp) -> Bool {
        let (event, deadline) = state.withLock {
            ($0.schedule.next?.moment, $0.waiters.values.lazy.map(\.deadline).min())
        }
        guard let target = [event, deadline].compactMap(\.self).min(), target <= limit else { return false }
        // What happens at the moment at which a wait ends comes before the end.
        if event.map({ $0 <= target }) == true { return runNext(notAfter: target, otherwiseMove: false) }
        virtual?.advance(to: target)
        wakeExpired()
        return true
    }

    /// Nothing that is planned happens any more: the world is over. What is planned may hold its world, and so the clock.
    public func forgetSchedule() { state.withLock { $0.schedule = SimulationSchedule() } }

    /// How many tasks wait for the clock, or for something that happens in its world.
    public var waitingTasks: Int { state.withLock { $0.waiters.count } }

    public func now() -> Timestamp { base.now() }

    public func reading() -> Duration { base.reading() }

    public func offsetSeconds(at moment: Timestamp) -> Int { base.offsetSeconds(at: moment) }

    public func timeAsleep() -> Duration { state.withLock { $0.asleep } }

    /// The machine sleeps: time goes by, and nothing happens until it is over.
    func suspend(for duration: Duration) {
        state.withLock { $0.asleep += duration }
        virtual?.advance(by: duration)
    }

    /// Plans an event.
    ///
    /// - Parameters:
    ///   - delay: how long from now; less than zero counts as zero.
    ///   - expectation: whether a host at rest may be waiting for it (rule 3).
    ///   - action: what happens. It must not wait or sleep.
    public func schedule(
        after delay: Duration, _ expectation: SimulationSchedule.Expectation = .awaited,
        _ action: @escaping @Sendable () -> Void
    ) {
        let moment = self.moment(after: delay)
        state.withLock { $0.schedule.add(at: moment, expectation, action) }
        wakeAll()
    }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        let deadline = moment(after: duration)
        while now() < deadline {
            if isMovedByRunner {
                await park(until: deadline, .runner) { false }
            } else if virtual == nil {
                await park(until: deadline, .real) { false }
            } else if hasNews {
                await park(until: deadline, .heldSleep) { [self] in !hasNews }
            } else {
                step(until: deadline, isSleep: true)
            }
            if Task.isCancelled { throw CancellationError() }
        }
        // A task that gives way would leave the thread of whoever moves the clock.
        if virtual != nil, !isMovedByRunner { await Task.yield() }
    }

    // MARK: For the simulated bus

    /// The moment at a distance, rounded up to the next millisecond so that every wait gets on.
    func moment(after duration: Duration) -> Timestamp {
        let bounded = min(max(duration, .zero), .seconds(100 * 366 * 86_400))
        let (seconds, attoseconds) = bounded.components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Timestamp(milliseconds: now().milliseconds &+ seconds * 1000 &+ milliseconds)
    }

    /// Tells whether a part of the world has nothing under way (rule 3).
    func addRestProbe(_ probe: @escaping @Sendable () -> Bool) {
        state.withLock { $0.restProbes.append(probe) }
    }

    /// Something came to a device that the host may be waiting for (rule 4).
    func announce() {
        state.withLock { $0.hasNews = true }
        signal()
    }

    /// A host did something with a device.
    func noteActivity() {
        let hadNews = state.withLock { state in
            state.activity &+= 1
            defer { state.hasNews = false }
            return state.hasNews
        }
        if hadNews { signal() }
    }

    /// Runs the events that are due.
    func catchUp() {
        while runNext(notAfter: now(), otherwiseMove: false) {}
    }

    /// One step of a wait of the host: to the next event or to `target` (rule 1). On real time: until
    /// then, or until `isReady`.
    func pass(until target: Timestamp, isReady: @escaping @Sendable () -> Bool) async {
        if isMovedByRunner {
            await park(until: target, .runner, isReady)
        } else if virtual == nil {
            await park(until: target, .real, isReady)
        } else {
            step(until: target)
        }
    }

    /// Waits as a standing order (rules 2, 3 and 5): until `isReady`, the deadline or cancellation.
    func stand(until deadline: Timestamp, isReady: @escaping @Sendable () -> Bool) async {
        // Before the first look, so that an event between a look and the wait behind it is news, too.
        let id = state.withLock { state in
            state.lastWaiter += 1
            state.orders[state.lastWaiter] = Order(isReady: isReady)
            return state.lastWaiter
        }
        defer { state.withLock { _ = $0.orders.removeValue(forKey: id) } }
        while !Task.isCancelled, !isReady(), now() < deadline {
            if isMovedByRunner {
                await park(until: deadline, .runner, isReady)
                continue
            }
            if advanceToAwaitedEvent(notAfter: deadline) { continue }
            await park(until: deadline, .standingOrder, isReady)
        }
    }

    /// Something changed: wakes the waits that it ends, and those that may now move the clock.
    func signal() {
        noteServedOrders()
        let waiters = state.withLock { $0.waiters.sorted { $0.key < $1.key } }
        guard !waiters.isEmpty else { return }
        let awaited = isMovedByRunner ? nil : awaitedEvent()
        for (id, waiter) in waiters {
            let isReady = waiter.isReady()
            // An order that an event comes too late for would look, find that it may not move, and wait again.
            let mayMove = waiter.wait == .standingOrder && (awaited.map { $0.moment <= waiter.deadline } ?? false)
            if isReady || mayMove { wake(id) }
        }
    }

    /// An order that is served is news, once (rule 4).
    private func noteServedOrders() {
        let open = state.withLock { $0.orders.filter { !$0.value.isServed } }
        let served = open.filter { $0.value.isReady() }.keys
        guard !served.isEmpty else { return }
        state.withLock { state in
            for id in served { state.orders[id]?.isServed = true }
            state.hasNews = true
        }
    }

    private var hasNews: Bool { state.withLock { $0.hasNews } }

    private func step(until target: Timestamp, isSleep: Bool = false) {
        runNext(notAfter: target, otherwiseMove: true, isSleep: isSleep)
    }

    /// - Returns: whether there was an event.
    @discardableResult
    private func runNext(notAfter moment: Timestamp, otherwiseMove: Bool, isSleep: Bool = false) -> Bool {
        let ran = stepping.withLock { _ in
            // Asked again under the lock: the news may have come since the sleep looked.
            if isSleep, hasNews { return false }
            guard let event = state.withLock({ $0.schedule.popFirst(notAfter: moment) }) else {
                if otherwiseMove { virtual?.advance(to: moment) }
                return false
            }
            run(event)
            return true
        }
        if ran || otherwiseMove { wakeExpired() }
        return ran
    }

    private func advanceToAwaitedEvent(notAfter deadline: Timestamp) -> Bool {
        let advanced = stepping.withLock { _ in
            guard let awaited = awaitedEvent(notAfter: deadline),
                let event = state.withLock({ $0.schedule.popFirst(notAfter: awaited.moment) })
            else { return false }
            run(event)
            return true
        }
        if advanced { wakeExpired() }
        return advanced
    }

    private func run(_ event: SimulationSchedule.Event) {
        virtual?.advance(to: event.moment)
        event.action()
        signal()
    }

    /// The next event, if a host that is at rest may be waiting for it, and until `deadline` if one is given.
    private func awaitedEvent(notAfter deadline: Timestamp? = nil) -> SimulationSchedule.Event? {
        guard virtual != nil else { return nil }
        let (next, probes) = state.withLock { ($0.schedule.next, $0.restProbes) }
        guard let next, next.expectation == .awaited, probes.allSatisfy({ $0() }) else { return nil }
        if let deadline, next.moment > deadline { return nil }
        return next
    }

    // MARK: Suspending

    private func park(until deadline: Timestamp, _ wait: Wait, _ isReady: @escaping @Sendable () -> Bool) async {
        let (id, activity, target) = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(deadline: deadline, wait: wait, isReady: isReady)
            return (state.lastWaiter, state.activity, min(deadline, state.schedule.next?.moment ?? deadline))
        }
        let gap = Duration.milliseconds(max(0, target.milliseconds &- now().milliseconds))
        let timer =
            wait == .runner
            ? nil
            : Task {
                do { try await pace.sleep(for: wait == .heldSleep ? min(gap, Self.patience) : gap) } catch { return }
                switch wait {
                case .standingOrder: if state.withLock({ $0.activity }) == activity { step(until: target) }
                case .heldSleep: state.withLock { $0.hasNews = false }
                case .real: catchUp()
                case .runner: break
                }
                wake(id)
            }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    state.waiters[id]?.continuation = continuation
                    return state.waiters[id] != nil
                }
                guard isWaiting else { return continuation.resume() }
                // Anything that happened before the continuation was in its place would be missed.
                let mayMove = wait == .standingOrder && awaitedEvent(notAfter: deadline) != nil
                if isReady() || Task.isCancelled || now() >= deadline || mayMove { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
        timer?.cancel()
    }

    private func wake(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation?.resume()
    }

    private func wakeExpired() {
        let now = now()
        for id in state.withLock({ $0.waiters.filter { $0.value.deadline <= now }.keys.sorted() }) { wake(id) }
    }

    private func wakeAll() {
        guard !isMovedByRunner else { return }
        for id in state.withLock({ $0.waiters.keys.sorted() }) { wake(id) }
    }
}
