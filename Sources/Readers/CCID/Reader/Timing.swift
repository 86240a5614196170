import Determinism

/// The timeouts and pauses of the driver.
public struct CCIDTiming: Hashable, Sendable {
    /// The timeout of sending a message, and of the answer to a command that does not reach the card.
    public var command: Duration = .seconds(5)
    /// The timeout of the first answer after a device reset: some readers start slowly.
    public var restart: Duration = .seconds(10)
    /// The timeout of the activation of a card and its answer to reset.
    public var powerOn: Duration = .seconds(10)
    /// The timeout of the card's answer to one block; a time extension multiplies it.
    public var exchange: Duration = .seconds(10)
    /// The timeout of a whole command APDU, including time extensions.
    public var total: Duration = .seconds(60)
    /// The timeout of the answer to a command for lights and buzzer, which comes when a tone of up to 0.4 s is over.
    public var indication: Duration = .seconds(1)
    /// The timeout of the confirmation that the reader dropped a command.
    public var abort: Duration = .seconds(2)
    /// The pause between two status queries to a reader that sends no notifications.
    public var pollInterval: Duration = .milliseconds(250)
    /// The pause between two status queries to a reader that sends notifications, because some get lost.
    public var notifiedPollInterval: Duration = .seconds(2)
    /// The time without power between two voltages (ISO/IEC 7816-3 §6.2.4 requires 10 ms).
    public var powerOffPause: Duration = .milliseconds(20)
    /// The pause before a card that did not answer is powered again: contacts bounce while a card moves in the slot.
    public var contactPause: Duration = .milliseconds(100)

    /// Creates the times of the driver, which fit readers in use.
    public init() {}
}

/// The time that a card has for a command APDU, from the start of its first exchange to the end of its last.
struct CommandDeadline {
    /// The timeout of one answer; a time extension multiplies it.
    let wait: Duration
    private let total: Duration
    private let start: Duration
    private let time: any TimeSource

    /// - Parameters:
    ///   - wait: for one answer.
    ///   - total: for the whole command, from now.
    ///   - time: the clock that measures it.
    init(_ wait: Duration, total: Duration, _ time: any TimeSource) {
        (self.wait, self.total, self.time) = (wait, total, time)
        start = time.reading()
    }

    /// Returns the rest of the total time.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)`` when none is left.
    func left() throws(CCIDError) -> Duration {
        let left = total - time.elapsed(since: start)
        guard left > .zero else { throw .timedOut(.transferBlock) }
        return left
    }
}

/// The time that is left for one answer. Each transfer gets ``remaining`` as its own timeout, which the transport
/// enforces. Times are readings of the driver's clock.
struct AnswerDeadline {
    /// The most transfers per command that are not its answer: empty ones, and answers to other commands.
    static let maximumStrays = 16

    private let type: CCIDCommandType
    private let start: Duration
    private let total: Duration
    private var waitStart: Duration
    private var wait: Duration
    private var strays = 0
    /// The timeout of the next transfer.
    private(set) var remaining: Duration

    /// - Parameters:
    ///   - type: the command, for errors.
    ///   - wait: for the answer, from now.
    ///   - total: for the answer and all extensions of the wait, from now.
    ///   - now: the current reading of the clock.
    init(_ type: CCIDCommandType, wait: Duration, total: Duration, at now: Duration) {
        (self.type, start, waitStart, self.total) = (type, now, now, total)
        self.wait = min(wait, total)
        remaining = self.wait
    }

    /// Continues the same wait after a transfer that was not the answer.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func skipTransfer(at now: Duration) throws(CCIDError) {
        strays += 1
        guard strays <= Self.maximumStrays else { throw .noEnd(type) }
        remaining = min(remaining, wait - max(.zero, now - waitStart))
        guard remaining > .zero else { throw .timedOut(type) }
    }

    /// Starts a new wait within the same total.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``
    mutating func restart(_ wait: Duration, at now: Duration) throws(CCIDError) {
        self.wait = min(wait, total - max(.zero, now - start))
        guard self.wait > .zero else { throw .timedOut(type) }
        waitStart = now
        remaining = self.wait
    }
}
