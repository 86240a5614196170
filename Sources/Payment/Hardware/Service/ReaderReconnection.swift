import Determinism
import Synchronization

/// The schedule for reconnecting a lost reader. A value without I/O or clock: the caller reports each event with a
/// clock reading, and carries out the steps.
struct ReaderReconnection {
    /// The next step of the reconnection.
    enum Step: Hashable {
        /// Check whether the reader is present.
        case look
        /// Open the reader.
        case open
        /// Wait for the reader to arrive, at most this long.
        case wait(Duration)
    }

    /// The first pause between two attempts to open a reader; it doubles after each attempt.
    static let firstPause = Duration.milliseconds(100)
    static let longestPause = Duration.seconds(5)

    private(set) var state = CardReaderReconnectionState.idle
    private let policy: ReconnectionPolicy
    private var start = Duration.zero
    /// Nil when the presence must be checked.
    private var isPresent: Bool?
    private var nextAttempt = Duration.zero
    private var pause = firstPause
    private var lastError: UnderlyingError?
    /// Whether the reader came back, as a new device, while the old device was being opened.
    private var hasComeAnew = false

    init(_ policy: ReconnectionPolicy) { self.policy = policy }

    /// Starts the reconnection of a lost reader.
    ///
    /// - Parameters:
    ///   - reader: The lost reader.
    ///   - reading: The clock reading.
    ///   - now: The date of the same moment, for display.
    mutating func begin(_ reader: CardReader, at reading: Duration, now: Timestamp) {
        state = .reconnecting(reader, attempt: 0, since: now)
        (start, nextAttempt, pause) = (reading, reading, Self.firstPause)
        (isPresent, lastError, hasComeAnew) = (nil, nil, false)
    }

    /// Returns the next step; nil when the reconnection has ended.
    mutating func next(at reading: Duration) -> Step? {
        guard case .reconnecting(let reader, let attempt, let since) = state else { return nil }
        let left = policy.giveUpAfter - (reading - start)
        guard left > .zero else {
            state = .failed(reader, .gaveUp(after: policy.giveUpAfter, last: lastError))
            return nil
        }
        guard let isPresent else { return .look }
        guard isPresent else { return .wait(left) }
        guard reading >= nextAttempt else { return .wait(min(left, nextAttempt - reading)) }
        state = .reconnecting(reader, attempt: attempt + 1, since: since)
        hasComeAnew = false
        return .open
    }

    /// Records that the reader was checked, arrived, or left.
    mutating func saw(isPresent: Bool, at reading: Duration) {
        // A reader that arrives is tried at once, whatever failed before.
        if isPresent, self.isPresent == false { (nextAttempt, pause, hasComeAnew) = (reading, Self.firstPause, true) }
        self.isPresent = isPresent
    }

    /// Records that the reader could not be opened.
    mutating func refused(_ error: UnderlyingError, at reading: Duration) {
        guard case .reconnecting(let reader, _, _) = state else { return }
        lastError = error
        switch error {
        case .readerIncompatible: state = .failed(reader, .refused(error))
        case _ where hasComeAnew: nextAttempt = reading
        default:
            // The reader may be gone again: check that first.
            isPresent = nil
            nextAttempt = reading + pause
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Records that the reader is open again.
    mutating func opened(_ reader: CardReader) { state = .succeeded(reader) }

    /// Cancels the reconnection.
    mutating func cancel() {
        if case .reconnecting(let reader, _, _) = state { state = .failed(reader, .canceled) }
    }

    /// Resets the state, when a reader is connected or disconnected on request.
    mutating func reset() { state = .idle }
}

/// Whether to reconnect a lost reader, and for how long to try.
public struct ReconnectionPolicy: Hashable, Sendable {
    public var isEnabled: Bool
    /// The time limit, from the loss of the reader.
    public var giveUpAfter: Duration
    /// The longest time for which a new payment waits for the reader.
    public var paymentWait: Duration

    /// Sets the policy. `paymentWait` is how long a payment waits for a reader that is being reconnected.
    public init(isEnabled: Bool = true, giveUpAfter: Duration = .seconds(60), paymentWait: Duration = .seconds(5)) {
        (self.isEnabled, self.giveUpAfter, self.paymentWait) = (isEnabled, giveUpAfter, paymentWait)
    }

    /// Lost readers are not reconnected.
    public static let off = ReconnectionPolicy(isEnabled: false)
}

/// A step of recovering a reader that does not answer correctly. The steps run in turn until one succeeds; each has a
/// time limit.
public enum ReaderRecoveryStep: String, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The current command is aborted.
    case abort
    /// The card is powered off; the next payment powers it on again.
    case slotPowerOff
    /// The device is reset.
    case deviceReset
    /// The reader answers again.
    case recovered
    /// An answer to an abandoned command, of this program or another one, is skipped.
    case staleAnswer
    /// The reader refuses a command for its lights and its buzzer, or does not answer it. The payment goes on; reported
    /// once.
    case indicatorsFailed
    /// The reader no longer answers. It is closed, and opened again when reconnection is enabled.
    case dead

    public var description: String {
        switch self {
        case .abort: "the reader does not answer: aborting its command"
        case .slotPowerOff: "the reader does not answer: powering the card off"
        case .deviceReset: "the reader does not answer: resetting it"
        case .recovered: "the reader answers again"
        case .staleAnswer: "skipped a late answer of the reader"
        case .indicatorsFailed: "the lights and the buzzer of the reader do not work"
        case .dead: "the reader no longer answers"
        }
    }
}

/// Lets tasks wait for a change. An actor that checks its state and waits without suspending in between misses no
/// change that it makes itself.
final class ChangeSignal: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Resumes all waiting tasks.
    func fire() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            // In the order in which they began to wait, so that runs are repeatable.
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns at the next change, after the duration, or when the task is canceled.
    func wait(atMost duration: Duration, _ time: any TimeSource) async {
        let ticket = state.withLock { state in
            state.last += 1
            return state.last
        }
        let timer = Mutex<Task<Void, Never>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[ticket] = continuation }
                // Started once a task waits. It ends early only by cancellation: the wait is over either way.
                let sleeper = Task {
                    try? await time.sleep(for: duration)
                    wake(ticket)
                }
                timer.withLock { $0 = sleeper }
                if Task.isCancelled { sleeper.cancel() }
            }
        } onCancel: {
            timer.withLock { $0 }?.cancel()
        }
        timer.withLock { $0 }?.cancel()
    }

    private func wake(_ ticket: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
}
