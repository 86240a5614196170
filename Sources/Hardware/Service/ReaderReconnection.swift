internal import Determinism

/// When to try what to get a lost reader back. A value without I/O or clock: whoever drives it tells it what happened
/// and at which reading of the clock, and carries out the steps that it names.
struct ReaderReconnection {
    /// What is to be done now.
    enum Step: Hashable {
        /// See whether the reader is there.
        case look
        /// Open the reader.
        case open
        /// Wait for the reader to arrive, for this long at most.
        case wait(Duration)
    }

    /// Between two attempts to open a reader that is there; it doubles with each of them.
    static let firstPause = Duration.milliseconds(100)
    static let longestPause = Duration.seconds(5)

    private(set) var state = CardReaderReconnectionState.idle
    private let policy: ReconnectionPolicy
    private var start = Duration.zero
    /// nil when somebody has to look.
    private var isPresent: Bool?
    private var nextAttempt = Duration.zero
    private var pause = firstPause
    private var lastError: UnderlyingError?
    /// The reader came while it was being opened, as another device than the one that was opened.
    private var hasComeAnew = false

    init(_ policy: ReconnectionPolicy) { self.policy = policy }

    /// A reader was lost.
    ///
    /// - Parameters:
    ///   - reader: which one.
    ///   - reading: of the clock.
    ///   - now: the same moment, to be shown.
    mutating func begin(_ reader: CardReader, at reading: Duration, now: Timestamp) {
        state = .reconnecting(reader, attempt: 0, since: now)
        (start, nextAttempt, pause) = (reading, reading, Self.firstPause)
        (isPresent, lastError, hasComeAnew) = (nil, nil, false)
    }

    /// The next step; nil when there is nothing to do any more.
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

    /// The reader was looked for, came or went.
    mutating func saw(isPresent: Bool, at reading: Duration) {
        // One that comes is tried at once, whatever went wrong before.
        if isPresent, self.isPresent == false { (nextAttempt, pause, hasComeAnew) = (reading, Self.firstPause, true) }
        self.isPresent = isPresent
    }

    /// The reader could not be opened.
    mutating func refused(_ error: UnderlyingError, at reading: Duration) {
        guard case .reconnecting(let reader, _, _) = state else { return }
        lastError = error
        switch error {
        case .readerIncompatible: state = .failed(reader, .refused(error))
        case _ where hasComeAnew: nextAttempt = reading
        default:
            // It may be gone again: that is looked at first.
            isPresent = nil
            nextAttempt = reading + pause
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// The reader is open again.
    mutating func opened(_ reader: CardReader) { state = .succeeded(reader) }

    /// Nobody wants the reader back any more.
    mutating func cancel() {
        if case .reconnecting(let reader, _, _) = state { state = .failed(reader, .cancelled) }
    }

    /// A reader is connected or disconnected on request: what was before is over.
    mutating func reset() { state = .idle }
}
