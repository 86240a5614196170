public import Determinism
import Synchronization

/// The time of a simulated world, and the events planned in it. Everything in the world waits here: the simulated bus,
/// and the host through `TimeSource`.
///
/// On a `VirtualTimeSource` no wait takes real time. Waiting does not move the clock: the runner of the world does,
/// with ``moveOn(notAfter:)``, when no task of the world can run. The clock then goes to the next moment at which an
/// event happens or a wait ends. The runner is the ``RunQueue`` in which the clock was created; a clock that was
/// created outside of a run queue stands still until its owner moves it.
///
/// On any other time source the clock shows that source's time and all waits are real. Use this for a world that deals
/// with other programs, such as readers served over USB/IP.
public final class SimulationClock: TimeSource {
    private struct Waiter {
        let id: Int
        let deadline: Timestamp
        let isReady: @Sendable () -> Bool
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct State {
        var schedule = SimulationSchedule()
        /// In the order in which they came, which is that of their numbers.
        var waiters: [Waiter] = []
        var lastWaiter = 0
        /// How long the machine has slept.
        var asleep = Duration.zero

        /// The place of a waiter; nil when it waits no more.
        func place(of id: Int) -> Int? { waiters.lastIndex { $0.id == id } }
    }

    private let base: any TimeSource
    private let virtual: VirtualTimeSource?
    private let state = Mutex(State())
    // Held while an event runs, so that events run one at a time and in order.
    private let stepping = Mutex<Void>(())

    /// Creates a clock, which the current ``RunQueue`` moves, if there is one.
    ///
    /// - Parameter base: the time to show. Waits are virtual on a `VirtualTimeSource` and real on any other source.
    public init(_ base: any TimeSource = VirtualTimeSource()) {
        self.base = base
        virtual = base as? VirtualTimeSource
        if virtual != nil { RunQueue.current?.add(self) }
    }

    /// Moves a virtual clock on by `duration`, whatever waits. Events of that time happen afterward.
    public func elapse(_ duration: Duration) { virtual?.advance(by: duration) }

    /// Moves a virtual clock to the next moment at which an event happens or a wait ends. Call this when no task of the
    /// world can run.
    ///
    /// - Parameter limit: the latest moment to move to.
    /// - Returns: false when nothing happens until then; the clock has not moved.
    public func moveOn(notAfter limit: Timestamp) -> Bool {
        guard let virtual, let target = nextMoment, target <= limit else { return false }
        let event = state.withLock { $0.schedule.next?.moment }
        // An event at the moment at which a wait ends comes before that end.
        if let event, event <= target { return runNext(notAfter: target) }
        virtual.advance(to: target)
        wakeExpired()
        return true
    }

    /// The next moment at which an event happens or a wait ends; nil when there is none, and on real time.
    var nextMoment: Timestamp? {
        guard virtual != nil else { return nil }
        return state.withLock { state in
            var next = state.schedule.next?.moment
            for waiter in state.waiters { next = min(next ?? waiter.deadline, waiter.deadline) }
            return next
        }
    }

    /// Drops all planned events. Call this at the end of a world: events may hold the world, and so the clock.
    public func forgetSchedule() { state.withLock { $0.schedule = SimulationSchedule() } }

    /// The number of tasks that wait for the clock or for an event of its world.
    public var waitingTasks: Int { state.withLock { $0.waiters.count } }

    public func now() -> Timestamp { base.now() }

    public func reading() -> Duration { base.reading() }

    public func offsetSeconds(at moment: Timestamp) -> Int { base.offsetSeconds(at: moment) }

    public func timeAsleep() -> Duration { state.withLock { $0.asleep } }

    /// Suspends the machine: time passes, and nothing happens until it wakes up.
    func suspend(for duration: Duration) {
        state.withLock { $0.asleep += duration }
        virtual?.advance(by: duration)
    }

    /// Plans an event.
    ///
    /// - Parameters:
    ///   - delay: the time until then; a negative one counts as zero.
    ///   - action: the event. It must not wait or sleep.
    public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let moment = self.moment(after: delay)
        state.withLock { $0.schedule.add(at: moment, action) }
        // Waits on real time may end earlier now.
        if virtual == nil { wake { _ in true } }
    }

    public func sleep(for duration: Duration) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        let deadline = moment(after: duration)
        while now() < deadline {
            await wait(until: deadline) { false }
            if Task.isCancelled { throw CancellationError() }
        }
    }

    // MARK: For the simulated bus

    var isVirtual: Bool { virtual != nil }

    /// The moment after `duration`, rounded up to the next millisecond so that every wait makes progress.
    func moment(after duration: Duration) -> Timestamp {
        let bounded = min(max(duration, .zero), .seconds(100 * 366 * 86_400))
        let (seconds, attoseconds) = bounded.components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Timestamp(milliseconds: now().milliseconds &+ seconds * 1000 &+ milliseconds)
    }

    /// Runs the events that are due.
    func catchUp() {
        while runNext(notAfter: now()) {}
    }

    /// Waits until `isReady`, the deadline or cancellation; on real time also until the next event. Look again after
    /// it.
    func wait(until deadline: Timestamp, isReady: @escaping @Sendable () -> Bool) async {
        let (id, target) = state.withLock { state in
            state.lastWaiter += 1
            state.waiters.append(Waiter(id: state.lastWaiter, deadline: deadline, isReady: isReady))
            return (state.lastWaiter, min(deadline, state.schedule.next?.moment ?? deadline))
        }
        let timer = virtual == nil ? realTimer(until: target, waking: id) : nil
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state -> Bool in
                    guard let place = state.place(of: id) else { return false }
                    state.waiters[place].continuation = continuation
                    return true
                }
                guard isWaiting else { return continuation.resume() }
                // Anything that happened before the continuation was in its place would be missed.
                if isReady() || Task.isCancelled || now() >= deadline { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
        timer?.cancel()
    }

    private func realTimer(until target: Timestamp, waking id: Int) -> Task<Void, Never> {
        let gap = Duration.milliseconds(max(0, target.milliseconds &- now().milliseconds))
        // A waiting task checks again after a day.
        let pause = min(gap, .seconds(86_400))
        return Task {
            do { try await base.sleep(for: pause) } catch { return }
            catchUp()
            wake(id)
        }
    }

    /// Moves a virtual clock through the planned events until `isReady`, or to `moment`. For a caller that runs its
    /// world by itself, because the other side is not in it.
    ///
    /// - Parameters:
    ///   - moment: nil to end after the last planned event.
    ///   - isReady: whether the other side can go on.
    /// - Returns: false when the clock cannot get there without the other side.
    func run(until moment: Timestamp?, isReady: () -> Bool) -> Bool {
        while !isReady() {
            if moveOn(notAfter: moment ?? Timestamp(milliseconds: .max - 1)) { continue }
            guard let moment else { return false }
            virtual?.advance(to: moment)
            return true
        }
        return true
    }

    /// Something changed: wakes the waits that this ends.
    func signal() { wake { $0.isReady() } }

    /// - Returns: whether there was an event.
    private func runNext(notAfter moment: Timestamp) -> Bool {
        let hasRun = stepping.withLock { _ in
            guard let event = state.withLock({ $0.schedule.popFirst(notAfter: moment) }) else { return false }
            virtual?.advance(to: event.moment)
            event.action()
            return true
        }
        guard hasRun else { return false }
        signal()
        wakeExpired()
        return true
    }

    private func wakeExpired() {
        let now = now()
        wake { $0.deadline <= now }
    }

    /// Wakes those of the present waiters that are due, in their order. Most signals wake none, so that the list is
    /// seldom copied.
    private func wake(_ isDue: (Waiter) -> Bool) {
        for waiter in state.withLock({ $0.waiters }) where isDue(waiter) { wake(waiter.id) }
    }

    private func wake(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.place(of: id) else { return nil }
            return state.waiters.remove(at: place)
        }
        waiter?.continuation?.resume()
    }
}

/// The planned events of a simulated world, in the order of their time, and at the same time in the order in which they
/// were added. A value without a clock.
struct SimulationSchedule: Sendable {
    /// One event.
    struct Event: Sendable {
        let moment: Timestamp
        let action: @Sendable () -> Void
    }

    // Sorted; the earliest event is last, where it is cheap to take.
    private var events: [Event] = []

    /// The earliest event.
    var next: Event? { events.last }

    /// Adds an event behind all others of the same moment.
    mutating func add(at moment: Timestamp, _ action: @escaping @Sendable () -> Void) {
        let place = events.lastIndex { $0.moment > moment }.map { $0 + 1 } ?? 0
        events.insert(Event(moment: moment, action: action), at: place)
    }

    /// Takes the earliest event, if it is not later than `moment`.
    mutating func popFirst(notAfter moment: Timestamp) -> Event? {
        guard let next, next.moment <= moment else { return nil }
        return events.popLast()
    }
}

/// The wall clock, for code in a simulated world that deals with something real, such as a server. Outside of every
/// world it is the system's clock.
public struct OutsideTimeSource: TimeSource {
    private let system = SystemTimeSource()

    /// Reads the machine's clock.
    public init() {}

    public func now() -> Timestamp { system.now() }

    public func reading() -> Duration { system.reading() }

    public func timeAsleep() -> Duration { system.timeAsleep() }

    public func offsetSeconds(at moment: Timestamp) -> Int { system.offsetSeconds(at: moment) }

    /// Waits in real time. Simulated time stands still meanwhile.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await RunQueue.outside { [system] () async throws(CancellationError) in
            try await system.sleep(for: duration)
        }
    }
}
