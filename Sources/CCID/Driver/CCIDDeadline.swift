internal import Determinism

/// The time that is left for an answer. Each transfer gets ``remaining`` as its own timeout, which the
/// transport keeps; the time source only tells how much of it earlier transfers used up.
struct CCIDDeadline {
    private let start: Duration
    private let total: Duration
    private var waitStart: Duration
    private var wait: Duration
    /// For the next transfer.
    private(set) var remaining: Duration

    /// - Parameters:
    ///   - wait: for the answer, from now.
    ///   - total: for the answer and all extensions of the wait, from now.
    ///   - time: what the waits are measured by.
    init(_ wait: Duration, total: Duration, _ time: any TimeSource) {
        start = time.reading()
        waitStart = start
        self.total = total
        self.wait = min(wait, total)
        remaining = self.wait
    }

    /// Goes on with the same wait after a transfer that was no answer.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func goOn(
        _ type: CCIDCommandType, _ time: any TimeSource, counting strays: inout Int
    ) throws(CCIDError) {
        strays += 1
        guard strays <= CCIDReader.maximumStrays else { throw .noEnd(type) }
        remaining = min(remaining, wait - time.elapsed(since: waitStart))
        guard remaining > .zero else { throw .timedOut(type) }
    }

    /// Begins a new wait within the same total.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``
    mutating func restart(_ wait: Duration, _ type: CCIDCommandType, _ time: any TimeSource) throws(CCIDError) {
        self.wait = min(wait, total - time.elapsed(since: start))
        guard self.wait > .zero else { throw .timedOut(type) }
        waitStart = time.reading()
        remaining = self.wait
    }
}
