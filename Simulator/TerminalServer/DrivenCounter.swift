public import Determinism
public import Money
public import Payments
public import Terminal

/// A simulated reader behind a terminal, and the till that takes its payments. Its cardholders follow the till's
/// requests, or a person acts as the cardholder. Its owner lets it carry out one thing after another; a cancellation
/// comes in between.
public protocol DrivenCounter: Sendable {
    /// Whether a person presents the cards, so that the amount chooses none.
    var isByHand: Bool { get }

    /// Takes a payment or a pre-authorization, or gives money back to a card.
    ///
    /// - Parameters:
    ///   - request: the request, which needs a card.
    ///   - card: a card of the session; nil where a person presents one.
    ///   - moment: the terminal's time.
    ///   - report: gets the steps as they happen, where a person causes them.
    /// - Returns: how it ended, with the steps that were not reported.
    func take(
        _ request: TerminalRequest, with card: String?, at moment: Timestamp,
        report: @escaping @Sendable (TerminalProgress) -> Void
    ) async -> CounterResult

    /// Captures, releases, takes back, or gives back what a request has taken.
    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterResult

    /// Reads or closes the batch, signs on, or tests the host.
    func administer(_ request: TerminalRequest, in currency: Currency, at moment: Timestamp) async -> CounterResult

    /// Presents a card for a request, in place of the person.
    func present(card: String, for key: IdempotencyKey) async

    /// Asks for the end of a request. The result says whether it came in time.
    func cancel(_ key: IdempotencyKey) async

    /// Ends the session.
    func close() async
}

/// The result of a request at a counter.
public struct CounterResult: Sendable {
    /// Nil when it is not known, even after it was asked for again: the request does not end.
    public let outcome: TerminalOutcome?
    /// The time of the counter's session afterward.
    public let now: Timestamp
    /// What the cardholder and the terminal did before, in order, unless it was reported.
    public var steps: [TerminalProgress]

    /// Takes an outcome, and the time at which it was known.
    public init(outcome: TerminalOutcome?, now: Timestamp, steps: [TerminalProgress] = []) {
        (self.outcome, self.now, self.steps) = (outcome, now, steps)
    }
}

/// How the terminals of a server get their counters: by number from 0, and the time at which they begin. Nil when it is
/// not possible.
public typealias CounterMaker = @Sendable (_ number: UInt64, _ start: Timestamp) -> (any DrivenCounter)?
