internal import Determinism

/// How long a card has for a command APDU, from the beginning of the first of its exchanges to the end of the last.
struct CCIDCommandTime {
    /// For one answer; a time extension multiplies it.
    let wait: Duration
    private let total: Duration
    private let start: Duration
    private let time: any TimeSource

    /// - Parameters:
    ///   - wait: for one answer.
    ///   - total: for the whole command, from now.
    ///   - time: what it is measured by.
    init(_ wait: Duration, total: Duration, _ time: any TimeSource) {
        (self.wait, self.total, self.time) = (wait, total, time)
        start = time.reading()
    }

    /// What is left of the whole.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)`` when nothing is.
    func left() throws(CCIDError) -> Duration {
        let left = total - time.elapsed(since: start)
        guard left > .zero else { throw .timedOut(.transferBlock) }
        return left
    }
}
