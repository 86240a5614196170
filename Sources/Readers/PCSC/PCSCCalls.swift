import CPCSC
import Concurrency
import Determinism
import Dispatch
import Glibc
import Synchronization

/// The calls of one context. They block, and run one after the other on a thread outside Swift's concurrency:
/// libpcsclite locks a context during a call, and waiting for that lock blocks every other context of the process.
///
/// Every call has a deadline from the moment it is requested. A call that does not return by then is abandoned with its
/// thread, and the context accepts no further calls.
final class PCSCCalls: Sendable {
    /// The behavior of a call when its task is canceled, and when the context is released.
    enum Interruption: Sendable {
        /// The task keeps waiting, until the deadline.
        case none
        /// The task abandons the call.
        case leaving
        /// The task runs this on another thread, repeatedly, until the call returns.
        case calling(@Sendable () -> Void)
    }

    private struct Entry {
        let call: PCSCCall
        /// The reading of the clock at which the call is late.
        var deadline: Duration
        let interruption: Interruption
        /// Ends the wait for the call, whether it returns or not.
        let giveUp: @Sendable (PCSCError) -> Void
        var isRunning = false
        /// The reason for the interruption.
        var reason: PCSCError?
    }

    private struct State {
        /// No further calls are accepted.
        var isClosed = false
        /// A call was abandoned.
        var isStuck = false
        var last: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// The number of the current watch, and the time of its next check.
        var watch = (number: UInt64(0), next: Duration.zero, task: Task<Void, Never>?.none)
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "pcsc-calls")
    private let interruptions = DispatchQueue(label: "pcsc-interruptions")
    private let timing: PCSCTiming
    private let time: any TimeSource

    init(_ timing: PCSCTiming, _ time: any TimeSource) { (self.timing, self.time) = (timing, time) }

    deinit { state.withLock { $0.watch.task?.cancel() } }

    /// Whether further calls are refused.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the running call should return early, or no task waits for it anymore. The call itself checks this.
    var isInterrupted: Bool {
        state.withLock { state in !state.entries.values.contains { $0.isRunning && $0.reason == nil } }
    }

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - call: the function, for errors.
    ///   - wait: for its return.
    ///   - interruption: what happens when the task is canceled.
    ///   - undo: receives a result that arrives after its task stopped waiting.
    ///   - body: makes the call.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; ``PCSCError/timedOut(_:)``, ``PCSCError/canceled``, ``PCSCError/closed``.
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
            interrupt(number, because: .canceled)
        }
        return try result.get()
    }

    /// Refuses further calls, interrupts the running one, and runs `body` after all accepted calls. Returns after it,
    /// or at once when an abandoned call blocks it.
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

    /// Runs `body` after all accepted calls; does not wait for it.
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
        if let entry, entry.reason == nil {
            answer.give(result)
            return
        }
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

    /// Makes sure that the clock is checked at `deadline`. One watch serves many calls: it is not restarted for each,
    /// nor woken when a call ends in time.
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

    /// Ends the calls that are late.
    ///
    /// - Returns: when to check again; nil when nothing runs, or when another watch took over.
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
                // The thread is blocked: queued calls cannot run.
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
            let pause: Duration
            let interrupt: (@Sendable () -> Void)?
            switch entry.interruption {
            case .none: return nil
            // It may be about to return, and the context would continue.
            case .leaving: (pause, interrupt) = (timing.retryInterval, nil)
            case .calling(let body): (pause, interrupt) = (timing.interruption, body)
            }
            entry.reason = reason
            entry.deadline = time.reading() + pause
            state.entries[number] = entry
            watch(until: entry.deadline, &state)
            return interrupt
        }
        guard let interrupt else { return }
        Task { [weak self, time, interruptions] in
            // The call may not have reached its interruptible wait yet: one attempt is not enough.
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

/// Reader states in C's layout, with the names that they point to.
struct PCSCReaderStateBuffer: ~Copyable {
    private let known: [PCSCReaderState]
    private let memory: UnsafeMutableBufferPointer<cpcsc_reader_state>

    init(_ known: [PCSCReaderState]) {
        self.known = known
        // At least one, so that there is an address.
        memory = .allocate(capacity: max(1, known.count))
        memory.initialize(repeating: cpcsc_reader_state())
        for (index, state) in known.enumerated() {
            memory[index].reader = UnsafePointer(strdup(state.reader))
            memory[index].current_state = UInt(state.events) << 16 | UInt(state.flags.rawValue)
        }
    }

    deinit {
        for state in memory { free(UnsafeMutablePointer(mutating: state.reader)) }
        memory.deallocate()
    }

    /// Gives the states to `body` for the length of the call.
    func withPointer(_ body: (UnsafeMutablePointer<cpcsc_reader_state>) -> Int) -> Int {
        memory.baseAddress.map(body) ?? 0
    }

    /// The states written by a call.
    var states: [PCSCReaderState] {
        zip(known, memory).map { known, state in
            let flags = PCSCReaderState.Flags(rawValue: UInt16(truncatingIfNeeded: state.event_state))
            let answer = withUnsafeBytes(of: state.atr) { Array($0.prefix(Int(min(state.atr_length, UInt($0.count))))) }
            return PCSCReaderState(
                reader: known.reader, flags: flags.subtracting(.changed),
                events: UInt16(truncatingIfNeeded: state.event_state >> 16),
                answerToReset: flags.contains(.present) ? answer : [])
        }
    }
}

/// A buffer for the longest answer of a card, allocated once per context.
///
/// Only the calls of one context use it, one after the other; between them it is empty.
final class PCSCAnswerBuffer: Sendable {
    /// 65,536 bytes, and the status word.
    static let capacity = 65_538

    // Accessed only in `fill`, which the calls of one context run one at a time.
    nonisolated(unsafe) private let memory: UnsafeMutablePointer<UInt8>

    init() {
        memory = .allocate(capacity: Self.capacity)
        memory.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { memory.deallocate() }

    /// Lets `call` write an answer and set its length, which is `room` before. Wipes the buffer after it, as the answer
    /// may be card data.
    ///
    /// - Returns: the answer.
    /// - Throws: ``PCSCError/malformedAnswer(_:_:)`` when the call reports more bytes than fit, and the error of
    ///   `call`.
    func fill(
        _ name: PCSCCall, room: Int = capacity,
        _ call: (UnsafeMutablePointer<UInt8>, inout UInt) throws(PCSCError) -> Void
    ) throws(PCSCError) -> [UInt8] {
        let room = min(max(0, room), Self.capacity)
        var length = UInt(room)
        var used = room
        defer { explicit_bzero(memory, used) }
        try call(memory, &length)
        guard length <= room else {
            throw .malformedAnswer(name, "\(length) bytes where \(room) were to be had")
        }
        used = Int(length)
        return Array(UnsafeBufferPointer(start: memory, count: used))
    }
}
