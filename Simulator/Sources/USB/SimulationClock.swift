public import Determinism
internal import Synchronization

/// The time of a simulated world, and what will happen in it. Everything in that world waits here:
/// the simulated bus, and the host through ``TimeSource``.
///
/// On a ``VirtualTimeSource`` nobody waits for real. Who moves the clock, and how far:
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
/// 4. **News stops a sleep.** When an event serves a standing order in the middle of a sleep, the sleep
///    does not run on at once: whoever got the news may be about to cancel it. The rest of it passes at
///    real pace, unless other waits move the clock.
/// 5. **Virtual time is never slower than real time.** What neither rule moves, such as the deadline of
///    an interrupt read when nothing will ever happen, comes after as much real time as is left until then
///    without any transfer. This keeps the promise that every transfer ends; a repeatable run does not need it.
///
/// Rules 1 to 4 depend on the schedule and the host's calls alone: the same ones give the same bytes at the
/// same times. On any other time source all waits are real.
public final class SimulationClock: TimeSource {
    private struct Waiter {
        let deadline: Timestamp
        let isStandingOrder: Bool
        let isReady: @Sendable () -> Bool
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct State {
        var schedule = SimulationSchedule()
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// Counts what hosts do, to see whether a stretch of real time was idle.
        var activity = 0
        var restProbes: [@Sendable () -> Bool] = []
    }

    private let base: any TimeSource
    private let virtual: VirtualTimeSource?
    private let pace: any TimeSource
    private let state = Mutex(State())
    // Held while an event runs, so that events run in order, one at a time, whoever moves the clock.
    private let stepping = Mutex<Void>(())

    /// - Parameters:
    ///   - base: the time to show. Waits are virtual on a ``VirtualTimeSource`` and real on any other source.
    ///   - pace: the real time of rules 4 and 5.
    public init(_ base: any TimeSource = VirtualTimeSource(), pace: any TimeSource = SystemTimeSource()) {
        self.base = base
        virtual = base as? VirtualTimeSource
        self.pace = virtual == nil ? base : pace
    }

    public func now() -> Timestamp { base.now() }

    public func offsetSeconds(at moment: Timestamp) -> Int { base.offsetSeconds(at: moment) }

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
        noteActivity()
        var mayMove = virtual != nil
        while now() < deadline {
            if mayMove {
                mayMove = !step(until: deadline)
            } else {
                await park(until: deadline, isStandingOrder: false) { false }
            }
            if Task.isCancelled { throw CancellationError() }
        }
        if virtual != nil { await Task.yield() }
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

    /// A host did something.
    func noteActivity() { state.withLock { $0.activity &+= 1 } }

    /// Runs the events that are due.
    func catchUp() {
        while runNext(notAfter: now(), otherwiseMove: false).ran {}
    }

    /// One step of a wait of the host: to the next event or to `target` (rule 1). On real time: until
    /// then, or until `isReady`.
    func pass(until target: Timestamp, isReady: @escaping @Sendable () -> Bool) async {
        guard virtual == nil else {
            _ = step(until: target)
            return
        }
        await park(until: target, isStandingOrder: false, isReady)
    }

    /// Waits as a standing order (rules 2, 3 and 5): until `isReady`, the deadline or cancellation.
    func stand(until deadline: Timestamp, isReady: @escaping @Sendable () -> Bool) async {
        while !Task.isCancelled, !isReady(), now() < deadline {
            if advanceToAwaitedEvent(notAfter: deadline) { continue }
            await park(until: deadline, isStandingOrder: true, isReady)
        }
    }

    /// Something changed: wakes the waits that it ends, and those that may now move the clock.
    ///
    /// - Returns: whether a standing order was served.
    @discardableResult
    func signal() -> Bool {
        let waiters = state.withLock { $0.waiters }
        guard !waiters.isEmpty else { return false }
        var served = false
        let atRest = awaitedEvent() != nil
        for (id, waiter) in waiters {
            if waiter.isReady() {
                served = served || waiter.isStandingOrder
                wake(id)
            } else if atRest, waiter.isStandingOrder {
                wake(id)
            }
        }
        return served
    }

    /// - Returns: whether an event on the way served a standing order.
    private func step(until target: Timestamp) -> Bool {
        runNext(notAfter: target, otherwiseMove: true).served
    }

    private func runNext(notAfter moment: Timestamp, otherwiseMove: Bool) -> (ran: Bool, served: Bool) {
        let ran = stepping.withLock { _ in
            guard let event = state.withLock({ $0.schedule.popFirst(notAfter: moment) }) else {
                if otherwiseMove { virtual?.advance(to: moment) }
                return false
            }
            run(event)
            return true
        }
        let served = ran && signal()
        if ran || otherwiseMove { wakeExpired() }
        return (ran, served)
    }

    private func advanceToAwaitedEvent(notAfter deadline: Timestamp) -> Bool {
        let advanced = stepping.withLock { _ in
            guard let awaited = awaitedEvent(), awaited.moment <= deadline,
                let event = state.withLock({ $0.schedule.popFirst(notAfter: awaited.moment) })
            else { return false }
            run(event)
            return true
        }
        if advanced {
            signal()
            wakeExpired()
        }
        return advanced
    }

    private func run(_ event: SimulationSchedule.Event) {
        virtual?.advance(to: event.moment)
        event.action()
    }

    /// The next event, if a host that is at rest may be waiting for it.
    private func awaitedEvent() -> SimulationSchedule.Event? {
        guard virtual != nil else { return nil }
        let (next, probes) = state.withLock { ($0.schedule.next, $0.restProbes) }
        guard let next, next.expectation == .awaited, probes.allSatisfy({ $0() }) else { return nil }
        return next
    }

    // MARK: Suspending

    private func park(
        until deadline: Timestamp, isStandingOrder: Bool, _ isReady: @escaping @Sendable () -> Bool
    ) async {
        let (id, activity, target) = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(
                deadline: deadline, isStandingOrder: isStandingOrder, isReady: isReady)
            return (state.lastWaiter, state.activity, min(deadline, state.schedule.next?.moment ?? deadline))
        }
        let gap = Duration.milliseconds(max(0, target.milliseconds &- now().milliseconds))
        let timer = Task {
            do { try await pace.sleep(for: gap) } catch { return }
            realTimePassed(until: target, sawActivity: activity)
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
                if isReady() || Task.isCancelled || now() >= deadline || (isStandingOrder && awaitedEvent() != nil) {
                    wake(id)
                }
            }
        } onCancel: {
            wake(id)
        }
        timer.cancel()
    }

    private func realTimePassed(until target: Timestamp, sawActivity activity: Int) {
        guard virtual != nil else { return catchUp() }
        if state.withLock({ $0.activity }) == activity { _ = step(until: target) }
    }

    private func wake(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation?.resume()
    }

    private func wakeExpired() {
        let now = now()
        for id in state.withLock({ $0.waiters.filter { $0.value.deadline <= now }.keys }) { wake(id) }
    }

    private func wakeAll() {
        for id in state.withLock({ Array($0.waiters.keys) }) { wake(id) }
    }
}
