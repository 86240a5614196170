public import Determinism
public import Payments
import Sessions
public import StripeTerminal
public import Terminal

/// The driver of one reader of an account: takes payments with it, and changes what it took. Its owner lets it carry
/// out one thing after another; a cancellation comes in between.
public protocol TerminalCounter: Sendable {
    /// Says where a request is.
    typealias Report = @Sendable (TerminalProgress) -> Void

    /// Takes a payment, or a pre-authorization.
    ///
    /// - Parameters:
    ///   - request: the request, which needs a card.
    ///   - card: the card that is presented at a simulated reader; nil at a reader where people present cards.
    ///   - moment: the account's time.
    ///   - report: gets the steps, beginning with the wait for a card where people present cards.
    /// - Returns: how it ended.
    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp, report: @escaping Report
    ) async -> CounterEnd

    /// Finds out how a request ended that ran when the terminal stopped.
    func recover(_ request: TerminalRequest, report: @escaping Report) async -> CounterEnd

    /// Captures, releases, or refunds what a request has taken; also other work without a card, where the counter has
    /// it.
    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd

    /// What has become of the payment that a request took, also by others; nil when it is not known.
    func standing(of key: IdempotencyKey) async -> TerminalStanding?

    /// Whether the reader is there, or in use.
    func isOnline() async -> Bool

    /// Shows lines to the customer, where there is a display.
    func show(_ lines: [String]) async

    /// Presents a test card for a request that waits for one, where people present cards to a simulated reader.
    func present(_ card: StripeTestCard, for key: IdempotencyKey) async

    /// Asks for the end of a request. The result says whether it came in time.
    func cancel(_ key: IdempotencyKey) async

    /// Ends what runs, as far as no money may have moved, and releases the reader.
    func close() async
}

extension TerminalCounter {
    /// A simulated reader ends with its terminal: nothing of it is to be found out.
    public func recover(_ request: TerminalRequest, report: @escaping Report) async -> CounterEnd {
        CounterEnd(outcome: nil, now: Timestamp(milliseconds: 0))
    }

    /// Only its account changes what a simulated reader took.
    public func standing(of key: IdempotencyKey) async -> TerminalStanding? { nil }

    /// A simulated reader is always there.
    public func isOnline() async -> Bool { true }

    /// Does nothing: test cards are for simulated readers.
    public func present(_ card: StripeTestCard, for key: IdempotencyKey) async {}
}

/// How a request ended at a counter.
public struct CounterEnd: Sendable {
    /// Nil when it is not known, even after it was asked for again: the request does not end.
    public let outcome: TerminalOutcome?
    /// The time at the counter afterward.
    public let now: Timestamp

    /// Takes an outcome and the time at which it was known.
    public init(outcome: TerminalOutcome?, now: Timestamp) { (self.outcome, self.now) = (outcome, now) }
}

/// The readers behind an account.
public struct TerminalCounters: Sendable {
    /// How the account's time goes on.
    public enum Clock: Sendable {
        /// From a moment on, by a second with each request that may change something, and by what payments take. So the
        /// same requests, one after the other, get the same bytes.
        case simulated(start: Timestamp)
        /// As on the wall.
        case wall(any TimeSource)
    }

    /// Whether the protocol's test helper presents the cards.
    let awaitsTestCards: Bool
    let clock: Clock
    /// Makes what drives a reader, by the reader's number from 0; nil when that is not possible.
    let make: @Sendable (_ number: UInt64, _ start: Timestamp) -> (any TerminalCounter)?

    /// Simulated readers, whose cards the test helper presents.
    ///
    /// - Parameters:
    ///   - seed: the seed of the readers and cards.
    ///   - start: when the time begins.
    /// - Returns: the readers, each with a session of its own.
    public static func simulated(seed: UInt64, start: Timestamp) -> TerminalCounters {
        let room = CounterRoom()
        return TerminalCounters(awaitsTestCards: true, clock: .simulated(start: start)) { number, start in
            // The seed of a session follows from that of the server and the reader's number.
            (try? SimulatedCounter(seed: seed &+ number &* 1_000_003, start: start, room: room)).map(
                TestCardCounter.init)
        }
    }

    /// Simulated readers at which people present cards, or the test helper does.
    ///
    /// - Parameters:
    ///   - start: when the time begins.
    ///   - make: makes what drives a reader, by the reader's number from 0.
    /// - Returns: the readers.
    public static func steered(
        start: Timestamp, make: @escaping @Sendable (_ number: UInt64, _ start: Timestamp) -> any TerminalCounter
    ) -> TerminalCounters {
        TerminalCounters(awaitsTestCards: false, clock: .simulated(start: start), make: make)
    }

    /// One reader, at which people, or a simulated person, present cards.
    public static func single(_ counter: any TerminalCounter, clock: Clock) -> TerminalCounters {
        TerminalCounters(awaitsTestCards: false, clock: clock) { _, _ in counter }
    }
}

/// A simulated reader whose cards the protocol's test helper presents.
private struct TestCardCounter: TerminalCounter {
    let counter: SimulatedCounter

    /// The owner has reported that the card was presented.
    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp, report: @escaping Report
    ) async -> CounterEnd {
        guard let card else { return CounterEnd(outcome: .failed(.notSupported), now: moment) }
        return CounterEnd(await counter.take(request, with: TestCards.name(of: card), at: moment))
    }

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd {
        CounterEnd(await counter.change(request, at: moment))
    }

    /// What is shown can be asked for at the reader's object.
    func show(_ lines: [String]) async {}

    /// A payment begins with its card, so that there is nothing to cancel.
    func cancel(_ key: IdempotencyKey) async {}

    func close() async { await counter.close() }
}

extension CounterEnd {
    fileprivate init(_ result: CounterResult) { self.init(outcome: result.outcome, now: result.now) }
}
