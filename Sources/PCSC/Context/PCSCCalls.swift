internal import Determinism
internal import Dispatch
internal import Synchronization

/// The calls of one context. They block, and run one after the other on a thread that belongs to no Swift task:
/// libpcsclite locks a context for the length of a call, and whoever waits for that lock stops every other context of
/// the process.
///
/// Every call has a deadline, from the moment at which it is asked for. One that does not return by then is left
/// behind with its thread, and no more calls are let in.
final class PCSCCalls: Sendable {
    /// What a task does about its call when it is cancelled, and when the context is released.
    enum Interruption: Sendable {
        /// It waits on, until the deadline.
        case none
        /// It leaves the call behind.
        case leaving
        /// It makes the call return: by this, on another thread, again and again until it has.
        case calling(@Sendable () -> Void)
    }

    private struct Entry {
        let call: PCSCCall
        /// What the clock reads when the call is late.
        var deadline: Duration
        let interruption: Interruption
        /// Ends the wait for the call, whether it returns or not.
        let giveUp: @Sendable (PCSCError) -> Void
        var isRunning = false
        /// Why it was interrupted.
        var reason: PCSCError?
    }

    private struct State {
        /// No more calls are let in.
        var isClosed = false
        /// A call was left behind.
        var isStuck = false
        var last: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// Which watch is under way, counted, and when it looks next.
        var watch = (number: UInt64(0), next: Duration.zero, task: Task<Void, Never>?.none)
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "pcsc-calls")
    private let interruptions = DispatchQueue(label: "pcsc-interruptions")
    private let timing: PCSCTiming
    private let time: any TimeSource

    init(_ timing: PCSCTiming, _ time: any TimeSource) { (self.timing, self.time) = (timing, time) }

    deinit { state.withLock { $0.watch.task?.cancel() } }

    /// Whether no more calls are let in.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the call that runs is to return early, or nobody waits for it any more. Asked by the call itself.
    var isInterrupted: Bool {
        state.withLock { state in !state.entries.values.contains { $0.isRunning && $0.reason == nil } }
    }

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - call: what is called, for errors.
    ///   - wait: for its return.
    ///   - interruption: what is done when the task is cancelled.
    ///   - undo: what is done with a result that came too late for anybody to take.
    ///   - body: makes the call.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; ``PCSCError/timedOut(_:)``, ``PCSCError/cancelled``, ``PCSCError/closed``.
    func run<Value: Sendable>(
        _ call: PCSCCall, within wait: Duration, interruption: Interruption = .none,
        undo: @escaping @Sendable (Value) -> Void = { _ in },
        _ body: @escaping @Sendable () throws(PCSCError) -> Value
    ) async throws(PCSCError) -> Value {
        let answer = FirstAnswer<Value, PCSCError>()
        let number = try admit(call, within: wait, interruption) { answer.give(.failure($0)) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                start { self.perform(number, answer, undo: undo, body) }
            }
        } onCancel: {
            interrupt(number, because: .cancelled)
        }
        return try result.get()
    }

    /// Lets no more calls in, interrupts what runs, and runs `body` after all that was let in. Returns after it, or at
    /// once when it would have to wait behind a call that was left behind.
    func close(_ body: @escaping @Sendable () -> Void) async {
        let answer = FirstAnswer<Void, Never>()
        let (number, earlier): (UInt64?, [UInt64]) = state.withLock { state in
            state.isClosed = true
            guard !state.isStuck else { return (nil, []) }
            let earlier = Array(state.entries.keys)
            let giveUp: @Sendable (PCSCError) -> Void = { _ in answer.give(.success(())) }
            return (insert(.releaseContext, within: timing.command, .none, giveUp, &state), earlier)
        }
        guard let number else { return start(body) }
        for number in earlier { interrupt(number, because: .closed) }
        _ = await withCheckedContinuation { continuation in
            answer.wait(continuation)
            start {
                body()
                _ = self.end(number)
                answer.give(.success(()))
            }
        }
    }

    /// Runs `body` after all that was let in; does not wait for it.
    func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    private func perform<Value: Sendable>(
        _ number: UInt64, _ answer: FirstAnswer<Value, PCSCError>, undo: (Value) -> Void,
        _ body: () throws(PCSCError) -> Value
    ) {
        let isWanted = state.withLock { state in
            guard let entry = state.entries[number], entry.reason == nil else { return false }
            state.entries[number]?.isRunning = true
            return true
        }
        guard isWanted else {
            if let entry = end(number) { answer.give(.failure(entry.reason ?? .closed)) }
            return
        }
        let result = Result(catching: body)
        let entry = end(number)
        if let entry, entry.reason == nil { return answer.give(result) }
        if case .success(let value) = result { undo(value) }
        if let reason = entry?.reason { answer.give(.failure(reason)) }
    }

    private func end(_ number: UInt64) -> Entry? { state.withLock { $0.entries.removeValue(forKey: number) } }

    // MARK: Deadlines

    private func admit(
        _ call: PCSCCall, within wait: Duration, _ interruption: Interruption,
        giveUp: @escaping @Sendable (PCSCError) -> Void
    ) throws(PCSCError) -> UInt64 {
        let number = state.withLock { state in
            state.isClosed ? nil : insert(call, within: wait, interruption, giveUp, &state)
        }
        guard let number else { throw .closed }
        return number
    }

    private func insert(
        _ call: PCSCCall, within wait: Duration, _ interruption: Interruption,
        _ giveUp: @escaping @Sendable (PCSCError) -> Void, _ state: inout State
    ) -> UInt64 {
        state.last += 1
        let deadline = time.reading() + wait
        state.entries[state.last] = Entry(call: call, deadline: deadline, interruption: interruption, giveUp: giveUp)
        watch(until: deadline, &state)
        return state.last
    }

    /// Makes sure that somebody looks at the clock at `deadline`. One watch serves many calls: it is not started anew
    /// for each, nor woken when a call ends in time.
    private func watch(until deadline: Duration, _ state: inout State) {
        guard state.watch.task == nil || deadline < state.watch.next else { return }
        state.watch.task?.cancel()
        let number = state.watch.number + 1
        state.watch = (
            number, deadline,
            Task { [weak self, time] in
                var next: Duration? = deadline
                while let moment = next, (try? await time.sleep(for: moment - time.reading())) != nil {
                    next = self?.look(number)
                }
            }
        )
    }

    /// Deals with the calls that are late.
    ///
    /// - Returns: when to look again; nil when nothing runs, or when another watch does.
    private func look(_ watch: UInt64) -> Duration? {
        let now = time.reading()
        var late: [UInt64] = []
        var lost: [Entry] = []
        let next: Duration? = state.withLock { state in
            guard state.watch.number == watch else { return nil }
            for (number, entry) in state.entries where entry.deadline <= now {
                if case .calling = entry.interruption, entry.reason == nil {
                    late.append(number)
                } else {
                    lost.append(entry)
                }
            }
            if !lost.isEmpty {
                // The thread is blocked: what waits for its turn has none.
                lost = Array(state.entries.values)
                state.entries = [:]
                (state.isClosed, state.isStuck) = (true, true)
                late = []
            }
            let next = state.entries.filter { !late.contains($0.key) }.map(\.value.deadline).min()
            if let next { state.watch.next = next } else { state.watch.task = nil }
            return next
        }
        for entry in lost { entry.giveUp(entry.reason ?? .timedOut(entry.call)) }
        for number in late { interruptLate(number) }
        return next
    }

    private func interruptLate(_ number: UInt64) {
        guard let call = state.withLock({ $0.entries[number]?.call }) else { return }
        interrupt(number, because: .timedOut(call))
    }

    // MARK: Interruption

    private func interrupt(_ number: UInt64, because reason: PCSCError) {
        let interrupt: (@Sendable () -> Void)? = state.withLock { state in
            guard var entry = state.entries[number], entry.reason == nil else { return nil }
            let patience: Duration
            let interrupt: (@Sendable () -> Void)?
            switch entry.interruption {
            case .none: return nil
            // It may be about to return, and the context would go on.
            case .leaving: (patience, interrupt) = (timing.retryInterval, nil)
            case .calling(let body): (patience, interrupt) = (timing.interruption, body)
            }
            entry.reason = reason
            entry.deadline = time.reading() + patience
            state.entries[number] = entry
            watch(until: entry.deadline, &state)
            return interrupt
        }
        guard let interrupt else { return }
        Task { [weak self, time, interruptions] in
            // A call may be on its way into the wait that can be interrupted: one try is not enough.
            while self?.isRunning(number) == true {
                await withCheckedContinuation { continuation in
                    interruptions.async {
                        interrupt()
                        continuation.resume()
                    }
                }
                try? await time.sleep(for: .milliseconds(10))
            }
        }
    }

    private func isRunning(_ number: UInt64) -> Bool { state.withLock { $0.entries[number]?.isRunning ?? false } }
}
